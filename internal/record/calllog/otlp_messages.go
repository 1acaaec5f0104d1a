package calllog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// exchange is what a span has of a call.
type exchange struct {
	sent   []turn
	answer turn // its parts
	finish string
	system bool // the request had a system prompt
	api    provider.API
}

// messages reads what a model was sent and what it answered, in the form that the program writes: lists of messages as
// attributes, one attribute for each leaf of them, or events.
func (s *span) messages(api provider.API, found *findings) exchange {
	x := exchange{api: api}
	if v := s.json("gen_ai.system_instructions"); v.Kind != canon.KindAbsent {
		x.add(turn{role: "system", parts: x.content(v)})
	}
	sent := s.listed("gen_ai.input.messages", "gen_ai.prompt", "llm.input_messages", "ai.prompt.messages")
	said := s.listed("gen_ai.output.messages", "gen_ai.completion", "llm.output_messages")
	if v := s.json("gcp.vertex.agent.llm_request"); len(sent) == 0 && v.Kind == canon.KindObject {
		sent = x.requestMessages(v)
		said = each([]canon.Any{valueOf(s.json("gcp.vertex.agent.llm_response"), "content")})
	}
	events := append(slices.Clip(s.events), eventsIn(s.json("events"))...)
	slices.SortStableFunc(events, func(a, b spanEvent) int {
		if a.at == 0 || b.at == 0 {
			return 0
		}
		return cmp.Compare(a.at, b.at)
	})
	for _, e := range events {
		role, is := strings.CutSuffix(strings.TrimPrefix(e.name, "gen_ai."), ".message")
		switch {
		case e.name == "gen_ai.choice":
			said = append(said, e.message())
		case is && strings.HasPrefix(e.name, "gen_ai."):
			sent = append(sent, withRole(e.message(), role))
		}
	}
	for _, m := range sent {
		x.add(x.turn(m, "user"))
	}
	for i, m := range said {
		t := x.turn(m, "assistant")
		finish, _ := m.Get("finish_reason")
		if i > 0 && x.finish != "" && finish.Text != "" {
			found.add(s.line, "a second answer to one question was left out")
			continue
		}
		x.finish = cmp.Or(x.finish, finish.Text)
		x.answer.parts = append(x.answer.parts, t.parts...)
	}
	reasons := s.json("gen_ai.response.finish_reasons", "gen_ai.response.finish_reason", "llm.finish_reason")
	if x.finish == "" {
		if x.finish = reasons.Text; len(reasons.Elems) > 0 {
			x.finish = reasons.Elems[0].Text
		}
	}
	if len(said) == 0 { // as Vercel's AI SDK has it
		x.answer.parts = x.vercel(s)
	}
	return x
}

// requestMessages reads the request of a span of Google's ADK: a system prompt, and contents in the words of Gemini.
func (x *exchange) requestMessages(request canon.Any) []canon.Any {
	system := valueOf(valueOf(request, "config"), "system_instruction", "systemInstruction")
	if parts, is := system.Get("parts"); is {
		system = parts
	}
	x.add(turn{role: "system", parts: x.content(system)})
	return valueOf(request, "contents").Elems
}

// listed returns the messages that one of some attributes holds, whole or with one attribute for each leaf.
func (s *span) listed(names ...string) []canon.Any {
	for _, name := range names {
		v := s.json(name)
		if v.Kind == canon.KindAbsent {
			v = s.below(name)
		}
		if inside, is := v.Get("messages"); is {
			v = written(inside)
		}
		switch {
		case v.Kind == canon.KindArray:
			return each(v.Elems)
		case v.Kind != canon.KindAbsent:
			return []canon.Any{v}
		}
	}
	return nil
}

// eventsIn reads the events that a program wrote into an attribute as JSON.
func eventsIn(list canon.Any) (events []spanEvent) {
	for _, v := range list.Elems {
		if name, _ := v.Get("event.name"); name.Text != "" {
			events = append(events, spanEvent{name: name.Text, body: v})
		}
	}
	return events
}

