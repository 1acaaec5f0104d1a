package provider

import (
	"slices"
	"strconv"
	"strings"
	"unique"

	"github.com/contexttree/pact/internal/canon"
)

// cacheMarkers are the members with which a client marks the end of a cached
// prefix, for Anthropic and for OpenAI. They move from call to call and are not
// content.
var cacheMarkers = []string{"cache_control", "prompt_cache_breakpoint"}

// resultMembers are the members that Anthropic's API knows in a result.
var resultMembers = []string{"type", "tool_use_id", "content", "is_error"}

// markerOf returns the cache marker of a part or a definition, absent if it has none.
func markerOf(object canon.Any) canon.Any {
	for _, name := range cacheMarkers {
		if marker, ok := object.Get(name); ok && marker.Kind != canon.KindNull {
			return marker
		}
	}
	return canon.Any{}
}

// roles maps the providers' words to the roles of 01 §2.
var roles = map[string]string{
	"user": "user", "assistant": "assistant", "tool": "tool", "system": "system",
	"developer": "system", "model": "assistant", "function": "tool",
}

func roleOf(word string) string {
	if role := roles[word]; role != "" {
		return role
	}
	return "other"
}

// kindOf returns the kind of block for a type of part or item.
func kindOf(word string) string {
	switch {
	case word == "input_text" || word == "output_text":
		return "text"
	case word == "image_url" || word == "input_image":
		return "image"
	case word == "redacted_thinking" || word == "reasoning":
		return "thinking"
	case strings.HasSuffix(word, "tool_use") || strings.HasSuffix(word, "_call"):
		return "call"
	case strings.HasSuffix(word, "tool_result") || strings.HasSuffix(word, "_call_output"):
		return "result"
	}
	return KindOrPart(word)
}

// KindOrPart returns the word if it can serve as a kind, else "part".
func KindOrPart(word string) string {
	const longest = 64
	for i := 0; i < len(word); i++ {
		letter := 'a' <= word[i]|0x20 && word[i]|0x20 <= 'z'
		if !letter && (i == 0 || word[i] != '_' && word[i] != '-' && (word[i] < '0' || word[i] > '9')) {
			return "part"
		}
	}
	if word == "" || len(word) > longest {
		return "part"
	}
	return unique.Make(word).Value() // the word may be a part of a long body, which a block would hold in memory
}

// content reads the content of a message: a text, or a list of parts.
func (c *partReader) content(v canon.Any) canon.Any {
	switch v.Kind {
	case canon.KindString:
		return c.cut(Part{Kind: "text", Content: v})
	case canon.KindArray:
		return each(v, func(_ int, e canon.Any) canon.Any { return c.part(e) })
	case canon.KindNull:
		return v
	}
	return c.cut(Part{Kind: "part", Content: v})
}

// part reads one part of a list in the form of OpenAI and Anthropic.
func (c *partReader) part(v canon.Any) canon.Any {
	word := text(v, "type")
	kind := kindOf(word)
	switch {
	case v.Kind == canon.KindString:
		return c.cut(Part{Kind: "text", Content: v})
	case kind == "text" && plainText(v):
		return walk(v, func(name string, value canon.Any) canon.Any {
			if name == "text" {
				return c.cut(Part{Kind: "text", Content: value, Marker: markerOf(v)})
			}
			return Escaped(value)
		})
	case kind == "result" && hasOnlyMembers(v, slices.Concat(cacheMarkers, resultMembers)...):
		return c.result(v, "content", text(v, "tool_use_id"))
	}
	p := Part{Kind: kind, Marker: markerOf(v)}
	switch kind {
	case "call":
		p.Call, p.Name = text(v, "id"), text(v, "name")
	case "result":
		p.Role, p.Call = "tool", text(v, "tool_use_id")
	}
	var lost []canon.Any
	p.Content, lost = separate(v, nil, cacheMarkers...)
	return c.cut(p, lost...)
}

