package calllog

import (
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// langChainTypes maps LangChain's types of messages, and the names of their
// classes, to roles. The pieces of a streamed message have classes of their own.
var langChainTypes = map[string]string{
	"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool", "developer": "system",
	"HumanMessage": "user", "AIMessage": "assistant", "SystemMessage": "system", "ToolMessage": "tool",
	"FunctionMessage": "tool", "HumanMessageChunk": "user", "AIMessageChunk": "assistant", "ToolMessageChunk": "tool",
}

// langChainMessage returns the role and the fields of a message in one of the
// three forms that LangChain writes: dumpd (lc, id, kwargs), messages_to_dict
// (type, data), and the dump of the model itself (type, content). The role is
// "" if the value is no message.
func langChainMessage(r raw) (role string, message fields) {
	f := r.fields()
	switch {
	case f["lc"] != nil && f["kwargs"].kind() == canon.KindObject:
		path := f["id"].elems()
		if len(path) == 0 {
			return "", nil
		}
		return langChainTypes[path[len(path)-1].text()], f["kwargs"].fields()
	case f["data"].kind() == canon.KindObject && f["data"].fields()["content"] != nil:
		return langChainTypes[f["type"].text()], f["data"].fields()
	case f["role"] == nil && f["content"] != nil:
		return langChainTypes[f["type"].text()], f
	}
	return "", nil
}

// langChainList returns the messages of a value: a list, or the state of a graph
// that holds one.
func langChainList(r raw) []raw {
	if r.kind() == canon.KindArray {
		return r.elems()
	}
	f := r.fields()
	for _, name := range []string{"messages", "values", "channel_values", "kwargs"} {
		if v := f[name]; v.kind() == canon.KindArray || v.kind() == canon.KindObject && f["lc"] == nil {
			if list := langChainList(v); len(list) > 0 {
				return list
			}
		}
	}
	return nil
}

// isLangChain reports whether a value is a message of LangChain, or holds a list
// that begins with one.
func isLangChain(first raw) bool {
	role, _ := langChainMessage(first)
	if list := langChainList(first); role == "" && len(list) > 0 {
		role, _ = langChainMessage(list[0])
	}
	return role != ""
}

// readLangChain reads messages as LangChain and LangGraph write them.
func readLangChain(list []record, found *findings) []Session {
	s := spoken{api: provider.Chat, texts: found.texts}
	for _, e := range list {
		messages := []raw{e.raw()}
		if role, _ := langChainMessage(e.raw()); role == "" {
			if messages = langChainList(e.raw()); len(messages) == 0 {
				found.add(e.line, "it is no message of a known type, so it was left out")
			}
		}
		for _, m := range messages {
			role, f := langChainMessage(m)
			if role == "" {
				found.add(e.line, "it is no message of a known type, so it was left out")
				continue
			}
			s.langChain(role, f, e.line, found)
		}
	}
	return s.sessions()
}

// langChain adds a message.
func (s *spoken) langChain(role string, f fields, line int, found *findings) {
	t := turn{role: role, line: line, id: f.text("id")}
	switch role {
	case "tool":
		t.role = "user"
		t.parts = []provider.Part{resultPart(f.text("tool_call_id"), f.text("name"), f["content"].value(), f.text("status") == "error")}
	case "assistant":
		s.langChainAnswer(&t, f)
	default:
		t.parts = langChainParts(f["content"], nil)
	}
	if n := len(s.turns) - 1; n >= 0 && t.role == "assistant" && s.turns[n].role == "assistant" {
		last := &s.turns[n]
		if t.answer.Usage == (provider.Usage{}) || t.answer.ID != "" && t.answer.ID == last.answer.ID {
			found.note(line, partOfAnswer)
			last.parts = append(last.parts, t.parts...)
			return
		}
		found.note(line, "it follows an answer without a request between them, which no provider takes")
	}
	s.turns = append(s.turns, t)
}

// langChainAnswer reads a message of the model.
func (s *spoken) langChainAnswer(t *turn, f fields) {
	about := f["response_metadata"].fields()
	t.answer.Model, t.answer.Finish = about.text("model_name", "model"), about.text("finish_reason", "stop_reason", "done_reason")
	t.answer.ID = about.text("id")
	if about.text("model_provider") == "anthropic" || strings.HasPrefix(t.answer.Model, "claude") {
		s.api = provider.Messages
	}
	if s.model == "" {
		s.model = t.answer.Model
	}
	calls := map[string]bool{}
	var list []provider.Part
	for _, e := range append(f["tool_calls"].elems(), f["invalid_tool_calls"].elems()...) {
		c := e.fields()
		calls[c.text("id")] = true
		list = append(list, callPart(c.text("id"), c.text("name"), c["args"].value()))
	}
	if thought, _ := f["additional_kwargs"].fields().first("reasoning_content", "reasoning"); thought != nil {
		t.parts = append(t.parts, thoughtPart(thought.value()))
	}
	t.parts = append(append(t.parts, langChainParts(f["content"], calls)...), list...)
	t.answer.Usage = usage(f["usage_metadata"].fields(), "input_tokens", "output_tokens", "input_token_details.cache_read",
		"input_token_details.cache_creation", "output_token_details.reasoning")
}

// langChainParts reads a content. It leaves out the calls that stand in the
// list of calls too: Anthropic's answers have them twice.
func langChainParts(content raw, calls map[string]bool) (parts []provider.Part) {
	if text := content.text(); text != "" || content.kind() == canon.KindString {
		if text != "" {
			parts = append(parts, textPart(text))
		}
		return parts
	}
	for _, e := range content.elems() {
		f := e.fields()
		kind := f.text("type")
		switch {
		case e.kind() == canon.KindString:
			parts = append(parts, textPart(e.text()))
		case kind == "text" && len(f) == 2:
			parts = append(parts, textPart(f.text("text")))
		case (kind == "tool_use" || kind == "tool_call" || kind == "function_call") && calls[f.text("id", "call_id")]:
		case kind == "thinking" || kind == "redacted_thinking" || kind == "reasoning" || kind == "reasoning_content":
			parts = append(parts, thoughtPart(e.value()))
		case kind == "image" && f.text("url") != "":
			parts = append(parts, imagePart(f.text("url")))
		case kind == "image" && f.text("base64", "data") != "":
			parts = append(parts, imagePart("data:"+f.text("mime_type")+";base64,"+f.text("base64", "data")))
		case kind == "image_url" && f["image_url"].fields().text("url") != "":
			parts = append(parts, imagePart(f["image_url"].fields().text("url")))
		default:
			parts = append(parts, otherPart(e.value()))
		}
	}
	return parts
}
