package lifecycle

import (
	"cmp"

	"github.com/contexttree/pact/tree"
)

// candidate is a node that pruning may remove with everything below it: a block outside
// cores, or a turn (02 §7.1).
type candidate struct {
	id   string
	node *tree.Node
	sys  bool // whether it is in ^sys, where only limits on ^sys may take it
}

// compareNodes puts nodes into the order in which pruning takes them: by priority, then
// from old to new, then by id.
func compareNodes(a, b *tree.Node) int {
	return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.CreatedNS, b.CreatedNS), cmp.Compare(a.ID, b.ID))
}

// compareCandidates is the canonical pruning order.
//
// Specification: 02 §7.1.
func compareCandidates(a, b candidate) int { return compareNodes(a.node, b.node) }

// prunable reports whether the node at the end of path can be a candidate.
func prunable(path []*tree.Entry) bool {
	switch e := path[len(path)-1]; e.Class() {
	case tree.Turn:
		return len(path) == 3
	case tree.Block:
		return len(path) > 2 && !tree.InCore(path)
	}
	return false
}

// candidatesIn returns the candidates at and below the end of path.
func candidatesIn(path []*tree.Entry) (list []candidate) {
	if prunable(path) {
		n := path[len(path)-1].Node()
		list = append(list, candidate{n.ID, n, path[1].Class() == tree.Sys})
	}
	for k := range path[len(path)-1].Children().All() {
		list = append(list, candidatesIn(append(path, k))...)
	}
	return list
}

// firstOf returns the node of the candidate that pruning takes first, nil if there are
// no candidates.
func firstOf(list []candidate) (first *tree.Node) {
	for _, c := range list {
		if first == nil || compareNodes(c.node, first) < 0 {
			first = c.node
		}
	}
	return first
}