// message returns the message that an event is about.
func (e *spanEvent) message() canon.Any {
	body := e.body
	if body.Kind != canon.KindObject {
		if body = e.json("gen_ai.event.content"); body.Kind != canon.KindObject {
			var members []canon.Member
			for name, v := range e.attributes {
				members = append(members, canon.Member{Name: name, Value: v})
			}
			body = objectOf(members)
		}
	}
	return body
}

// withRole returns a message with a role, if it names none.
func withRole(m canon.Any, role string) canon.Any {
	if _, is := m.Get("role"); is || m.Kind != canon.KindObject {
		return m
	}
	return m.With("role", canon.Text(role))
}

// add adds a turn. Results that follow each other were sent together.
func (x *exchange) add(t turn) {
	if len(t.parts) == 0 {
		return
	}
	x.system = x.system || t.role == "system" && len(x.sent) == 0
	said := func(p provider.Part) bool { return p.Kind != "result" }
	if n := len(x.sent) - 1; n >= 0 && !said(t.parts[0]) && !slices.ContainsFunc(x.sent[n].parts, said) {
		x.sent[n].parts = append(x.sent[n].parts, t.parts...)
		return
	}
	x.sent = append(x.sent, t)
}

// spanRoles are the words for the sides of a conversation.
var spanRoles = map[string]string{"user": "user", "human": "user", "assistant": "assistant", "model": "assistant",
	"ai": "assistant", "system": "system", "developer": "system", "tool": "tool", "function": "tool"}

// turn reads a message, in the words of the conventions, of OpenInference, or of an API.
func (x *exchange) turn(m canon.Any, role string) turn {
	if inside, is := m.Get("message"); is {
		m = withRole(written(inside), role)
	}
	if m.Kind != canon.KindObject {
		return turn{role: role, parts: x.content(m)}
	}
	word, _ := m.Get("role")
	t := turn{role: cmp.Or(spanRoles[strings.ToLower(word.Text)], role)}
	if thought := textOf(m, "reasoning_content", "reasoning"); thought != "" {
		t.parts = append(t.parts, thoughtPart(canon.Text(thought)))
	}
	for _, name := range []string{"parts", "content", "contents"} {
		if v, is := m.Get(name); is {
			t.parts = append(t.parts, x.content(written(v))...)
		}
	}
	if refusal := textOf(m, "refusal"); refusal != "" {
		t.parts = append(t.parts, textPart(refusal))
	}
	calls, _ := m.Get("tool_calls")
	for _, c := range written(calls).Elems {
		call := calledTool(c)
		if !slices.ContainsFunc(t.parts, func(p provider.Part) bool { // programs that keep the order have it twice
			return p.Kind == "call" && p.Call == call.Call && call.Call != ""
		}) {
			t.parts = append(t.parts, call)
		}
	}
	if name := textOf(m, "function_call_name"); name != "" {
		arguments, _ := m.Get("function_call_arguments_json")
		t.parts = append(t.parts, callPart("", name, arguments))
	}
	if t.role == "tool" {
		t.role = "user"
		isResult := func(p provider.Part) bool { return p.Kind == "result" }
		if id := textOf(m, "tool_call_id", "id"); !slices.ContainsFunc(t.parts, isResult) {
			content, _ := m.Get("content")
			if parts, is := m.Get("parts"); is {
				content = parts
			}
			if len(t.parts) == 1 && t.parts[0].Kind == "text" {
				content = t.parts[0].Content
			}
			t.parts = []provider.Part{resultPart(id, textOf(m, "name"), content, false)}
		}
	}
	return t
}

// textOf returns the first of some members that is a text with something in it.
func textOf(v canon.Any, names ...string) string {
	for _, name := range names {
		if text, _ := v.Get(name); text.Kind == canon.KindString && text.Text != "" {
			return text.Text
		}
	}
	return ""
}

// valueOf returns the first of some members that is there.
func valueOf(v canon.Any, names ...string) canon.Any {
	for _, name := range names {
		if value, is := v.Get(name); is && value.Kind != canon.KindNull {
			return value
		}
	}
	return canon.Any{}
}

