package api

import (
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// member returns a member of an object under any of its names: Gemini accepts
// camelCase and snake_case.
func member(object canon.Any, names ...string) (canon.Any, bool) {
	for _, name := range names {
		if v, ok := object.Get(name); ok {
			return v, true
		}
	}
	return canon.Any{}, false
}

// geminiTools reads the tools; each may hold several declarations.
func geminiTools(c *cutter, v canon.Any) canon.Any {
	c.section = Tools
	if v.Kind != canon.KindArray {
		return escaped(v)
	}
	return each(v, func(_ int, e canon.Any) canon.Any {
		list, ok := member(e, "functionDeclarations", "function_declarations")
		if !ok || list.Kind != canon.KindArray || len(list.Elems) == 0 {
			return c.tool(e)
		}
		return walk(e, func(name string, value canon.Any) canon.Any {
			if name == "functionDeclarations" || name == "function_declarations" {
				return tools(c, value)
			}
			return c.cut(Part{Kind: "tool", Name: name, Content: value})
		})
	})
}

func geminiSystem(c *cutter, v canon.Any) canon.Any {
	c.section, c.role = System, "system"
	return c.geminiContent(v)
}

func geminiContents(c *cutter, v canon.Any) canon.Any {
	return c.list(v, func(i int, v canon.Any) canon.Any {
		role := text(v, "role")
		if role == "" {
			role = "user" // the API assumes this role if a content has none
		}
		c.begin(i, role)
		return c.geminiContent(v)
	})
}

// geminiContent reads one content: a role and its parts.
func (c *cutter) geminiContent(v canon.Any) canon.Any {
	if v.Kind != canon.KindObject {
		return c.content(v)
	}
	return walk(v, func(name string, value canon.Any) canon.Any {
		switch {
		case name != "parts":
			return escaped(value)
		case value.Kind != canon.KindArray:
			return c.geminiPart(value)
		}
		return each(value, func(_ int, e canon.Any) canon.Any { return c.geminiPart(e) })
	})
}

func (c *cutter) geminiPart(v canon.Any) canon.Any {
	if said, ok := v.Get("text"); ok && said.Kind == canon.KindString && len(v.Members) == 1 {
		return walk(v, func(_ string, value canon.Any) canon.Any { return c.cut(Part{Kind: "text", Content: value}) })
	}
	p := Part{Kind: "part", Content: v}
	thought, _ := v.Get("thought")
	if call, ok := member(v, "functionCall", "function_call"); ok {
		p.Kind, p.Call, p.Name = "call", text(call, "id"), text(call, "name")
	} else if response, ok := member(v, "functionResponse", "function_response"); ok {
		p.Kind, p.Role, p.Call, p.Name = "result", "tool", text(response, "id"), text(response, "name")
	} else if data, ok := member(v, "inlineData", "inline_data", "fileData", "file_data"); ok {
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
