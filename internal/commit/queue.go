package commit

import (
	"container/heap"
	"slices"

	"github.com/contexttree/pact/internal/tree"
)

// queue is a heap of candidates in pruning order (02 §7.1).
type queue []candidate

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return compareCandidates(q[i], q[j]) < 0 }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

// put and next replace heap.Push and heap.Pop, which allocate an interface value for each element.
func (q *queue) put(list ...candidate) {
	for _, c := range list {
		*q = append(*q, c)
		heap.Fix(q, len(*q)-1)
	}
}

// next takes the candidate that goes first out of a queue that has one.
func (q *queue) next() candidate {
	first, last := (*q)[0], len(*q)-1
	(*q)[0] = (*q)[last]
	if *q = (*q)[:last]; last > 0 {
		heap.Fix(q, 0)
	}
	return first
}

func (*queue) Push(any) {} // for heap.Interface
func (*queue) Pop() any { return nil }

// candidatesFor returns the candidates that exceeded limits may take: those outside protected turns, and those of ^sys
// where a limit is on it, but for those that can help none. Cost: O(n) in the nodes there.
func (p *pruner) candidatesFor(wanted []*limit) (list queue, err error) {
	sys := slices.ContainsFunc(wanted, func(l *limit) bool { return l.region == tree.Sys.String() })
	if !slices.ContainsFunc(wanted, (*limit).takesAll) {
		list, err = p.helpers(wanted, sys)
		heap.Init(&list)
		return list, err
	}
	for path, err := range p.unprotected() {
		if err == nil && list == nil {
			list = make(queue, 0, path[0].Summary().Nodes)
		}
		if err == nil && (sys || path[1].Class() != tree.Sys) {
			list, err = p.appendCandidates(list, path)
		}
		if err != nil {
			return nil, err
		}
	}
	heap.Init(&list)
	return list, nil
}
