package provider

import (
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// Plain returns a part that an API has in the words of no API: the content of a text, a thought or a result is that
// itself, of an image its address, which may hold the image, and of a call its arguments. A part of another kind, and
// thinking without words, stays as it is; ok is false then.
func Plain(from API, p Part) (plain Part, ok bool) {
	w := entryOf(from).writer
	content := canon.Any{}
	switch p.Kind {
	case "text", "refusal":
		if text, is := plainOf(p.Content); is {
			content = canon.Text(text)
		} else if said, is := p.Content.Get("refusal"); is {
			content = said
		}
	case "image":
		if address := addressOf(w.imageOf(p.Content)); address != "" {
			content = canon.Text(address)
		}
	case "thinking":
		if text, is := thoughtOf(p.Content); is {
			content = canon.Text(text)
		}
	case "call":
		content = argumentsIn(w, p.Content)
	case "result":
		content = w.resultOf(p.Content)
		if from == Gemini && len(content.Members) == 1 { // the API takes no texts
			if m := content.Members[0]; m.Name == "output" || m.Name == "error" && p.Failed {
				content = m.Value
			}
		}
	}
	if content.Kind == canon.KindAbsent {
		return p, false
	}
	p.Content = content
	return p, true
}

// thoughtOf returns the words of thinking: the APIs write them as a text, as a member, or as parts of a summary.
func thoughtOf(v canon.Any) (text string, ok bool) {
	if v.Kind == canon.KindString {
		return v.Text, true
	}
	for _, name := range []string{"thinking", "text"} {
		if said, is := v.Get(name); is && said.Kind == canon.KindString {
			return said.Text, said.Text != ""
		}
	}
	var texts []string
	for _, name := range []string{"content", "summary"} {
		list, _ := v.Get(name)
		for _, part := range list.Elems {
			if said, is := part.Get("text"); is && said.Kind == canon.KindString {
				texts = append(texts, said.Text)
			}
		}
		if len(texts) > 0 {
			break
		}
	}
	return strings.Join(texts, "\n\n"), len(texts) > 0
}

// argumentsIn returns the arguments of a call as a value: some APIs write them as a text. What is no JSON, as the input
// of a tool that takes a text, becomes the only member of an object.
func argumentsIn(w writer, call canon.Any) canon.Any {
	arguments, name := w.argumentsOf(call), "arguments"
	if arguments.Kind == canon.KindAbsent {
		name = "input"
		if arguments = get(call, "input"); arguments.Kind == canon.KindAbsent {
			arguments = get(call, "custom", "input")
		}
	}
	switch {
	case arguments.Kind == canon.KindAbsent || arguments.Kind == canon.KindString && strings.TrimSpace(arguments.Text) == "":
		return canon.Object()
	case arguments.Kind != canon.KindString:
		return arguments
	}
	if parsed, err := canon.ParseAny([]byte(arguments.Text)); err == nil && name == "arguments" {
		return parsed
	}
	return canon.Fields(name, arguments.Text)
}

// inObject returns arguments for an API that takes an object alone.
func inObject(arguments canon.Any) canon.Any {
	if arguments.Kind == canon.KindObject {
		return arguments
	}
	return canon.Fields("arguments", arguments)
}

// KindOf returns the kind of a part or an item as its API has it, by its type.
func KindOf(part canon.Any) string { return kindOf(text(part, "type")) }
