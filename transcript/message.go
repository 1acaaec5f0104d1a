package transcript

import (
	"cmp"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// The custom attributes of imported blocks; the package comment says what they hold.
const (
	attrFrame  = "wire:frame"
	attrPart   = "wire:part"
	attrCall   = "wire:call"
	attrFailed = "wire:failed"
)

// message is one message as the file has it.
type message struct {
	canon.Any
	role string // canonical (01 §2)
}

// canonicalRoles maps the providers' roles. Any other role becomes other.
var canonicalRoles = map[string]string{
	"user": "user", "assistant": "assistant", "tool": "tool", "system": "system", "other": "other",
	"developer": "system", "function": "tool",
}

func newMessage(v canon.Any) *message {
	role, _ := v.Get("role")
	return &message{v, cmp.Or(canonicalRoles[role.Text], "other")}
}

// block is a part of a message that becomes a node.
type block struct {
	pact.Spec
	part    canon.Any // what the part has beside its content, with a hole for it; absent for nothing
	call    callKey   // how results name this call; zero for other blocks and for calls without an id
	answers []callKey // the calls that this result names
	apart   bool      // a call or a result, which stays outside the core
}

// cut is a message that was taken apart (07 §4.1).
type cut struct {
	*message
	frame canon.Any // the message with a hole for each part
	list  []block   // one or more
}

// cut takes the message apart. Only what [OpenAI] would read as the same again leaves the frame: fields that no table
// knows stay there.
func (m *message) cut() *cut {
	c := &cut{message: m, frame: canon.Any{Kind: canon.KindObject}}
	for _, f := range m.Members {
		c.frame.Members = append(c.frame.Members, canon.Member{Name: f.Name, Value: c.field(f.Name, f.Value)})
	}
	if len(c.list) == 0 { // a message without a content, for which a block must stand
		c.add(c.textBlock(canon.Any{}))
	}
	return c
}

// add adds a block and returns the hole for it.
func (c *cut) add(b block) canon.Any {
	c.list = append(c.list, b)
	return provider.Hole
}

func (c *cut) field(name string, v canon.Any) canon.Any {
	switch {
	case name == "content" && v.Kind == canon.KindArray && c.role != "tool":
		return c.each(v, partOf)
	case name == "content" && v.Kind != canon.KindNull:
		return c.add(c.textBlock(v))
	case c.role == "assistant" && name == "function_call" && v.Kind == canon.KindObject:
		function, _ := v.Get("name")
		return c.add(block{apart: true, part: canon.Fields(name, provider.Hole), call: callKey{function: function.Text},
			Spec: pact.Spec{Kind: "call", Content: v.Value()}})
	case c.role == "assistant" && name == "tool_calls" && v.Kind == canon.KindArray:
		return c.each(v, callOf)
	}
	return provider.Escaped(v)
}

func (c *cut) each(list canon.Any, blockOf func(canon.Any) block) canon.Any {
	holes := make([]canon.Any, len(list.Elems))
	for i, e := range list.Elems {
		holes[i] = c.add(blockOf(e))
	}
	return canon.ArrayOf(holes...)
}

// textBlock returns the block for a content that is no list of parts: a text or, of a tool, its result as it came.
func (c *cut) textBlock(content canon.Any) block {
	b := block{Spec: pact.Spec{Kind: "text"}}
	if content.Kind != canon.KindAbsent {
		b.Content = content.Value()
	}
	if c.role != "tool" {
		return b
	}
	b.Kind, b.apart = "result", true
	id, _ := c.Get("tool_call_id")
	ids, _ := c.Get("tool_call_ids")
	for _, id := range append([]canon.Any{id}, ids.Elems...) {
		if id.Kind == canon.KindString {
			b.answers = append(b.answers, callKey{id: id.Text})
		}
	}
	word, _ := c.Get("role")
	if name, _ := c.Get("name"); word.Text == "function" && name.Kind == canon.KindString {
		b.answers = append(b.answers, callKey{function: name.Text})
	}
	return b
}

// failed reports whether a field of the message says that a call failed.
func (m *message) failed() bool {
	failed, _ := m.Get("is_error")
	status, _ := m.Get("status")
	return failed.Kind == canon.KindBool && failed.Text == string(canon.True) ||
		status.Kind == canon.KindString && status.Text == "error"
}

// spec describes the node of a block; nodes are those of the blocks before it.
func (c *cut) spec(i int, nodes []string, provenance string) pact.Spec {
	b := &c.list[i]
	s := b.Spec
	s.Role, s.Provenance, s.Attrs = c.role, provenance, map[string]any{}
	if i == 0 {
		s.Attrs[attrFrame] = canon.Fields("parts", canon.Number(int64(len(c.list))), "frame", c.frame, "part", b.part)
	} else {
		list := []canon.Any{canon.Number(int64(i)), canon.Text(nodes[0]), b.part}
		if b.part.Kind == canon.KindAbsent {
			list = list[:2]
		}
		s.Attrs[attrPart] = canon.ArrayOf(list...)
	}
	id := b.call.id
	if len(b.answers) > 0 {
		id = b.answers[0].id
	}
	if id != "" {
		s.Attrs[attrCall] = id
	}
	if b.Kind == "result" && c.failed() {
		s.Attrs[attrFailed] = true
	}
	return s
}

// partOf returns the block of one part of a list of contents.
func partOf(part canon.Any) block {
	kind, _ := part.Get("type")
	value, ok := part.Get(kind.Text)
	switch {
	case kind.Kind != canon.KindString || !ok:
	case kind.Text == "text" && value.Kind == canon.KindString:
		return block{Spec: pact.Spec{Kind: "text", Content: value.Value()}, part: provider.FrameAround(part, "text")}
	case kind.Text == "image_url":
		return block{Spec: pact.Spec{Kind: "image", Content: value.Value()}, part: provider.FrameAround(part, "image_url")}
	}
	b := block{Spec: pact.Spec{Kind: "part", Content: part.Value()}, part: provider.Hole}
	if kind.Kind == canon.KindString && kind.Text != "call" && kind.Text != "result" { // which are no parts here
		b.Kind = provider.KindOrPart(kind.Text)
	}
	return b
}

// callOf returns the block of one of the calls of a message.
func callOf(call canon.Any) block {
	b := block{apart: true, Spec: pact.Spec{Kind: "call"}}
	if id, _ := call.Get("id"); id.Kind == canon.KindString {
		b.call = callKey{id: id.Text}
	}
	if function, _ := call.Get("function"); function.Kind == canon.KindObject {
		b.Content, b.part = function.Value(), provider.FrameAround(call, "function")
		return b
	}
	b.Content, b.part = call.Value(), provider.Hole
	return b
}
