package commit

import (
	"cmp"

	"github.com/contexttree/pact/internal/tree"
)

// candidate is a node that pruning may remove with everything below it: a block outside
// cores, or a turn (02 §7.1).
type candidate struct {
	id       string
	node     *tree.Node
	sys      bool  // whether it is in ^sys, where only limits on ^sys may take it
	priority int64 // the one that counts: that of the node, unless the policy has a table
}

// compareCandidates is the canonical pruning order: by priority, then from old to new; the id breaks
// ties, so that no two candidates are equal.
//
// Specification: 02 §7.1.
func compareCandidates(a, b candidate) int {
	return cmp.Or(cmp.Compare(a.priority, b.priority), cmp.Compare(a.node.CreatedNS, b.node.CreatedNS),
		cmp.Compare(a.id, b.id))
}

// candidate returns a node of a region as a candidate.
func (p *pruner) candidate(n *tree.Node, region tree.Class) (candidate, error) {
	priority, err := p.ranking.priority(n, region)
	return candidate{n.ID, n, region == tree.Sys, priority}, err
}

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

// appendCandidates appends the candidates at and below the end of path.
func (p *pruner) appendCandidates(list []candidate, path []*tree.Entry) ([]candidate, error) {
	if prunable(path) {
		c, err := p.candidate(path[len(path)-1].Node(), path[1].Class())
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	for k, err := range path[len(path)-1].Children().All() {
		if err != nil {
			return nil, err
		}
		if tree.IsCore(k, path[len(path)-1].Class()) { // nothing in it is one
			continue
		}
		if list, err = p.appendCandidates(list, append(path, k)); err != nil {
			return nil, err
		}
	}
	return list, nil
}
