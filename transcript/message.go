package transcript

import (
	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
)

// The custom attributes of imported blocks; the package comment says what they
// hold.
const (
	attrMessage = "openai:message"
	attrRole    = "openai:role"
	attrPart    = "openai:part"
	attrCall    = "openai:call"
	attrForm    = "openai:form"
)

// The values of openai:message for a content that the blocks alone do not
// determine.
const (
	contentList   = "list"   // each block is a part of a list
	contentEmpty  = "empty"  // an empty list
	contentNull   = "null"   // no text: content was null
	contentAbsent = "absent" // no text: content was left out
)

// The values of openai:form.
const (
	formPart     = "part"
	formCall     = "call"
	formFunction = "function_call"
)

// message is one message as the file has it.
type message struct {
	canon.Any
	role     string // canonical (01 §2)
	original string // the file's own word
}

// canonicalRoles maps the providers' roles. Any other role becomes other.
var canonicalRoles = map[string]string{
	"user": "user", "assistant": "assistant", "tool": "tool", "system": "system", "other": "other",
	"developer": "system", "function": "tool",
}

func newMessage(v canon.Any) *message {
	role, _ := v.Get("role")
	m := &message{Any: v, role: canonicalRoles[role.Text], original: role.Text}
	if m.role == "" {
		m.role = "other"
	}
	return m
}

// block is a part of a message that becomes a node.
type block struct {
	pact.Spec
	call    callKey   // how results name this call; zero for other blocks and for calls without an id
	answers []callKey // the calls that this result names
	apart   bool      // a call or a result, which stays outside the core
}

// blocks maps a message to one block or more (07 §4.1). n is its number in the
// context; OpenAI uses it to join the blocks again.
func (m *message) blocks(n int64, provenance string) []block {
	rest := without(m.Any, "role", "content")
	var list []block
	content, shape := m.content()
	if m.role == "assistant" {
		calls, left := callsOf(rest)
		rest = left
		if list = calls; len(calls) == 0 || shape == "" || shape == contentList {
			list = append(content, calls...)
		}
	} else if list = content; m.role == "tool" {
		list = []block{m.result()}
		if shape == contentList || shape == contentEmpty {
			shape = ""
		}
	}
	for i := range list {
		b := &list[i]
		if b.Role, b.Provenance = m.role, provenance; b.Attrs == nil {
			b.Attrs = make(map[string]any)
		}
		about := []canon.Member{{Name: "n", Value: canon.Number(n)}}
		if shape != "" {
			about = append(about, canon.Member{Name: "content", Value: canon.Text(shape)})
		}
		if i == 0 && len(rest.Members) > 0 {
			about = append(about, canon.Member{Name: "rest", Value: rest})
		}
		b.Attrs[attrMessage] = canon.Object(about...)
		if m.original != m.role {
			b.Attrs[attrRole] = canon.Text(m.original)
		}
	}
	return list
}

// content maps the content of a message that is not a result. shape says what
// OpenAI needs besides the blocks to rebuild it.
func (m *message) content() (list []block, shape string) {
	content, ok := m.Get("content")
	switch {
	case !ok:
		shape = contentAbsent
	case content.Kind == canon.KindNull:
		shape = contentNull
	case content.Kind != canon.KindArray:
		return []block{{Spec: pact.Spec{Kind: "text", Content: content.Value()}}}, ""
	case len(content.Elems) == 0:
		shape = contentEmpty
	default:
		for _, part := range content.Elems {
			list = append(list, block{Spec: partSpec(part)})
		}
		return list, contentList
	}
	return []block{{Spec: pact.Spec{Kind: "text"}}}, shape
}

// result maps a tool message to one block, with its content unchanged.
func (m *message) result() block {
	b := block{apart: true, Spec: pact.Spec{Kind: "result"}}
	if content, ok := m.Get("content"); ok && content.Kind != canon.KindNull {
		b.Content = content.Value()
	}
	if id, ok := m.Get("tool_call_id"); ok && id.Kind == canon.KindString {
		b.answers = append(b.answers, callKey{id: id.Text})
	}
	ids, _ := m.Get("tool_call_ids")
	for _, id := range ids.Elems {
		if id.Kind == canon.KindString {
			b.answers = append(b.answers, callKey{id: id.Text})
		}
	}
	if name, ok := m.Get("name"); ok && m.original == "function" && name.Kind == canon.KindString {
		b.answers = append(b.answers, callKey{function: name.Text})
	}
	return b
}
