package calllog

import (
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// isPydantic reports whether a value is a message of Pydantic AI or a list that
// begins with one.
func isPydantic(first raw) bool {
	if list := first.elems(); len(list) > 0 {
		first = list[0]
	}
	f := first.fields()
	kind := f["kind"].text()
	return (kind == "request" || kind == "response") && f["parts"].kind() == canon.KindArray
}

// readPydantic reads what ModelMessagesTypeAdapter of Pydantic AI writes.
func readPydantic(list []entry, found *findings) []Session {
	s := spoken{api: provider.Chat}
	for _, e := range list {
		messages := []raw{e.raw}
		if e.kind() == canon.KindArray {
			messages = e.elems() // a line for each run
		}
		for _, m := range messages {
			if f := m.fields(); f["kind"].text() == "response" {
				s.pydanticResponse(f, e.line)
			} else if f["kind"].text() == "request" {
				s.pydanticRequest(f, e.line)
			} else {
				found.add(e.line, "it is no message of a known kind, so it was left out")
			}
		}
	}
	return s.sessions()
}

// pydanticRequest reads a message to the model. Its instructions are a system
// prompt; a later message repeats them.
func (s *spoken) pydanticRequest(f fields, line int) {
	at := timeOf(f["timestamp"].value())
	system, user := turn{role: "system", line: line}, turn{role: "user", line: line, at: at}
	if text := f.text("instructions"); text != "" && len(s.turns) == 0 {
		system.parts = append(system.parts, textPart(text))
	}
	for _, e := range f["parts"].elems() {
		p := e.fields()
		if user.at == 0 {
			user.at = timeOf(p["timestamp"].value())
		}
		switch p.text("part_kind") {
		case "system-prompt":
			system.parts = append(system.parts, textPart(p.text("content")))
		case "user-prompt":
			user.parts = append(user.parts, pydanticContent(p["content"])...)
		case "tool-return", "builtin-tool-return":
			outcome := p.text("outcome")
			user.parts = append(user.parts, resultPart(p.text("tool_call_id"), p.text("tool_name"), p["content"].value(), outcome != "" && outcome != "success"))
		case "retry-prompt":
			if p.text("tool_name") == "" {
				user.parts = append(user.parts, textPart(string(resultContent(p["content"].value()).Text)))
				continue
			}
			user.parts = append(user.parts, resultPart(p.text("tool_call_id"), p.text("tool_name"), p["content"].value(), true))
		default:
			user.parts = append(user.parts, otherPart(e.value()))
		}
	}
	for _, t := range []turn{system, user} {
		if len(t.parts) > 0 {
			s.turns = append(s.turns, t)
		}
	}
}

// pydanticContent reads what a user says: a text, or a list of texts and media.
func pydanticContent(content raw) (parts []provider.Part) {
	if content.kind() == canon.KindString {
		return []provider.Part{textPart(content.text())}
	}
	for _, e := range content.elems() {
		f := e.fields()
		switch kind := f.text("kind"); {
		case e.kind() == canon.KindString:
			parts = append(parts, textPart(e.text()))
		case kind == "text-content" && f.text("content") != "":
			parts = append(parts, textPart(f.text("content")))
		case kind == "image-url":
			parts = append(parts, imagePart(f.text("url")))
		case kind == "binary" && strings.HasPrefix(f.text("media_type"), "image/"):
			parts = append(parts, imagePart("data:"+f.text("media_type")+";base64,"+f.text("data")))
		default:
			parts = append(parts, otherPart(e.value()))
		}
	}
	return parts
}

// pydanticResponse reads an answer.
func (s *spoken) pydanticResponse(f fields, line int) {
	t := turn{role: "assistant", line: line, at: timeOf(f["timestamp"].value()), answer: provider.Answer{
		ID: f.text("provider_response_id", "vendor_id"), Model: f.text("model_name"), Finish: f.text("finish_reason")}}
	if f.text("provider_name") == "anthropic" {
		s.api = provider.Messages
	}
	if s.model == "" {
		s.model = t.answer.Model
	}
	for _, e := range f["parts"].elems() {
		p := e.fields()
		switch p.text("part_kind") {
		case "text":
			t.parts = append(t.parts, textPart(p.text("content")))
		case "thinking":
			t.parts = append(t.parts, thoughtPart(canon.Fields("type", "thinking", "thinking", p["content"].value(), "signature", p.text("signature"))))
		case "tool-call":
			t.parts = append(t.parts, callPart(p.text("tool_call_id"), p.text("tool_name"), p["args"].value()))
		default:
			t.parts = append(t.parts, otherPart(e.value()))
		}
	}
	u := usage(f["usage"].fields(), "input_tokens request_tokens", "output_tokens response_tokens", "cache_read_tokens",
		"cache_write_tokens", "details.reasoning_tokens")
	t.answer.Usage = provider.Usage{In: told(u.In), Out: told(u.Out), Cached: told(u.Cached), Written: told(u.Written),
		Reasoning: told(u.Reasoning)}
	s.turns = append(s.turns, t)
}
