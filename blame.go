package pact

import (
	"context"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/thread"
	"github.com/contexttree/pact/tree"
)

// Blamed says of one block of a thread which cycle brought it, and who.
type Blamed struct {
	ID      string     `json:"id"`
	Turn    string     `json:"turn,omitempty"` // the sealed turn that it is in
	Region  string     `json:"region"`         // ^sys, ^seq or ^ah
	Role    string     `json:"role"`
	Kind    string     `json:"kind,omitempty"`
	Cycle   int64      `json:"cycle"`
	By      Author     `json:"by"`
	Version *Version   `json:"version,omitempty"` // where a later cycle changed it in place
	Range   diff.Range `json:"range"`             // in the canonical thread
}

// Version says which cycle made the version of a node that is shown.
type Version struct {
	Cycle int64  `json:"cycle"`
	By    Author `json:"by"`
}

// Blame names for every block of a thread, in its order, the cycle that brought
// it and, where it was changed in place since, the cycle of what is shown. A
// block that came with an imported snapshot has the cycle that its header says.
// Cost: what changed from the first snapshot to that one.
func (c *Context) Blame(ctx context.Context, a Address) ([]Blamed, error) {
	s := c.state.Load()
	t, err := c.at(ctx, s, a)
	if err != nil {
		return nil, err
	}
	trees, err := c.states(ctx, s, t)
	if err != nil {
		return nil, err
	}
	log, err := c.chronicle(ctx, s, 0, t.Cycle())
	if err != nil {
		return nil, err
	}
	history := trace(trees)
	blocks, _ := t.ThreadSize()
	list := make([]Blamed, 0, blocks)
	t.BlocksFrom(0, func(e *tree.Entry, region tree.Class) bool {
		list = append(list, blamed(t, e, region, history, log, s.First))
		return true
	})
	return list, nil
}

// states returns every state from before the first snapshot to the one given.
// Before the first commit that is the empty context. What an imported snapshot
// was before its own cycle follows from the cycles in its headers.
func (c *Context) states(ctx context.Context, s *state, last *tree.Tree) ([]*tree.Tree, error) {
	if s.State.Cycle < s.First {
		return []*tree.Tree{s.Head, s.Working}, nil
	}
	trees, err := c.between(ctx, s, s.First, last)
	if err != nil {
		return nil, err
	}
	if first := trees[0]; first.Root().Node().Cycle < s.First {
		trees = append([]*tree.Tree{before(first)}, trees...)
	}
	return trees, nil
}

// before is a tree without what its own cycle brought.
func before(t *tree.Tree) *tree.Tree {
	var born []string
	for e := range t.All() {
		if e.Node().Cycle >= t.Cycle() {
			born = append(born, e.Node().ID)
		}
	}
	return t.Without(born...).WithCycle(t.Cycle() - 1)
}

func blamed(t *tree.Tree, e *tree.Entry, region tree.Class, h *steps, log *chronicle, first int64) Blamed {
	n := e.Node()
	b := Blamed{ID: n.ID, Region: region.String(), Kind: n.Kind, Range: *diff.RangeOf(t, n.ID)}
	b.Role, _ = thread.Role(n, region).Text()
	if path := t.Path(n.ID); region == tree.Seq && len(path) > 2 {
		b.Turn = path[2].Node().ID
	}
	b.Cycle = h.cycleOf(n, first)
	b.By = log.stamped(b.Cycle, n.CreatedNS)
	if cycle, ok := h.renewed[n.ID]; ok && cycle > b.Cycle {
		b.Version = &Version{Cycle: cycle, By: log.edited(cycle)}
	}
	return b
}

// cycleOf is the cycle that brought a node: where the first snapshot has it, the
// one that its header names.
func (s *steps) cycleOf(n *tree.Node, first int64) int64 {
	if cycle, ok := s.born[n.ID]; ok && cycle > first {
		return cycle
	}
	return min(n.Cycle, first)
}
