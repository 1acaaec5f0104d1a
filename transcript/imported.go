package transcript

import "github.com/contexttree/pact/internal/canon"

// imported rebuilds an imported message from its blocks.
func imported(list []piece) fields {
	var f fields
	var bodies []piece
	var calls []canon.Value
	for _, p := range list {
		f.setAll(p.origin.rest)
		switch {
		case p.node.Kind != "call":
			bodies = append(bodies, p)
		case p.node.Erased():
			calls = append(calls, addedCall(&p))
		case p.origin.form == formFunction:
			f.set("function_call", orNull(p.content))
		case p.origin.form == formCall:
			calls = append(calls, orNull(p.content))
		default:
			calls = append(calls, p.with(attrCall, "function", orNull(p.content)))
		}
	}
	role := canon.String(list[0].role)
	if original := list[0].node.Header(attrRole); canon.Value(original).Kind() == canon.KindString {
		role = canon.Value(original)
	}
	f.set("role", role)
	f.set("content", contentOf(bodies, list[0].origin.content))
	if len(calls) > 0 {
		f.set("tool_calls", array(calls))
	}
	return f
}

// contentOf returns the content that the bodies form. Without bodies, shape
// decides; no value means that the message has no content.
func contentOf(bodies []piece, shape string) canon.Value {
	if len(bodies) == 1 && bodies[0].origin.content != contentList {
		p := &bodies[0]
		shape = p.origin.content
		if p.content != "" || shape == "" {
			return orEmpty(p.content)
		}
	} else if len(bodies) > 0 {
		parts := make([]canon.Value, len(bodies))
		for i := range bodies {
			parts[i] = bodies[i].part()
		}
		return array(parts)
	}
	switch shape {
	case contentAbsent:
		return ""
	case contentEmpty:
		return "[]"
	}
	return canon.Null
}

// part returns a block as a part of a list.
func (p *piece) part() canon.Value {
	switch {
	case p.origin.form == formPart:
		return orNull(p.content)
	case p.node.Kind == "image":
		return p.with(attrPart, "image_url", orNull(p.content), field{"type", `"image_url"`})
	}
	return p.with(attrPart, "text", orEmpty(p.content), field{"type", `"text"`})
}

// with returns an object of one field, further fields, and the fields in an
// attribute.
func (p *piece) with(attr, name string, v canon.Value, more ...field) canon.Value {
	var f fields
	f.setAll(canon.Value(p.node.Header(attr)).Any())
	f.set(name, v)
	return append(f, more...).object()
}

func orNull(v canon.Value) canon.Value {
	if v == "" {
		return canon.Null
	}
	return v
}

func orEmpty(v canon.Value) canon.Value {
	if v == "" {
		return `""`
	}
	return v
}
