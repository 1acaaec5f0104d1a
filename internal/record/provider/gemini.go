package provider

import (
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// gemini is Gemini's generateContent.
var gemini = &entry{
	api: Gemini, form: "gemini",
	path: func(model string) string {
		if model == "" {
			model = "unknown"
		}
		return "/v1beta/models/" + strings.TrimPrefix(model, "models/") + ":generateContent"
	},
	serves: func(path string) bool {
		return strings.HasSuffix(path, ":generateContent") || strings.HasSuffix(path, ":streamGenerateContent")
	},
	parts: []field{{"tools", geminiTools}, {"systemInstruction", geminiSystem}, {"system_instruction", geminiSystem},
		{"contents", geminiContents}},
	said:      func(c *partReader, answer canon.Any) { geminiContents(c, canon.ArrayOf(answer)) },
	writer:    geminiWriter{},
	newAnswer: func() answerReader { return &geminiAnswer{} },
	body:      geminiBody,
	ending: ending{list: "candidates", member: "finishReason", blocked: []string{"promptFeedback", "blockReason"},
		source: "https://ai.google.dev/api/generate-content"},
	stored: []string{"cachedContent", "cached_content"},
	cache:  geminiCache,
}

// geminiTools reads the tools; each may hold several declarations.
func geminiTools(c *partReader, v canon.Any) canon.Any {
	c.section = Tools
	if v.Kind != canon.KindArray {
		return Escaped(v)
	}
	return each(v, func(_ int, e canon.Any) canon.Any {
		list, ok := memberOf(e, "functionDeclarations", "function_declarations")
		if !ok || list.Kind != canon.KindArray || len(list.Elems) == 0 {
			return c.tool(e)
		}
		return walk(e, func(name string, value canon.Any) canon.Any {
			if name == "functionDeclarations" || name == "function_declarations" {
				return toolList(c, value)
			}
			return c.cut(Part{Kind: "tool", Name: name, Content: value})
		})
	})
}

func geminiSystem(c *partReader, v canon.Any) canon.Any {
	c.section, c.role = System, "system"
	return c.geminiContent(v)
}

func geminiContents(c *partReader, v canon.Any) canon.Any {
	return c.list(v, func(i int, v canon.Any) canon.Any {
		role := text(v, "role")
		if role == "" {
			role = "user" // the API assumes this role if a content has none
		}
		c.beginMessage(i, role)
		return c.geminiContent(v)
	})
}

// geminiContent reads one content: a role and its parts.
func (c *partReader) geminiContent(v canon.Any) canon.Any {
	if v.Kind != canon.KindObject {
		return c.content(v)
	}
	return walk(v, func(name string, value canon.Any) canon.Any {
		switch {
		case name != "parts":
			return Escaped(value)
		case value.Kind != canon.KindArray:
			return c.geminiPart(value)
		}
		return each(value, func(_ int, e canon.Any) canon.Any { return c.geminiPart(e) })
	})
}

func (c *partReader) geminiPart(v canon.Any) canon.Any {
	if said, ok := v.Get("text"); ok && said.Kind == canon.KindString && len(v.Members) == 1 {
		return walk(v, func(_ string, value canon.Any) canon.Any { return c.cut(Part{Kind: "text", Content: value}) })
	}
	p := Part{Kind: "part", Content: v}
	thought, _ := v.Get("thought")
	if call, ok := memberOf(v, "functionCall", "function_call"); ok {
		p.Kind, p.Call, p.Name = "call", text(call, "id"), text(call, "name")
	} else if response, ok := memberOf(v, "functionResponse", "function_response"); ok {
		p.Kind, p.Role, p.Call, p.Name = "result", "tool", text(response, "id"), text(response, "name")
		p.Failed = geminiFailed(get(response, "response"))
	} else if data, ok := memberOf(v, "inlineData", "inline_data", "fileData", "file_data"); ok {
		p.Kind = "file"
		if strings.HasPrefix(text(data, "mimeType", "mime_type"), "image/") {
			p.Kind = "image"
		}
	} else if thought.Text == string(canon.True) {
		p.Kind = "thinking"
	} else if _, ok := v.Get("text"); ok {
		p.Kind = "text"
	}
	return c.cut(p)
}

// geminiFailed reports whether a function failed: the API keeps error for the details of that, and output for what a
// function gave.
func geminiFailed(response canon.Any) bool {
	problem, says := response.Get("error")
	_, gave := response.Get("output")
	return says && !gave && problem.Kind != canon.KindNull && problem.Text != string(canon.False)
}

type geminiWriter struct{ commonWriter }

func (geminiWriter) tool(name string, description, schema canon.Any) canon.Any {
	return canon.Fields("name", name, "description", description, "parametersJsonSchema", schema)
}

func (geminiWriter) text(_, said string) canon.Any { return canon.Fields("text", canon.Text(said)) }

func (geminiWriter) image(kind, data, address string) canon.Any {
	if data == "" {
		return canon.Fields("fileData", canon.Fields("fileUri", address))
	}
	return canon.Fields("inlineData", canon.Fields("mimeType", canon.Text(kind), "data", data))
}

func (geminiWriter) imageOf(v canon.Any) (kind, data, address string) {
	bytes, _ := memberOf(v, "inlineData", "inline_data")
	file, _ := memberOf(v, "fileData", "file_data")
	return text(bytes, "mimeType", "mime_type"), text(bytes, "data"), text(file, "fileUri", "file_uri")
}

func (geminiWriter) call(w *renderer, p *Part, id string, arguments canon.Any, own bool) {
	if own {
		w.addPart("assistant", p.Content)
		return
	}
	w.addPart("assistant", canon.Fields("functionCall", canon.Fields("id", id, "name", p.Name, "args", inObject(arguments))))
}

func (geminiWriter) argumentsOf(call canon.Any) canon.Any {
	function, _ := memberOf(call, "functionCall", "function_call")
	return get(function, "args")
}

func (geminiWriter) result(w *renderer, p *Part, id string, value canon.Any, own bool) {
	if own {
		w.addPart("user", p.Content)
		return
	}
	w.addPart("user", canon.Fields("functionResponse",
		canon.Fields("id", canon.Text(id), "name", canon.Text(w.names[id]), "response", canon.Fields("output", value))))
}

func (geminiWriter) resultOf(content canon.Any) canon.Any {
	response, _ := memberOf(content, "functionResponse", "function_response")
	return get(response, "response")
}

func (geminiWriter) message(role string, parts, _ canon.Any) canon.Any {
	if role == "assistant" {
		return canon.Fields("role", "model", "parts", parts)
	}
	return canon.Fields("role", "user", "parts", parts)
}

func (geminiWriter) request(tools, system, said []canon.Any) canon.Any {
	if tools != nil {
		tools = []canon.Any{canon.Fields("functionDeclarations", canon.ArrayOf(tools...))}
	}
	var instruction canon.Any
	var texts []canon.Any
	for _, s := range system {
		texts = append(texts, canon.Fields("text", s))
	}
	if texts != nil {
		instruction = canon.Fields("parts", canon.ArrayOf(texts...))
	}
	return canon.Fields("tools", listOrNone(tools), "systemInstruction", instruction, "contents", canon.ArrayOf(said...))
}
