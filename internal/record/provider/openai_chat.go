package provider

import (
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// chat is OpenAI chat completions.
var chat = &entry{
	api: Chat, form: "openai", path: fixedPath("/v1/chat/completions"),
	serves:    func(path string) bool { return strings.HasSuffix(path, "/chat/completions") },
	parts:     []field{{"tools", toolList}, {"functions", toolList}, {"messages", chatMessages}},
	said:      func(c *partReader, answer canon.Any) { chatMessages(c, canon.ArrayOf(answer)) },
	writer:    chatWriter{},
	newAnswer: func() answerReader { return &chatAnswer{} },
	body:      chatBody,
	ending: ending{data: "[DONE]", list: "choices", member: "finish_reason",
		source: "https://developers.openai.com/api/reference/resources/chat/subresources/completions"},
	cache: chatCache,
}

func chatMessages(c *partReader, v canon.Any) canon.Any {
	return c.list(v, func(i int, v canon.Any) canon.Any {
		if v.Kind != canon.KindObject {
			return c.unknown(i, v)
		}
		c.beginMessage(i, text(v, "role"))
		return walk(v, func(name string, value canon.Any) canon.Any { return c.chatField(v, name, value) })
	})
}

func (c *partReader) chatField(message canon.Any, name string, value canon.Any) canon.Any {
	switch {
	case name == "role" || name == "tool_call_id" || slices.Contains(cacheMarkers, name),
		c.role == "tool" && name == answeredIDs,
		c.role == "tool" && (name == "name" || name == "is_error"), emptyOrNull(value) && (name != "content" || c.role != "tool"):
		return Escaped(value)
	case name == "content" && c.role == "tool": // also that of a tool which gave nothing: it answers its call
		failed, _ := message.Get("is_error") // not of the API, but some clients and imported logs have it
		return c.resultContent(Part{Kind: "result", Call: chatAnswered(message), Name: text(message, "name"),
			Failed: failed.Text == string(canon.True)}, value)
	case name == "content":
		return c.content(value)
	case name == "tool_calls" && value.Kind == canon.KindArray:
		return each(value, func(_ int, call canon.Any) canon.Any { return c.chatCall(call) })
	case name == "function_call":
		return c.cut(Part{Kind: "call", Content: value, Name: text(value, "name")})
	case name == "reasoning_content" || name == "reasoning" || name == "reasoning_details":
		return c.cut(Part{Kind: "thinking", Content: value})
	}
	return c.cut(Part{Kind: KindOrPart(name), Content: value})
}

// answeredIDs is the member in which the logs of SWE-agent name the calls that a result answers.
const answeredIDs = "tool_call_ids"

// chatAnswered returns the id of the call that a message of a tool answers, "" if it has none.
func chatAnswered(message canon.Any) string {
	if id := text(message, "tool_call_id"); id != "" {
		return id
	}
	ids, _ := message.Get(answeredIDs)
	for _, id := range ids.Elems {
		if id.Kind == canon.KindString {
			return id.Text
		}
	}
	return ""
}

func (c *partReader) chatCall(call canon.Any) canon.Any {
	function, ok := call.Get("function")
	if !ok {
		custom, _ := call.Get("custom")
		return c.cut(Part{Kind: "call", Content: call, Call: text(call, "id"), Name: text(custom, "name")})
	}
	return walk(call, func(name string, value canon.Any) canon.Any {
		if name != "function" {
			return Escaped(value)
		}
		return c.cut(Part{Kind: "call", Content: value, Call: text(call, "id"), Name: text(function, "name")})
	})
}

type chatWriter struct{ commonWriter }

func (chatWriter) tool(name string, description, schema canon.Any) canon.Any {
	return canon.Fields("type", "function",
		"function", canon.Fields("name", name, "description", description, "parameters", schema))
}

func (chatWriter) own(w *renderer, p *Part) bool {
	if p.Kind == "thinking" {
		return false // the API has it as a field of the message, where this message has none
	}
	return commonWriter{}.own(w, p)
}

func (chatWriter) image(kind, data, address string) canon.Any {
	return canon.Fields("type", "image_url", "image_url", canon.Fields("url", addressOf(kind, data, address)))
}

func (chatWriter) call(w *renderer, p *Part, id string, arguments canon.Any, _ bool) {
	if w.role != "assistant" {
		w.endMessage()
		w.role = "assistant"
	}
	w.calls = append(w.calls, canon.Fields("id", id, "type", "function",
		"function", canon.Fields("name", p.Name, "arguments", string(arguments.Value()))))
}

func (chatWriter) result(w *renderer, _ *Part, id string, value canon.Any, _ bool) {
	w.endMessage()
	w.said = append(w.said, canon.Fields("role", "tool", "tool_call_id", canon.Text(id), "content", value))
}

func (chatWriter) request(tools, system, said []canon.Any) canon.Any {
	return canon.Fields("tools", listOrNone(tools), "messages", ledBySystem(system, said))
}
