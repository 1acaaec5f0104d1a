package pact

import (
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/tree"
)

// AddResult adds the result of a call to the active head and returns its id. The
// two refer to each other, so that they expire and are pruned together; a call
// that was sealed before is only referred to. Where the spec leaves them out the
// role is tool and the kind result, and the result gets the offset at which the
// call stands, or the group around it, so that it comes behind it; in the core
// where that is the core. E_NODE_NOT_FOUND without the call,
// E_PLACEMENT_INVALID where the node is none.
func (b *Batch) AddResult(call string, s Spec) (id string) {
	return b.node(func() (string, error) { return b.addResult(call, s) })
}

func (b *Batch) addResult(call string, s Spec) (id string, err error) {
	t := b.editor.Tree()
	n := t.Node(call)
	switch {
	case n == nil:
		return "", tree.NoNode(call, "in the working state")
	case n.Kind != "call" || t.Entry(call).Class() != tree.Block:
		return "", fault.OnNode(fault.PlacementInvalid, call, "the node is no call: a call is a block of kind call", "add the result with refs of its own")
	}
	if s.Role == "" {
		s.Role = "tool"
	}
	if s.Kind == "" {
		s.Kind = "result"
	}
	if s.Offset == 0 {
		s.Offset = beside(t.Path(call))
	}
	if !slices.Contains(s.Refs, call) {
		s.Refs = append(slices.Clone(s.Refs), call)
	}
	if id, err = b.editor.Add("^ah", tree.Spec(s)); err != nil {
		return "", err
	}
	if b.editor.Earlier(call) {
		return id, nil
	}
	return id, b.editor.Update(call, map[string]any{"refs": append(slices.Clone(n.Refs), id)})
}

// beside returns the offset in the active head at which a new block stands
// behind the node at the end of path.
func beside(path []*tree.Entry) int64 {
	in := path[2:]
	if path[1].Class() == tree.Seq && len(path) > 3 {
		in = path[3:]
	}
	offset := in[0].Node().Offset
	if offset == 0 && len(in) > 1 {
		offset = max(0, in[1].Node().Offset) // what has one in a core
	}
	return offset
}
