package calllog

import (
	"cmp"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// isUIMessage reports whether a value is a UIMessage of Vercel's AI SDK: a role, and parts that each name
// their type.
func isUIMessage(r raw) bool {
	f := r.fields()
	switch f.text("role") {
	case "user", "assistant", "system":
	default:
		return false
	}
	list := f["parts"].elems()
	return len(list) > 0 && list[0].fields().text("type") != ""
}

// chatsOf returns the chats that a value holds: programs keep a list of messages, or objects that hold
// one, as useChat sends them. A message by itself is a chat without a name.
func chatsOf(r raw) (name string, messages []raw) {
	f := r.fields()
	if list := f["messages"].elems(); len(list) > 0 && isUIMessage(list[0]) {
		return f.text("id", "chatId"), list
	}
	if isUIMessage(r) {
		return "", []raw{r}
	}
	return "", nil
}

// isUIMessages reports whether a value is a UIMessage, a chat, or a list that begins with one.
func isUIMessages(first raw) bool {
	list := listOf(first)
	if len(list) == 0 {
		return false
	}
	_, messages := chatsOf(list[0])
	return len(messages) > 0
}

// readUIMessages reads what the AI SDK shows to a user and keeps. Each step of an answer was a call of
// the model; the results of its tools stand in the parts of the calls.
func readUIMessages(list []entry, found *findings) (sessions []Session) {
	var chats []*spoken
	var names []string
	byName := map[string]*spoken{}
	for _, e := range list {
		name, messages := chatsOf(e.raw)
		if len(messages) == 0 {
			found.add(e.line, "it is no message with parts, so it was left out")
			continue
		}
		s := byName[name]
		if s == nil {
			s = &spoken{api: provider.Chat}
			byName[name], chats, names = s, append(chats, s), append(names, name)
		}
		for _, m := range messages {
			if !isUIMessage(m) {
				found.add(e.line, "it is no message with parts, so it was left out")
				continue
			}
			s.uiMessage(m.fields(), e.line, found)
		}
	}
	for i, s := range chats {
		if len(s.turns) == 0 {
			continue
		}
		made := s.session()
		if len(chats) > 1 {
			made.Name = cmp.Or(names[i], "chat")
		}
		sessions = append(sessions, made)
	}
	return sessions
}

// uiMessage adds the turns of a message.
func (s *spoken) uiMessage(f fields, line int, found *findings) {
	about := f["metadata"].fields()
	at := timeOf(f["createdAt"].value())
	if at == 0 {
		at = timeOf(about["createdAt"].value())
	}
	said := turn{role: f.text("role"), line: line, at: at, id: f.text("id"),
		answer: provider.Answer{Model: about.text("model", "modelId")}}
	if s.model == "" {
		s.model = said.answer.Model
	}
	first := len(s.turns)
	results := turn{role: "user", line: line, at: at}
	step := said
	end := func() {
		for _, t := range []turn{step, results} {
			if len(t.parts) > 0 {
				s.turns = append(s.turns, t)
			}
		}
		step.parts, results.parts = nil, nil
	}
	for _, e := range f["parts"].elems() {
		p := e.fields()
		kind := p.text("type")
		if kind == "step-start" {
			end()
			continue
		}
		part, result, known := uiPart(kind, p)
		if !known {
			found.add(line, "a part of the type "+kind+" was left out: it is shown to the user and not sent")
			continue
		}
		step.parts = append(step.parts, part...)
		results.parts = append(results.parts, result...)
	}
	for _, e := range f["experimental_attachments"].elems() {
		step.parts = append(step.parts, uiFile(e.fields()))
	}
	end()
	if counted := about["usage"].fields(); said.role == "assistant" && len(s.turns) > first && counted != nil {
		t := &s.turns[first]
		if len(s.turns) == first+1 || s.turns[len(s.turns)-1].role == "user" && len(s.turns) == first+2 {
			t.answer.Usage = usage(counted, "inputTokens promptTokens", "outputTokens completionTokens", "cachedInputTokens", "",
				"reasoningTokens")
		} else {
			t.attrs = map[string]canon.Any{"usage": about["usage"].value()} // of all steps together
		}
	}
}

// uiPart reads a part. known is false for one that the SDK does not send to a model.
func uiPart(kind string, p fields) (parts, results []provider.Part, known bool) {
	tool, isTool := strings.CutPrefix(kind, "tool-")
	switch {
	case kind == "text":
		return []provider.Part{textPart(p.text("text"))}, nil, true
	case kind == "reasoning":
		return []provider.Part{thoughtPart(canon.Text(p.text("text", "reasoning")))}, nil, true
	case kind == "file":
		return []provider.Part{uiFile(p)}, nil, true
	case kind == "tool-invocation": // up to version 4
		p = p["toolInvocation"].fields()
		parts, results = uiCall(p.text("toolName"), p)
	case isTool:
		parts, results = uiCall(tool, p)
	case kind == "dynamic-tool":
		parts, results = uiCall(p.text("toolName"), p)
	default:
		return nil, nil, false
	}
	return parts, results, true
}

// uiCall reads a call of a tool, and its result if it has one.
func uiCall(name string, p fields) (call, result []provider.Part) {
	state := p.text("state")
	if state == "input-streaming" || state == "partial-call" {
		return nil, nil // the model was still writing it, so no request has it
	}
	id := p.text("toolCallId")
	arguments, _ := p.first("input", "args", "rawInput")
	call = []provider.Part{callPart(id, name, arguments.value())}
	answered := resultPart(id, name, canon.Any{}, false)
	switch state {
	case "output-available", "result":
		output := p["output"]
		if output == nil {
			output = p["result"]
		}
		answered.Content = output.value()
	case "output-error":
		answered.Content, answered.Failed = canon.Text(p.text("errorText")), true
	case "output-denied":
		why := cmp.Or(p["approval"].fields().text("reason"), "Tool execution denied.")
		answered.Content, answered.Failed = canon.Text(why), true
	default:
		return call, nil
	}
	return call, []provider.Part{answered}
}

// uiFile reads a file that the user attached or the model made.
func uiFile(p fields) provider.Part {
	url, kind := p.text("url", "data"), p.text("mediaType", "mimeType", "contentType")
	if kind != "" && p.text("url") == "" {
		url = "data:" + kind + ";base64," + url
	}
	if strings.HasPrefix(kind, "image/") {
		return imagePart(url)
	}
	return otherPart(canon.Fields("type", "file", "file", canon.Fields("filename", p.text("filename", "name"), "file_data", url)))
}
