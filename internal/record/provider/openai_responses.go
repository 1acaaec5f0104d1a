package provider

import (
	"cmp"
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// responses is OpenAI Responses.
var responses = &entry{
	api: Responses, form: "responses", path: fixedPath("/v1/responses"),
	serves:    func(path string) bool { return strings.HasSuffix(path, "/responses") || Compacts(path) },
	parts:     []field{{"tools", toolList}, {"instructions", systemPrompt}, {"input", responsesItems}},
	said:      func(c *partReader, answer canon.Any) { responsesItems(c, answer) },
	writer:    responsesWriter{},
	newAnswer: func() answerReader { return &responsesAnswer{} },
	body:      responsesBody,
	ending: ending{types: []string{"response.completed", "response.incomplete", "response.failed"},
		source: "https://developers.openai.com/api/reference/resources/responses/streaming-events"},
	stored: []string{"previous_response_id", "conversation", "prompt"},
	edits:  []string{"context_management", "truncation"},
	cache:  responsesCache, asks: asksResponses,
}

// Compacts reports whether a request to a path has OpenAI compact a conversation: the body is that of a call, the answer
// what the client goes on with (https://developers.openai.com/api/reference/resources/responses).
func Compacts(path string) bool {
	return strings.HasSuffix(strings.TrimSuffix(path, "/"), "/responses/compact")
}

// responsesItems reads the input: a text, or a list of items.
func responsesItems(c *partReader, v canon.Any) canon.Any {
	if v.Kind == canon.KindString {
		c.beginMessage(0, "user")
		return c.cut(Part{Kind: "text", Content: v})
	}
	return c.list(v, c.item)
}

func (c *partReader) item(i int, v canon.Any) canon.Any {
	word := text(v, "type")
	if role := text(v, "role"); role != "" && (word == "message" || word == "") {
		return c.messageWithContent(i, role, v)
	}
	if v.Kind != canon.KindObject || word == "" {
		return c.unknown(i, v)
	}
	c.beginMessage(i, "assistant")
	p := Part{Kind: kindOf(word), Name: text(v, "name")}
	switch {
	case p.Kind == "result" && hasOnlyMembers(v, "type", "call_id", "output", "id", "status"):
		return c.result(v, "output", text(v, "call_id"))
	case p.Kind == "result":
		p.Role, p.Call = "tool", text(v, "call_id")
	case p.Kind == "call":
		p.Call = text(v, "call_id", "id")
	case word == "item_reference":
		return c.cut(Part{Kind: "reference", Content: v})
	}
	// The provider sets ids and statuses; a client may send them back or not.
	var lost []canon.Any
	p.Content, lost = separate(v, nil, "id", "status")
	return c.cut(p, lost...)
}

type responsesWriter struct{ commonWriter }

func (responsesWriter) tool(name string, description, schema canon.Any) canon.Any {
	return canon.Fields("type", "function", "name", name, "description", description, "parameters", schema)
}

func (responsesWriter) text(role, said string) canon.Any {
	if role == "assistant" {
		return canon.Fields("type", "output_text", "text", canon.Text(said))
	}
	return canon.Fields("type", "input_text", "text", canon.Text(said))
}

func (responsesWriter) own(w *renderer, p *Part) bool {
	if text(p.Content, "type") == "" || p.Kind != "thinking" && p.Kind != "reference" {
		return commonWriter{}.own(w, p)
	}
	w.endMessage()
	w.said = append(w.said, p.Content)
	return true
}

func (responsesWriter) image(kind, data, address string) canon.Any {
	return canon.Fields("type", "input_image", "image_url", addressOf(kind, data, address))
}

func (responsesWriter) call(w *renderer, p *Part, id string, arguments canon.Any, own bool) {
	w.endMessage()
	if kind := text(p.Content, "type"); own && kind != "" && text(p.Content, "call_id") == id { // also a tool that takes a text
		w.kinds[id] = kind
		w.said = append(w.said, p.Content)
		return
	}
	w.said = append(w.said, canon.Fields("type", "function_call", "call_id", id, "name", p.Name,
		"arguments", string(arguments.Value())))
}

func (responsesWriter) result(w *renderer, p *Part, id string, value canon.Any, own bool) {
	w.endMessage()
	if own && strings.HasSuffix(text(p.Content, "type"), "_output") { // an item with more than a content
		w.said = append(w.said, p.Content)
		return
	}
	kind := cmp.Or(w.kinds[id], "function_call") + "_output"
	w.said = append(w.said, canon.Fields("type", kind, "call_id", canon.Text(id), "output", value))
}

func (responsesWriter) request(tools, system, said []canon.Any) canon.Any {
	return canon.Fields("tools", listOrNone(tools), "input", ledBySystem(system, said))
}
