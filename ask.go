package pact

import (
	"context"
	"iter"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/tree"
)

// Working returns the working state as it is now.
func (c *Context) Working() *Snapshot {
	s := c.state.Load()
	return &Snapshot{tree: s.Working, edition: Edition(s.Edition)}
}

// At returns the state at an address. E_SNAPSHOT_NOT_FOUND without one.
func (c *Context) At(ctx context.Context, a Address) (*Snapshot, error) {
	s := c.state.Load()
	t, err := c.at(ctx, s, a)
	if err != nil {
		return nil, err
	}
	return &Snapshot{tree: t, edition: Edition(s.Edition)}, nil
}

func (c *Context) at(ctx context.Context, s *state, a Address) (*tree.Tree, error) {
	if a == Working {
		return s.Working, nil
	}
	cycle, err := a.cycle(s.Info)
	if err != nil {
		return nil, err
	}
	if cycle == s.State.Cycle {
		return s.Head, nil
	}
	return c.store.Snapshot(ctx, s.Key, cycle)
}

// History yields the snapshots between two addresses, both included, oldest
// first. They share what did not change from one to the next.
func (c *Context) History(ctx context.Context, from, to Address) iter.Seq2[*Snapshot, error] {
	return func(yield func(*Snapshot, error) bool) {
		list, err := c.history(ctx, from, to)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, s := range list {
			if !yield(s, nil) {
				return
			}
		}
	}
}

func (c *Context) history(ctx context.Context, from, to Address) ([]*Snapshot, error) {
	s := c.state.Load()
	first, err := from.cycle(s.Info)
	if err != nil {
		return nil, err
	}
	last, err := to.cycle(s.Info)
	if err != nil {
		return nil, err
	}
	trees, err := c.store.History(ctx, s.Key, min(first, last), max(first, last))
	if err != nil {
		return nil, err
	}
	list := make([]*Snapshot, len(trees))
	for i, t := range trees {
		list[i] = &Snapshot{tree: t, edition: Edition(s.Edition)}
	}
	return list, nil
}

// Parse reads a selector in the edition of the context.
func (c *Context) Parse(text string) (*selector.Selector, error) {
	return selector.Parse(text, c.Edition())
}

// Diff returns what leads from a to b (05 §4). With a selector each side is
// first restricted to what it selects there; a selector with an address of its
// own is E_SELECTOR_INVALID. Cost: what differs, and what is selected.
func (c *Context) Diff(ctx context.Context, a, b Address, q *selector.Selector) (*diff.Result, error) {
	from, err := c.At(ctx, a)
	if err != nil {
		return nil, err
	}
	to, err := c.At(ctx, b)
	if err != nil {
		return nil, err
	}
	return Diff(ctx, from, to, q)
}

// Diff is Context.Diff between two snapshots at hand.
func Diff(ctx context.Context, from, to *Snapshot, q *selector.Selector) (*diff.Result, error) {
	selection, err := restrict(ctx, from, to, q)
	if err != nil {
		return nil, err
	}
	return diff.Trees(from.tree, to.tree, selection), nil
}

// restrict asks both sides of a diff for what a selector finds there, nil where
// there is no selector.
func restrict(ctx context.Context, from, to *Snapshot, q *selector.Selector) (*diff.Selection, error) {
	if q == nil {
		return nil, nil
	}
	var sides [2]map[string]bool
	for i, s := range [...]*Snapshot{from, to} {
		ids, err := s.Select(ctx, q)
		if err != nil {
			return nil, err
		}
		sides[i] = make(map[string]bool, len(ids))
		for _, id := range ids {
			sides[i][id] = true
		}
	}
	return &diff.Selection{From: sides[0], To: sides[1]}, nil
}
