package calllog

import (
	"net/http"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
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
	model := f.text("model")
	model = model[strings.LastIndexByte(model, '/')+1:]
	g, w := conversationBuilder{api: provider.Chat, texts: s.found.texts, tools: inspectTools(f["tools"])}, writer{provider.Chat}
	for _, m := range input {
		t := s.message(m)
		g.addMessages(w.messages(&t)...)
	}
	if len(input) == 0 {
		return c, false
	}
	output := f["output"].fields()
	answer := turn{role: "assistant", answer: provider.Answer{Model: model, Failure: f.text("error")}}
	choice := fields(nil)
	if choices := output["choices"].elems(); len(choices) > 0 {
		choice = choices[0].fields()
		answer.parts, answer.answer.Finish = s.message(choice["message"]).parts, choice.text("stop_reason")
	}
	answer.answer.Usage = inspectUsage(output)
	c = Call{Path: provider.PathOf(g.api, model)}
	g.request(&c, model)
	failed := answer.answer.Failure != ""
	if choice != nil || failed {
		c.Status, c.answered = http.StatusOK, g.texts.put(w.answer(&answer).Value())
	}
	if failed {
		c.Status = 0
	}
	return c, true
}

// message reads a message of Inspect.
func (s *sample) message(r raw) turn {
	f := raw(s.resolved(r)).fields()
	t := turn{role: f.text("role")}
	switch t.role {
	case "tool":
		failure := f["error"].fields()
		content := f["content"].value()
		if failure != nil && f["content"].empty() {
			content = canon.Text(failure.text("message"))
		}
		return turn{role: "user", parts: []provider.Part{resultPart(f.text("tool_call_id"), f.text("function"), content, failure != nil)}}
	case "assistant", "system":
	default:
		t.role = "user"
	}
	if text := f["content"].text(); text != "" {
		t.parts = []provider.Part{textPart(text)}
	}
	for _, e := range f["content"].elems() {
		p := e.fields()
		switch p.text("type") {
		case "text":
			t.parts = append(t.parts, textPart(p.text("text")))
		case "reasoning":
			t.parts = append(t.parts, thoughtPart(canon.Text(p.text("reasoning", "summary"))))
		case "image":
			t.parts = append(t.parts, imagePart(p.text("image")))
		default:
			t.parts = append(t.parts, otherPart(e.value()))
		}
	}
	for _, e := range f["tool_calls"].elems() {
		p := e.fields()
		t.parts = append(t.parts, callPart(p.text("id"), p.text("function"), p["arguments"].value()))
	}
	return t
}

// inspectUsage reads the tokens of an output of Inspect.
func inspectUsage(output fields) provider.Usage {
	return withCached(usage(output["usage"].fields(), "input_tokens", "output_tokens", "input_tokens_cache_read",
		"input_tokens_cache_write", "reasoning_tokens"))
}

// inspectTools writes the definitions of tools as chat completions take them.
func inspectTools(r raw) canon.Any {
	var list []canon.Any
	for _, e := range r.elems() {
		f := e.fields()
		list = append(list, canon.Fields("type", "function", "function", canon.Fields("name", f.text("name"),
			"description", f.text("description"), "parameters", f["parameters"].value())))
	}
	return canon.ArrayOf(list...)
}
