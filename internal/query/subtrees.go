package query

import (
	"slices"

	"github.com/contexttree/pact/internal/tree"
)

// Subtrees is the set of nodes that are in a result or below one of its nodes.
// The second selector of a selection, its filter, keeps such a set (003, 001
// §3.5.2).
type Subtrees struct {
	tree  *tree.Tree
	nodes map[string]bool
	cores map[string]bool // ids of the turns whose elided core the selector matches
}

// Subtrees returns the subtrees of a result. t is the tree that the plan ran over.
// The set includes the subtrees of elided cores that the selector matches,
// although those cores are not nodes of the result. Cost: O(the result), once.
func (r Result) Subtrees(t *tree.Tree) *Subtrees {
	c := &Subtrees{t, make(map[string]bool, len(r.Nodes)), make(map[string]bool, len(r.elidedCores))}
	for _, e := range r.Nodes {
		c.nodes[e.Node().ID] = true
	}
	for _, e := range r.elidedCores {
		c.cores[e.Node().ID] = true
	}
	return c
}

// Has reports whether the node or one of its ancestors is in the result.
// Cost: O(depth of the node).
func (c *Subtrees) Has(e *tree.Entry) (bool, error) {
	offset := int64(1) // of the child of n on the path; the child is in the core if it is 0
	path, err := c.tree.Path(e.Node().ID)
	for _, above := range slices.Backward(path) {
		n := above.Node()
		if c.nodes[n.ID] || offset == 0 && c.cores[n.ID] {
			return true, err
		}
		offset = n.Offset
	}
	return false, err
}