// plainText reports whether a part has nothing but a text.
func plainText(v canon.Any) bool {
	for _, m := range v.Members {
		if m.Name != "type" && m.Name != "text" && !slices.Contains(cacheMarkers, m.Name) && !emptyOrNull(m.Value) {
			return false
		}
	}
	said, _ := v.Get("text")
	return said.Kind == canon.KindString
}

func emptyOrNull(v canon.Any) bool {
	return v.Kind == canon.KindNull || v.Kind == canon.KindArray && len(v.Elems) == 0
}

// hasOnlyMembers reports whether an object has no members other than these.
func hasOnlyMembers(object canon.Any, names ...string) bool {
	for _, m := range object.Members {
		if !slices.Contains(names, m.Name) {
			return false
		}
	}
	return true
}

// result reads the result of a call from a field of an object. It turns a list
// of one text into that text; if the object lacks the field, the object itself
// is the result.
func (c *partReader) result(v canon.Any, field, call string) canon.Any {
	failed, _ := v.Get("is_error")
	p := Part{Kind: "result", Role: "tool", Call: call, Failed: failed.Text == string(canon.True), Marker: markerOf(v)}
	if _, ok := v.Get(field); !ok {
		var lost []canon.Any
		p.Content, lost = separate(v, nil, slices.Concat(cacheMarkers, []string{"id", "status"})...)
		return c.cut(p, lost...)
	}
	return walk(v, func(name string, value canon.Any) canon.Any {
		if name != field {
			return Escaped(value)
		}
		return c.resultContent(p, value)
	})
}

func (c *partReader) resultContent(p Part, value canon.Any) canon.Any {
	if value.Kind == canon.KindArray && len(value.Elems) == 1 && plainText(value.Elems[0]) &&
		kindOf(text(value.Elems[0], "type")) == "text" {
		return each(value, func(_ int, e canon.Any) canon.Any {
			return walk(e, func(name string, m canon.Any) canon.Any {
				if name != "text" {
					return Escaped(m)
				}
				p.Content = m
				if p.Marker.Kind == canon.KindAbsent {
					p.Marker = markerOf(e)
				}
				return c.cut(p)
			})
		})
	}
	var lost []canon.Any
	p.Content, lost = withoutMarkers(value)
	for i := 0; i < len(value.Elems) && p.Marker.Kind == canon.KindAbsent; i++ {
		p.Marker = markerOf(value.Elems[i])
	}
	return c.cut(p, lost...)
}

// withoutMarkers removes the cache markers from a list of parts.
func withoutMarkers(list canon.Any) (canon.Any, []canon.Any) {
	if list.Kind != canon.KindArray {
		return list, nil
	}
	elems := slices.Clone(list.Elems)
	var all []canon.Any
	for i, e := range elems {
		at := canon.Any{Kind: canon.KindNumber, Text: strconv.Itoa(i)}
		kept, lost := separate(e, []canon.Any{at}, cacheMarkers...)
		elems[i], all = kept, append(all, lost...)
	}
	return canon.ArrayOf(elems...), all
}

// toolList reads a list of definitions.
func toolList(c *partReader, v canon.Any) canon.Any {
	c.section = Tools
	if v.Kind != canon.KindArray {
		return Escaped(v)
	}
	return each(v, func(_ int, e canon.Any) canon.Any { return c.tool(e) })
}

func (c *partReader) tool(v canon.Any) canon.Any {
	p := Part{Kind: "tool", Name: text(v, "name"), Marker: markerOf(v)}
	if function, ok := v.Get("function"); ok && p.Name == "" {
		p.Name = text(function, "name")
	}
	var lost []canon.Any
	p.Content, lost = separate(v, nil, cacheMarkers...)
	return c.cut(p, lost...)
}

// systemPrompt reads a system prompt that has a field of its own.
func systemPrompt(c *partReader, v canon.Any) canon.Any {
	c.section, c.role = System, "system"
	return c.content(v)
}
