package transcript

import "github.com/contexttree/pact/internal/tree"

// An erased call has lost its message and the id by which results name it. It
// stays a call, with the id of its node, so that a provider finds it beside the
// other calls of its message and in front of its results.

// answersErased reports whether a node is the result of an erased call, so that
// the id it names no longer exists.
func (r *renderer) answersErased(n *tree.Node) bool {
	call := r.calledBy(n)
	return n.Kind == "result" && call != nil && call.Erased()
}

// calledBy returns the first call that a node refers to, nil for none.
func (r *renderer) calledBy(n *tree.Node) *tree.Node {
	for _, ref := range n.Refs {
		if call := r.node(ref); call != nil && call.Kind == "call" {
			return call
		}
	}
	return nil
}

// rejoin puts erased calls back into the message of the calls beside them.
func rejoin(list []piece) {
	for i := range list {
		list[i].rejoin(list, i-1)
	}
	for i := len(list) - 1; i >= 0; i-- {
		list[i].rejoin(list, i+1)
	}
}

func (p *piece) rejoin(list []piece, at int) {
	if at < 0 || at >= len(list) || p.origin != nil || p.node.Kind != "call" || !p.node.Erased() {
		return
	}
	if other := &list[at]; other.origin != nil && other.node.Kind == "call" && other.turn == p.turn &&
		other.role == p.role {
		p.origin = &origin{first: other.origin.first}
	}
}
