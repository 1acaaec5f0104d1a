package api

import (
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// Render writes parts as the fields of a request to an API: tools, system
// prompt and messages. from returns the API of each part. Render leaves out and
// counts what the API cannot express: thinking, which only the provider that
// signed it accepts, and parts of unknown kinds.
//
// Parts of the same API come back as they were, except for their division into
// messages and for what only a frame holds.
func Render(to Name, parts []Part, from func(i int) Name) (fields canon.Any, left int) {
	w := &renderer{to: to, names: map[string]string{}, renamed: map[string]string{}}
	for i := range parts {
		if !w.part(&parts[i], from(i)) {
			w.left++
		}
	}
	return w.fields(), w.left
}

type renderer struct {
	to                  Name
	tools, system, said []canon.Any
	role                string            // of the current message
	content, calls      []canon.Any       // of the current message
	open                []string          // generated ids of calls that have no result yet
	names               map[string]string // names of the called tools, by call id
	renamed             map[string]string // ids of calls that the API refuses, with those in their place
	left                int
}

// These make JSON values.
func str(text string) canon.Any { return canon.Any{Kind: canon.KindString, Text: text} }

func obj(pairs ...any) canon.Any {
	var members []canon.Member
	for i := 0; i < len(pairs); i += 2 {
		value, ok := pairs[i+1].(canon.Any)
		if text, isText := pairs[i+1].(string); isText {
			value, ok = str(text), true
		}
		if ok && value.Kind != canon.KindAbsent {
			members = append(members, canon.Member{Name: pairs[i].(string), Value: value})
		}
	}
	return canon.Object(members...)
}

// part writes one part; it returns false if the API cannot express it.
func (w *renderer) part(p *Part, from Name) bool {
	switch {
	case p.Kind == "tool" && p.Section == Tools:
		return w.tool(p, from)
	case p.Section == System:
		text, ok := plainOf(p.Content)
		w.system = append(w.system, str(text))
		return ok
	case p.Kind == "call":
		return w.call(p, from)
	case p.Kind == "result":
		return w.result(p, from)
	case from == w.to && w.own(p):
		return true
	case p.Kind == "text":
		text, ok := plainOf(p.Content)
		if ok {
			w.say(p.Role, w.text(p.Role, text))
		}
		return ok
	case p.Kind == "image":
		image, ok := w.image(p.Content, from)
		if ok {
			w.say(p.Role, image)
		}
		return ok
	}
	return false
}

// plainOf returns the text of a part.
func plainOf(v canon.Any) (string, bool) {
	if v.Kind == canon.KindString {
		return v.Text, true
	}
	said, _ := v.Get("text")
	return said.Text, said.Kind == canon.KindString
}

// own writes a part of the same API unchanged, if that API keeps such parts in
// a list.
func (w *renderer) own(p *Part) bool {
	switch {
	case p.Content.Kind != canon.KindObject:
		return false
	case w.to == Responses && text(p.Content, "type") != "" && (p.Kind == "thinking" || p.Kind == "reference"):
		w.end()
		w.said = append(w.said, p.Content)
		return true
	case w.to == Chat && p.Kind == "thinking":
		return false // the API has it as a field of the message, where this message has none
	}
	w.say(p.Role, p.Content)
	return true
}

// text returns a text as a part of a message.
func (w *renderer) text(role, said string) canon.Any {
	switch {
	case w.to == Gemini:
		return obj("text", said)
	case w.to == Responses && role == "assistant":
		return obj("type", "output_text", "text", said)
	case w.to == Responses:
		return obj("type", "input_text", "text", said)
	}
	return obj("type", "text", "text", said)
}

// say adds a part to the current message. If that message has another role, say
// begins a new one.
func (w *renderer) say(role string, part canon.Any) {
	if role != w.role || len(w.calls) > 0 && w.to == Chat {
		w.end()
		w.role = role
	}
	w.content = append(w.content, part)
}

// end writes the current message.
func (w *renderer) end() {
	if len(w.content)+len(w.calls) == 0 {
		return
	}
	role, content := w.role, canon.ArrayOf(w.content...)
	switch {
	case w.to == Gemini && role == "assistant":
		role = "model"
	case w.to == Gemini || role == "other" || role == "tool":
		role = "user"
	}
	var calls canon.Any
	if len(w.calls) > 0 {
		calls = canon.ArrayOf(w.calls...)
	}
	if len(w.content) == 0 {
		content = canon.Any{Kind: canon.KindNull, Text: string(canon.Null)}
	}
	field := "content"
	if w.to == Gemini {
		field = "parts"
	}
	w.said = append(w.said, obj("role", role, field, content, "tool_calls", calls))
	w.content, w.calls, w.role = nil, nil, ""
}

// fields returns everything written so far.
func (w *renderer) fields() canon.Any {
	w.end()
	var tools, system canon.Any
	list := func(l []canon.Any) canon.Any {
		if l == nil {
			return canon.Any{}
		}
		return canon.ArrayOf(l...)
	}
	tools = list(w.tools)
	switch w.to {
	case Gemini:
		if w.tools != nil {
			tools = canon.ArrayOf(obj("functionDeclarations", tools))
		}
		if w.system != nil {
			var parts []canon.Any
			for _, s := range w.system {
				parts = append(parts, obj("text", s))
			}
			system = obj("parts", canon.ArrayOf(parts...))
		}
		return obj("tools", tools, "systemInstruction", system, "contents", canon.ArrayOf(w.said...))
	case Messages:
		if w.system != nil {
			var parts []canon.Any
			for _, s := range w.system {
				parts = append(parts, obj("type", "text", "text", s))
			}
			system = canon.ArrayOf(parts...)
		}
		return obj("tools", tools, "system", system, "messages", canon.ArrayOf(w.said...))
	}
	var lead []canon.Any
	for _, s := range w.system {
		lead = append(lead, obj("role", "system", "content", s))
	}
	field := "messages"
	if w.to == Responses {
		field = "input"
	}
	return obj("tools", tools, field, canon.ArrayOf(append(lead, w.said...)...))
}

func (w *renderer) tool(p *Part, from Name) bool {
	if from == w.to {
		w.tools = append(w.tools, p.Content)
		return true
	}
	v := p.Content
	if function, ok := v.Get("function"); ok {
		v = function
	}
	name := text(v, "name")
	schema, _ := member(v, "parameters", "input_schema", "parametersJsonSchema")
	if name == "" || strings.HasPrefix(text(v, "type"), "web_search") {
		return false
	}
	description, _ := v.Get("description")
	switch w.to {
	case Chat:
		w.tools = append(w.tools, obj("type", "function",
			"function", obj("name", name, "description", description, "parameters", schema)))
	case Responses:
		w.tools = append(w.tools, obj("type", "function", "name", name, "description", description, "parameters", schema))
	case Messages:
		if schema.Kind == canon.KindAbsent {
			schema = obj("type", "object")
		}
		w.tools = append(w.tools, obj("name", name, "description", description, "input_schema", schema))
	case Gemini:
		w.tools = append(w.tools, obj("name", name, "description", description, "parametersJsonSchema", schema))
	}
	return true
}
