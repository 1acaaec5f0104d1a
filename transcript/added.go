package transcript

import (
	"slices"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

// added makes a message of blocks that did not come from an import.
func (r *renderer) added(list []piece) (canon.Any, error) {
	p := &list[0]
	role, content := providerRole(p.role), plainContent(p.content)
	switch {
	case p.node.Kind == "result" || p.role == "tool":
		name, err := r.calledFunction(p)
		if err != nil || name != "" {
			return canon.Fields("role", "function", "name", name.Held(), "content", content), err
		}
		return canon.Fields("role", "tool", "tool_call_id", r.calledID(p).Held(), "content", content), nil
	case p.speaks():
		return speech(role, list), nil
	case p.node.Kind == "image" && !p.node.Erased():
		content = canon.ArrayOf(imagePart(p.content))
	}
	return canon.Fields("role", role, "content", content), nil
}

// providerRole returns the nearest role that OpenAI has.
func providerRole(role string) string {
	switch role {
	case "user", "assistant", "tool", "system":
		return role
	}
	return "user"
}

// speech makes a message of texts and calls of the assistant.
func speech(role string, list []piece) canon.Any {
	var texts, calls []canon.Any
	content := null
	for i := range list {
		if p := &list[i]; p.node.Kind == "call" {
			calls = append(calls, addedCall(p))
		} else {
			texts, content = append(texts, textPart(p.content)), plainContent(p.content)
		}
	}
	if len(texts) > 1 {
		content = canon.ArrayOf(texts...)
	}
	return canon.Fields("role", role, "content", content, "tool_calls", listOrNone(calls))
}

var null = canon.Null.Held()

func listOrNone(list []canon.Any) canon.Any {
	if len(list) == 0 {
		return canon.Any{}
	}
	return canon.ArrayOf(list...)
}

// addedCall returns a call in OpenAI's form, with its arguments as JSON text.
func addedCall(p *piece) canon.Any {
	content := p.content.Any()
	name, _ := content.Get("name")
	arguments, ok := content.Get("arguments")
	said := arguments.Value()
	switch {
	case p.node.Erased():
		name, said = canon.Text("erased"), "{}"
	case name.Kind != canon.KindString || !ok:
		if name, said = canon.Text("call"), p.content; p.node.Key != "" {
			name = canon.Text(p.node.Key)
		}
	}
	function := canon.Object(canon.Member{Name: "name", Value: name}, canon.Member{Name: "arguments", Value: canon.Text(asText(said))})
	return canon.Fields("type", "function", "id", callID(p.node).Held(), "function", function)
}

// callID returns the id of a call: the one that it came with, else that of its node.
func callID(n *tree.Node) canon.Value {
	if id, ok := n.Header(attrCall).Text(); ok {
		return canon.String(id)
	}
	return canon.String(n.ID)
}

// calledID returns the id by which a result names its call. A result that refers to nothing uses the id of its own node.
func (r *renderer) calledID(p *piece) canon.Value {
	if call := r.calledBy(p.node); call != nil {
		return callID(call)
	}
	if len(p.node.Refs) > 0 {
		return canon.String(p.node.Refs[0])
	}
	return canon.String(p.node.ID)
}

// calledFunction returns the name by which a result names a legacy call, "" for
// any other.
func (r *renderer) calledFunction(p *piece) (canon.Value, error) {
	call := r.calledBy(p.node)
	if call == nil {
		return "", nil
	}
	if o := originOf(call); o == nil || !o.legacy() {
		return "", nil
	}
	content, err := call.Content.Value(r.ctx)
	name, _ := canon.Value(content).Any().Get("name")
	return name.Value(), err
}

// plainContent returns a content that a message may have: a text or a list of
// parts. It turns anything else into JSON text.
func plainContent(v canon.Value) canon.Any {
	switch content := v.Any(); {
	case len(content.Elems) > 0 && !slices.ContainsFunc(content.Elems, func(e canon.Any) bool { return !isPart(e) }):
		return v.Held()
	case isPart(content):
		return canon.ArrayOf(v.Held())
	}
	return canon.Text(asText(v))
}

func isPart(v canon.Any) bool {
	kind, _ := v.Get("type")
	return kind.Kind == canon.KindString
}

func textPart(v canon.Value) canon.Any {
	if isPart(v.Any()) {
		return v.Held()
	}
	return canon.Object(canon.Member{Name: "type", Value: canon.Text("text")}, canon.Member{Name: "text", Value: canon.Text(asText(v))})
}

// imagePart returns the part for an image whose content is a URL, an object
// that holds one, or already a part.
func imagePart(v canon.Value) canon.Any {
	image := v.Any()
	if isPart(image) {
		return v.Held()
	}
	if image.Kind != canon.KindObject {
		image = canon.Object(canon.Member{Name: "url", Value: canon.Text(asText(v))})
	}
	return canon.Fields("type", "image_url", "image_url", image)
}

// asText returns a string unchanged, and any other value as JSON text.
func asText(v canon.Value) string {
	if t, ok := v.Text(); ok {
		return t
	}
	return string(v)
}
