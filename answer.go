package pact

import (
	"slices"

	"github.com/contexttree/pact/internal/fault"
)

// Answer adds the result of a call to the active head and returns its id. The
// two refer to each other, so that they expire and are pruned together; a call
// that was sealed before is only referred to. Where the spec leaves them out the
// role is tool and the kind result, and the result gets the offset of a call
// that is outside a core. E_NODE_NOT_FOUND without the call,
// E_PLACEMENT_INVALID where the node is none.
func (b *Batch) Answer(call string, s Spec) (id string, err error) {
	t := b.editor.Tree()
	n := t.Node(call)
	switch {
	case n == nil:
		return "", noNode(call)
	case n.Kind != "call":
		return "", fault.OnNode(fault.PlacementInvalid, call, "the node is no call: its kind is not call", "add the result with refs of its own")
	}
	if s.Role == "" {
		s.Role = "tool"
	}
	if s.Kind == "" {
		s.Kind = "result"
	}
	if s.Offset == 0 {
		s.Offset = n.Offset
	}
	if !slices.Contains(s.Refs, call) {
		s.Refs = append(slices.Clone(s.Refs), call)
	}
	if id, err = b.editor.Add("^ah", s); err != nil {
		return "", err
	}
	if b.editor.Earlier(call) {
		return id, nil
	}
	return id, b.editor.Update(call, map[string]any{"refs": append(slices.Clone(n.Refs), id)})
}