// content reads what somebody said: a text, a part, or a list of both.
func (x *exchange) content(v canon.Any) (parts []provider.Part) {
	switch v.Kind {
	case canon.KindString:
		if v.Text != "" {
			parts = append(parts, textPart(v.Text))
		}
	case canon.KindArray:
		for _, e := range v.Elems {
			parts = append(parts, x.content(e)...)
		}
	case canon.KindObject:
		parts = append(parts, x.part(v))
	}
	return parts
}

// part reads a part of a message.
func (x *exchange) part(v canon.Any) provider.Part {
	whole := v
	if inside, is := v.Get("message_content"); is {
		v = inside
	}
	kind, text := textOf(v, "type", "kind"), valueOf(v, "content", "text", "thinking")
	modality := textOf(v, "modality", "mime_type", "mimeType")
	switch {
	case kind == "reasoning" || kind == "thinking" || valueOf(v, "thought").Text == string(canon.True):
		return x.thought(v, text)
	case (strings.HasSuffix(kind, "text") || kind == "") && text.Kind == canon.KindString && len(v.Members) <= 3:
		return textPart(text.Text)
	case kind == "tool_call" || kind == "tool_use" || kind == "function_call" || kind == "tool-call":
		return calledTool(whole)
	case kind == "tool_call_response" || kind == "tool_result" || kind == "function_call_output" || kind == "tool-result":
		failed := valueOf(v, "is_error", "isError")
		id := textOf(v, "id", "tool_call_id", "tool_use_id", "call_id", "toolCallId")
		return resultPart(id, textOf(v, "name", "toolName"), valueOf(v, "response", "result", "content", "output"), failed.Text == string(canon.True))
	case kind == "blob" && strings.HasPrefix(modality, "image") && text.Kind == canon.KindString:
		media := cmp.Or(textOf(v, "mime_type"), "image/png")
		return imagePart("data:" + media + ";base64," + text.Text)
	case kind == "uri" && strings.HasPrefix(modality, "image"):
		return imagePart(textOf(v, "uri"))
	case kind == "image_url" || kind == "image":
		for at, names := v, []string{"image_url", "image", "url"}; ; {
			inside := valueOf(at, names...)
			if inside.Kind == canon.KindString {
				return imagePart(inside.Text)
			}
			if inside.Kind != canon.KindObject {
				break
			}
			at = inside
		}
	}
	if call := valueOf(v, "functionCall", "function_call"); call.Kind == canon.KindObject {
		return callPart(textOf(call, "id"), textOf(call, "name"), valueOf(call, "args"))
	}
	if response := valueOf(v, "functionResponse", "function_response"); response.Kind == canon.KindObject {
		return resultPart(textOf(response, "id"), textOf(response, "name"), valueOf(response, "response"), false)
	}
	return otherPart(v)
}

// thought reads what a model thought; Anthropic wants it back with its signature.
func (x *exchange) thought(v, text canon.Any) provider.Part {
	if data := textOf(v, "data"); data != "" && x.api == provider.Messages {
		return thoughtPart(canon.Fields("type", "redacted_thinking", "data", data))
	}
	if signature := textOf(v, "signature"); signature != "" && x.api == provider.Messages {
		return thoughtPart(canon.Fields("type", "thinking", "thinking", text, "signature", signature))
	}
	if text.Kind != canon.KindString {
		return thoughtPart(v)
	}
	return thoughtPart(text)
}

// calledTool reads the call of a tool.
func calledTool(v canon.Any) provider.Part {
	if inside, is := v.Get("tool_call"); is {
		v = inside
	}
	id := textOf(v, "id", "tool_call_id", "call_id", "toolCallId")
	if function, is := v.Get("function"); is && function.Kind == canon.KindObject {
		v = function
	}
	return callPart(id, textOf(v, "name", "toolName"), valueOf(v, "arguments", "input", "args"))
}

// vercel reads the answer of a span of Vercel's AI SDK.
func (x *exchange) vercel(s *span) (parts []provider.Part) {
	parts = x.content(s.attributes["ai.response.text"])
	for _, c := range s.json("ai.response.toolCalls").Elems {
		parts = append(parts, calledTool(written(c)))
	}
	return parts
}
