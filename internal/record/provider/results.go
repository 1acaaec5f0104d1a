package provider

import (
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/splice"
)

// PlacedResult is the result of a call at its place in a body.
type PlacedResult struct {
	Message    int          // the index of its message or item
	Call, Tool string       // the id of the call, and the name of its tool
	Content    splice.Value // a text, a list of parts or, of Gemini, an object of the tool's own form
	Failed     bool
	Fresh      bool // no message of the model stands behind it
}

// Results returns the results of a body, in their order. It leaves out those without an id, and those of Gemini with
// images and other parts. together says of two calls whether one answer had both: a client of OpenAI's Responses may
// put a result between them. Cost: linear in the values of the conversation.
func Results(name API, root splice.Value, together func(a, b string) bool) (list []PlacedResult) {
	tools := map[string]string{}
	said := func(call string) { // the model spoke, so it has seen what stands before
		for i := len(list) - 1; i >= 0 && list[i].Fresh; i-- {
			list[i].Fresh = call != "" && together(list[i].Call, call)
		}
	}
	add := func(message int, call string, content splice.Value, failed bool) {
		if call != "" && (content.Kind == canon.KindString || content.Kind == canon.KindArray ||
			name == Gemini && content.Kind == canon.KindObject) {
			list = append(list, PlacedResult{message, call, tools[call], content, failed, true})
		}
	}
	switch name {
	case Messages:
		for i, m := range root.Get("messages").Elems {
			if m.Get("role").Text() == "assistant" {
				said("")
			}
			for _, block := range m.Get("content").Elems {
				switch block.Get("type").Text() {
				case "tool_use":
					tools[block.Get("id").Text()] = block.Get("name").Text()
				case "tool_result":
					add(i, block.Get("tool_use_id").Text(), block.Get("content"), block.Get("is_error").True())
				}
			}
		}
	case Chat:
		for i, m := range root.Get("messages").Elems {
			switch m.Get("role").Text() {
			case "assistant":
				said("")
				for _, call := range m.Get("tool_calls").Elems {
					tools[call.Get("id").Text()] = call.Get("function", "name").Text()
				}
			case "tool":
				add(i, m.Get("tool_call_id").Text(), m.Get("content"), false)
			}
		}
	case Responses:
		for i, item := range root.Get("input").Elems {
			word, call := item.Get("type").Text(), item.Get("call_id").Text()
			switch {
			case word == "function_call_output" || word == "custom_tool_call_output":
				add(i, call, item.Get("output"), false)
			case word == "reasoning" || strings.HasSuffix(word, "_call") || item.Get("role").Text() == "assistant":
				said(call)
				tools[call] = item.Get("name").Text()
			}
		}
	case Gemini:
		for i, content := range root.Get("contents").Elems {
			if content.Get("role").Text() == "model" {
				said("")
			}
			for _, part := range content.Get("parts").Elems {
				response := geminiResponse(part)
				if id := response.Get("id").Text(); !geminiCall(part).Is() && !response.Get("parts").Is() {
					tools[id] = response.Get("name").Text()
					add(i, id, geminiSays(response.Get("response")), false)
				}
			}
		}
	}
	return list
}

// geminiSays returns the text of a response, under the names that the API's reference and its clients have for it
// (https://ai.google.dev/api/caching#FunctionResponse, read on 2026-11-26); the whole response if it has none.
func geminiSays(response splice.Value) splice.Value {
	for _, name := range []string{"output", "result", "error"} {
		if v := response.Get(name); v.Kind == canon.KindString {
			return v
		}
	}
	return response
}

// HasTools reports whether a request offers tools: what an agent asks beside its work has none.
func HasTools(root splice.Value) bool { return len(root.Get("tools").Elems) > 0 }

// Rewrite collects the edits that make a content say what another value of the same form says:
// the same list with other texts, or another text. It reports false if the two differ elsewhere.
func Rewrite(e *splice.Edits, content splice.Value, with canon.Value) bool {
	if content.Kind == canon.KindString {
		if with.Kind() != canon.KindString {
			return false
		}
		e.Replace(content, []byte(with))
		return true
	}
	now := with.Any()
	if len(content.Elems) != len(now.Elems) {
		return false
	}
	for i, part := range content.Elems {
		old, new := part.Get("text"), get(now.Elems[i], "text")
		if old.Kind == canon.KindString && new.Kind == canon.KindString && old.Text() != new.Text {
			e.Replace(old, new.AppendTo(nil))
		}
	}
	return true
}

// PlacedThinking is the thinking of an answer at its place in a body.
type PlacedThinking struct {
	List splice.Value // that holds it
	At   int          // its index there
	Of   int          // the index of its message
}

// Thinking returns the thinking in a body that may be left out, in its order: that of Anthropic. OpenAI refuses a
// call without the reasoning that it came with.
func Thinking(name API, root splice.Value) (list []PlacedThinking) {
	if name != Messages {
		return nil
	}
	for m, message := range root.Get("messages").Elems {
		content := message.Get("content")
		for k, block := range content.Elems {
			if kindOf(block.Get("type").Text()) == "thinking" {
				list = append(list, PlacedThinking{content, k, m})
			}
		}
	}
	return list
}

// BindsThinking reports whether a model refuses thinking behind something that changed.
func BindsThinking(name API, model string) bool {
	return name == Messages && begins(model, anthropicBound)
}

// LeaveNote collects the edit that has a note stand in place of a content: a text for a text, for a list one text
// with the cache marker that the list had, for an object one with the note.
func LeaveNote(e *splice.Edits, content splice.Value, note string) {
	e.Replace(content, noteIn(content, note))
}

func noteIn(content splice.Value, note string) []byte {
	switch content.Kind {
	case canon.KindObject:
		return []byte(`{"note":` + note + `}`)
	case canon.KindString:
		return []byte(note)
	}
	word, marker := "text", ""
	for _, part := range content.Elems {
		if t := part.Get("type").Text(); strings.HasPrefix(t, "input_") {
			word = "input_text"
		}
		for _, name := range cacheMarkers {
			if v := part.Get(name); v.Is() {
				marker = `,"` + name + `":` + string(v.Raw)
			}
		}
	}
	return []byte(`[{"type":"` + word + `","text":` + note + marker + `}]`)
}

// HasNote reports whether a content is a note in place of another.
func HasNote(content splice.Value, note string) bool {
	return content.Kind == canon.KindString && string(content.Raw) == note ||
		content.Kind == canon.KindObject && string(content.Raw) == string(noteIn(content, note)) ||
		content.Kind == canon.KindArray && len(content.Elems) == 1 && string(content.Elems[0].Get("text").Raw) == note
}
