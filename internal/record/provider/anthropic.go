package provider

import (
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// anthropic is Anthropic's messages.
var anthropic = &entry{
	api: Messages, form: "anthropic", path: fixedPath("/v1/messages"),
	serves: func(path string) bool { // the messages of threads belong to OpenAI's assistants
		return strings.HasSuffix(path, "/messages") && !strings.Contains(path, "/threads/")
	},
	parts: []field{{"tools", toolList}, {"system", systemPrompt}, {"messages", anthropicMessages}},
	said: func(c *partReader, answer canon.Any) {
		c.role = "assistant"
		c.content(answer)
	},
	writer:    anthropicWriter{},
	newAnswer: func() answerReader { return &anthropicAnswer{} },
	body:      anthropicBody,
	ending: ending{types: []string{"message_stop"},
		source: "https://platform.claude.com/docs/en/build-with-claude/streaming"},
	edits: []string{"context_management"},
	cache: anthropicCache, asks: asksAnthropic, clears: anthropicClears,
}

func anthropicMessages(c *partReader, v canon.Any) canon.Any {
	c.section = Conversation // this API allows system messages among the others
	return c.list(v, func(i int, v canon.Any) canon.Any {
		if v.Kind != canon.KindObject {
			return c.unknown(i, v)
		}
		return c.messageWithContent(i, text(v, "role"), v)
	})
}

type anthropicWriter struct{ commonWriter }

func (anthropicWriter) tool(name string, description, schema canon.Any) canon.Any {
	if schema.Kind == canon.KindAbsent {
		schema = canon.Fields("type", "object")
	}
	return canon.Fields("name", name, "description", description, "input_schema", schema)
}

func (anthropicWriter) image(kind, data, address string) canon.Any {
	if data == "" {
		return canon.Fields("type", "image", "source", canon.Fields("type", "url", "url", address))
	}
	return canon.Fields("type", "image", "source",
		canon.Fields("type", "base64", "media_type", canon.Text(kind), "data", data))
}

func (anthropicWriter) imageOf(v canon.Any) (kind, data, address string) {
	source, _ := v.Get("source")
	return text(source, "media_type"), text(source, "data"), text(source, "url")
}

// acceptsID reports whether an id has only what Anthropic allows in the id of a call.
func (anthropicWriter) acceptsID(id string) bool {
	return strings.IndexFunc(id, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	}) < 0
}

func (anthropicWriter) call(w *renderer, p *Part, id string, arguments canon.Any, own bool) {
	if !own {
		arguments = inObject(arguments)
	}
	w.addPart("assistant", canon.Fields("type", "tool_use", "id", id, "name", p.Name, "input", arguments))
}

func (anthropicWriter) argumentsOf(call canon.Any) canon.Any { return get(call, "input") }

func (anthropicWriter) result(w *renderer, p *Part, id string, value canon.Any, _ bool) {
	var failed canon.Any
	if p.Failed {
		failed = canon.Any{Kind: canon.KindBool, Text: string(canon.True)}
	}
	w.addPart("user", canon.Fields("type", "tool_result", "tool_use_id", canon.Text(id), "content", value, "is_error", failed))
}

func (anthropicWriter) request(tools, system, said []canon.Any) canon.Any {
	var texts []canon.Any
	for _, s := range system {
		texts = append(texts, canon.Fields("type", "text", "text", s))
	}
	return canon.Fields("tools", listOrNone(tools), "system", listOrNone(texts), "messages", canon.ArrayOf(said...))
}
