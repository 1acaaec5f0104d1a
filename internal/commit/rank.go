package commit

import (
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// ranking gives nodes the priority that the table of a policy makes of their own
// (docs/policies.md, "Ranks"). A nil ranking leaves each node its own priority.
type ranking struct {
	ranks map[string]int64
	tree  *tree.Tree       // the state before pruning, which decides on the priorities of turns
	turns map[string]int64 // the priorities of those that were asked for
}

// newRanking returns the ranking of a policy, nil if it has no table. t is the state before
// pruning.
func newRanking(p *lifecycle.Policy, t *tree.Tree) *ranking {
	if len(p.Ranks) == 0 {
		return nil
	}
	return &ranking{p.Ranks, t, make(map[string]int64)}
}

// priority returns the priority that counts for a node of a region: its own and its rank.
// The blocks of ^ah have no rank, because the model has not answered them yet; neither have stubs.
func (r *ranking) priority(n *tree.Node, region tree.Class) (int64, error) {
	switch {
	case r == nil || region == tree.Head || n.Kind == lifecycle.StubKind:
		return n.Priority, nil
	case region == tree.Seq:
		if e, err := r.tree.Entry(n.ID); err != nil {
			return 0, err
		} else if e != nil && e.Class() == tree.Turn {
			return r.ofTurn(e)
		}
	}
	return n.Priority + r.rank(n, region), nil
}

// rank returns what the table has for the kind of a block, else for its role, else 0.
func (r *ranking) rank(n *tree.Node, region tree.Class) int64 {
	if rank, ok := r.ranks[n.Kind]; ok && n.Kind != "" {
		return rank
	}
	return r.ranks[n.RoleIn(region)]
}

// ofTurn returns the priority of a turn: its own if that is not 0, else the highest of the
// blocks in it. Stubs count only if there is nothing else, and without the priority that
// has pruning take them last.
func (r *ranking) ofTurn(turn *tree.Entry) (int64, error) {
	if own := turn.Node().Priority; own != 0 {
		return own, nil
	}
	id := turn.Node().ID
	if known, is := r.turns[id]; is {
		return known, nil
	}
	n, err := r.topOf(turn)
	if err == nil && n != nil {
		r.turns[id] = r.inTurn(n)
	}
	return r.turns[id], err
}

// inTurn returns what a block contributes to the priority of its turn.
func (r *ranking) inTurn(n *tree.Node) int64 {
	if n.Kind == lifecycle.StubKind {
		return r.rank(n, tree.Seq)
	}
	return n.Priority + r.rank(n, tree.Seq)
}

// topOf returns the block below an entry that gives it its priority, nil if there is none.
func (r *ranking) topOf(e *tree.Entry) (top *tree.Node, err error) {
	for k, err := range e.Children().All() {
		if err != nil {
			return nil, err
		}
		n := k.Node()
		if k.Class() != tree.Block {
			if n, err = r.topOf(k); err != nil {
				return nil, err
			}
		}
		switch {
		case n == nil:
		case top == nil, top.Kind == lifecycle.StubKind && n.Kind != lifecycle.StubKind:
			top = n
		case n.Kind == lifecycle.StubKind && top.Kind != lifecycle.StubKind:
		case r.inTurn(n) > r.inTurn(top):
			top = n
		}
	}
	return top, nil
}
