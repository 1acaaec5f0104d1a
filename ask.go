package pact

import (
	"context"
	"iter"

	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
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
	return store.Snapshot(ctx, c.store, s.Key, cycle)
}

// History yields the snapshots between two addresses, both included, oldest
// first. They share what did not change from one to the next.
func (c *Context) History(ctx context.Context, from, to Address) iter.Seq2[*Snapshot, error] {
	return func(yield func(*Snapshot, error) bool) {
		s := c.state.Load()
		first, last, err := cycles(s.Info, from, to)
		if err != nil {
			yield(nil, err)
			return
		}
		for t, err := range c.store.History(ctx, s.Key, first, last) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(&Snapshot{tree: t, edition: Edition(s.Edition)}, nil) {
				return
			}
		}
	}
}

// Parse reads a selector in the edition of the context.
func (c *Context) Parse(text string) (*selector.Selector, error) {
	return selector.Parse(text, c.Edition())
}
