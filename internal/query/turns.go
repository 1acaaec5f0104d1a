package query

import (
	"slices"

	"github.com/contexttree/pact/internal/tree"
)

// ranksOfTurns returns the ranks of the turns among the children of ^seq, or nil
// if all children are turns. Only a tree that was read leniently has other
// children there; these have no depth (04 §3.4). Cost: O(1), or O(children) if
// there are other children.
func ranksOfTurns(t *tree.Tree) ([]int, error) {
	seq := t.Region(tree.Seq)
	if seq == nil || seq.Children().Len() == 0 || seq.Children().Classes() == 1<<tree.Turn {
		return nil, nil
	}
	ranks := []int{}
	rank := 0
	for k, err := range seq.Children().All() {
		if err != nil {
			return nil, err
		}
		if k.Class() == tree.Turn {
			ranks = append(ranks, rank)
		}
		rank++
	}
	return ranks, nil
}

// depthOfRank returns the depth of one of the n children of ^seq, and whether it
// is a turn. The newest turn has depth 1.
//
// Specification: 01 §3.2, 02 §6.3.
func (r *run) depthOfRank(n, rank int) (int64, bool) {
	if r.turns == nil {
		return int64(n - rank), true
	}
	i, turn := slices.BinarySearch(r.turns, rank)
	return int64(len(r.turns) - i), turn
}

// rankOfDepth returns the rank of the turn at a depth among the n children of
// ^seq, and whether there is one.
func (r *run) rankOfDepth(n int, depth int64) (int, bool) {
	if r.turns != nil {
		n = len(r.turns)
	}
	if depth < 1 || depth > int64(n) {
		return 0, false
	}
	rank := n - int(depth)
	if r.turns != nil {
		rank = r.turns[rank]
	}
	return rank, true
}

// rankSpans appends to list the ranks, among the n children of ^seq, of the turns
// at depths.
func (r *run) rankSpans(list []span, depths []interval, n int) []span {
	turns := n
	if r.turns != nil {
		turns = len(r.turns)
	}
	for _, d := range depths {
		lo, hi := max(d.lo, 1), min(d.hi, int64(turns))
		if lo <= hi {
			first, _ := r.rankOfDepth(n, hi)
			last, _ := r.rankOfDepth(n, lo)
			list = append(list, span{first, last + 1})
		}
	}
	return list
}
