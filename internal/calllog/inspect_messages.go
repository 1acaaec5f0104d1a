package calllog

import (
	"net/http"

	"github.com/contexttree/pact/internal/api"
	"github.com/contexttree/pact/internal/canon"
)

// rebuilt makes a call of the messages that Inspect keeps in a form of its own,
// because the log lacks the request to the provider.
func (s *sample) rebuilt(f fields) (c Call, ok bool) {
	input := f["input"].elems()
	if refs := f["input_refs"].elems(); len(refs) > 0 {
		input = nil
		for _, v := range s.shared(refs, &s.messages) {
			input = append(input, v.AppendTo(nil))
		}
	}
	_, model, found := cutLast(f.text("model"), "/")
	if !found {
		model = f.text("model")
	}
	talk := spoken{api: api.Chat, model: model, tools: inspectTools(f["tools"])}
	for _, m := range input {
		talk.turns = append(talk.turns, s.message(m))
	}
	if len(talk.turns) == 0 {
		return c, false
	}
	output := f["output"].fields()
	answer := turn{role: "assistant", model: model}
	choice := fields(nil)
	if choices := output["choices"].elems(); len(choices) > 0 {
		choice = choices[0].fields()
		answer.parts, answer.finish = s.message(choice["message"]).parts, choice.text("stop_reason")
	}
	u := output["usage"].fields()
	answer.usage = usage{in: count(u, "input_tokens"), out: count(u, "output_tokens"),
		cached: count(u, "input_tokens_cache_read"), written: count(u, "input_tokens_cache_write"),
		reasoning: count(u, "reasoning_tokens")}
	if in := answer.usage.in; in != nil { // Inspect counts cached tokens beside the others
		for _, n := range []*int64{answer.usage.cached, answer.usage.written} {
			if n != nil {
				*in += *n
			}
		}
	}
	w := writer{talk.api}
	var messages []canon.Any
	for i := range talk.turns {
		messages = append(messages, w.messages(&talk.turns[i])...)
	}
	c = Call{API: talk.api, Path: pathOf(talk.api, model), Request: talk.request(model, nil, messages)}
	answer.failure = f.text("error")
	if choice != nil || answer.failure != "" {
		c.Status, c.Answer = http.StatusOK, w.answer(&answer).AppendTo(nil)
	}
	if answer.failure != "" {
		c.Status = 0
	}
	return c, true
}

// cutLast cuts a text around the last separator.
func cutLast(text, separator string) (before, after string, found bool) {
	for i := len(text) - len(separator); i >= 0; i-- {
		if text[i:i+len(separator)] == separator {
			return text[:i], text[i+len(separator):], true
		}
	}
	return text, "", false
}

// message reads a message of Inspect.
func (s *sample) message(r raw) turn {
	f := raw(s.whole(r)).fields()
	t := turn{role: f.text("role")}
	switch t.role {
	case "tool":
		failure := f["error"].fields()
		content := f["content"].value()
		if failure != nil && f["content"].empty() {
			content = str(failure.text("message"))
		}
		return turn{role: "user", parts: []piece{{kind: isResult, id: f.text("tool_call_id"), name: f.text("function"),
			value: content, failed: failure != nil}}}
	case "assistant", "system":
	default:
		t.role = "user"
	}
	if text := f["content"].text(); text != "" {
		t.parts = []piece{{text: text}}
	}
	for _, e := range f["content"].elems() {
		p := e.fields()
		switch p.text("type") {
		case "text":
			t.parts = append(t.parts, piece{text: p.text("text")})
		case "reasoning":
			t.parts = append(t.parts, piece{kind: isThought, text: p.text("reasoning", "summary")})
		case "image":
			t.parts = append(t.parts, piece{kind: isImage, text: p.text("image")})
		default:
			t.parts = append(t.parts, piece{kind: isOther, value: e.value()})
		}
	}
	for _, e := range f["tool_calls"].elems() {
		p := e.fields()
		t.parts = append(t.parts, piece{kind: isCall, id: p.text("id"), name: p.text("function"),
			value: p["arguments"].value()})
	}
	return t
}

// inspectTools writes the definitions of tools as chat completions take them.
func inspectTools(r raw) canon.Any {
	var list []canon.Any
	for _, e := range r.elems() {
		f := e.fields()
		list = append(list, obj("type", "function", "function", obj("name", f.text("name"),
			"description", f.text("description"), "parameters", f["parameters"].value())))
	}
	return canon.ArrayOf(list...)
}
