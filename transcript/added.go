package transcript

import "github.com/contexttree/pact/internal/canon"

// appendAdded appends a message for blocks that did not come from an import.
func (r *renderer) appendAdded(dst []byte, list []piece) ([]byte, error) {
	var f fields
	p := &list[0]
	f.set("role", canon.String(providerRole(p.role)))
	switch {
	case p.node.Kind == "result" || p.role == "tool":
		id, err := r.calledID(p)
		if err != nil {
			return dst, err
		}
		name, err := r.calledFunction(p)
		if err != nil {
			return dst, err
		}
		if name != "" {
			f.set("role", `"function"`)
			f.set("name", name)
		} else {
			f.set("role", `"tool"`)
			f.set("tool_call_id", id)
		}
		f.set("content", plainContent(p.content))
	case p.speaks():
		r.speech(&f, list)
	case p.node.Kind == "image" && !p.node.Erased():
		f.set("content", array([]canon.Value{imagePart(p.content)}))
	default:
		f.set("content", plainContent(p.content))
	}
	return f.appendTo(dst), nil
}

// providerRole returns the nearest role that OpenAI has.
func providerRole(role string) string {
	switch role {
	case "user", "assistant", "tool", "system":
		return role
	}
	return "user"
}

// speech sets the fields for the texts and calls of the assistant.
func (r *renderer) speech(f *fields, list []piece) {
	var texts []*piece
	var calls []canon.Value
	for i := range list {
		if p := &list[i]; p.node.Kind == "call" {
			calls = append(calls, addedCall(p))
		} else {
			texts = append(texts, p)
		}
	}
	switch len(texts) {
	case 0:
		f.set("content", canon.Null)
	case 1:
		f.set("content", plainContent(texts[0].content))
	default:
		parts := make([]canon.Value, len(texts))
		for i, p := range texts {
			parts[i] = textPart(p.content)
		}
		f.set("content", array(parts))
	}
	if len(calls) > 0 {
		f.set("tool_calls", array(calls))
	}
}

// addedCall returns a call in OpenAI's form, with its arguments as JSON text.
func addedCall(p *piece) canon.Value {
	content := p.content.Any()
	name, _ := content.Get("name")
	arguments, ok := content.Get("arguments")
	if name.Kind != canon.KindString || !ok {
		name = canon.Text("call")
		if p.node.Key != "" {
			name = canon.Text(p.node.Key)
		}
		arguments = canon.Text(asText(p.content))
	}
	if p.node.Erased() {
		name, arguments = canon.Text("erased"), canon.Object()
	}
	function := fields{{"name", name.Value()}, {"arguments", canon.String(asText(arguments.Value()))}}
	f := fields{{"type", `"function"`}}
	call := canon.Value(p.node.Header(attrCall)).Any()
	f.setAll(call)
	if id, _ := call.Get("id"); id.Kind != canon.KindString {
		f.set("id", canon.String(p.node.ID))
	}
	f.set("function", function.object())
	return f.object()
}

// calledID returns the id by which a result names its call: the id that the
// call came with, else the id of the call's node. A result that refers to
// nothing uses the id of its own node.
func (r *renderer) calledID(p *piece) (canon.Value, error) {
	for _, ref := range p.node.Refs {
		n := r.node(ref)
		if n == nil || n.Kind != "call" {
			continue
		}
		call := canon.Value(n.Header(attrCall)).Any()
		if form, _ := n.Header(attrForm).Text(); form == formCall {
			content, err := n.Content.Value(r.ctx)
			if err != nil {
				return "", err
			}
			call = canon.Value(content).Any()
		}
		if id, _ := call.Get("id"); id.Kind == canon.KindString {
			return id.Value(), nil
		}
		return canon.String(ref), nil
	}
	if len(p.node.Refs) > 0 {
		return canon.String(p.node.Refs[0]), nil
	}
	return canon.String(p.node.ID), nil
}

// calledFunction returns the name by which a result names a legacy call, "" for
// any other.
func (r *renderer) calledFunction(p *piece) (canon.Value, error) {
	for _, ref := range p.node.Refs {
		n := r.node(ref)
		if n == nil || n.Kind != "call" {
			continue
		}
		if form, _ := n.Header(attrForm).Text(); form != formFunction {
			return "", nil
		}
		content, err := n.Content.Value(r.ctx)
		name, _ := canon.Value(content).Any().Get("name")
		return name.Value(), err
	}
	return "", nil
}

// plainContent returns a content that a message may have: a text or a list of
// parts. It turns anything else into JSON text.
func plainContent(v canon.Value) canon.Value {
	switch content := v.Any(); content.Kind {
	case canon.KindArray:
		parts := 0
		for _, e := range content.Elems {
			if isPart(e) {
				parts++
			}
		}
		if parts > 0 && parts == len(content.Elems) {
			return v
		}
	case canon.KindObject:
		if isPart(content) {
			return array([]canon.Value{v})
		}
	}
	return canon.String(asText(v))
}

func isPart(v canon.Any) bool {
	kind, _ := v.Get("type")
	return kind.Kind == canon.KindString
}

func textPart(v canon.Value) canon.Value {
	if content := v.Any(); isPart(content) {
		return v
	}
	return fields{{"text", canon.String(asText(v))}, {"type", `"text"`}}.object()
}

// imagePart returns the part for an image whose content is a URL, an object
// that holds one, or already a part.
func imagePart(v canon.Value) canon.Value {
	image := v.Any()
	if isPart(image) {
		return v
	}
	if image.Kind != canon.KindObject {
		v = fields{{"url", canon.String(asText(v))}}.object()
	}
	return fields{{"image_url", v}, {"type", `"image_url"`}}.object()
}

// asText returns a string unchanged, and any other value as JSON text.
func asText(v canon.Value) string {
	if t, ok := v.Text(); ok {
		return t
	}
	return string(v)
}
