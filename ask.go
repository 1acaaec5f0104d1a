package pact

import (
	"context"
	"iter"
	"slices"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/fault"
	"github.com/contexttree/pact/query"
	"github.com/contexttree/pact/selector"
)

// Working returns the working state as it is now.
func (c *Context) Working() *Snapshot {
	s := c.state.Load()
	return &Snapshot{tree: s.Working, edition: Edition(s.Edition)}
}

// At returns the state at an address. E_SNAPSHOT_NOT_FOUND without one.
func (c *Context) At(ctx context.Context, a Address) (*Snapshot, error) {
	if a == Working {
		return c.Working(), nil
	}
	s := c.state.Load()
	cycle, err := a.cycle(s.Info)
	if err != nil {
		return nil, err
	}
	t := s.Head
	if cycle != s.State.Cycle {
		if t, err = c.store.Snapshot(ctx, s.Key, cycle); err != nil {
			return nil, err
		}
	}
	return &Snapshot{tree: t, edition: Edition(s.Edition)}, nil
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

// Select returns the ids that a selector finds (04 §2.2), in document order:
// in the snapshot that it addresses, in the working state or the latest
// snapshot, as its edition says, where it addresses none, and for @* in all
// snapshots, newest first, each id once.
func (c *Context) Select(ctx context.Context, q *selector.Selector) ([]string, error) {
	plan, err := query.Compile(q)
	if err != nil {
		return nil, err
	}
	if q.Time != nil && q.Time.Kind == selector.All {
		return c.selectAll(ctx, plan)
	}
	address, err := addressOf(q)
	if err != nil {
		return nil, err
	}
	s, err := c.At(ctx, address)
	if err != nil {
		return nil, err
	}
	r, err := plan.Run(ctx, s.tree)
	return r.IDs, err
}

// addressOf returns where a selector that is no range and not @* looks.
func addressOf(q *selector.Selector) (Address, error) {
	switch {
	case q.Time == nil && q.Edition.Traits().DefaultWorking:
		return Working, nil
	case q.Time == nil:
		return Latest, nil
	case q.Time.Kind == selector.Range:
		return Address{}, fault.New(fault.SelectorInvalid, "ranges of snapshots are parsed but not evaluated by this release", "ask one snapshot, or all of them with @*")
	case q.Time.From.Oldest:
		return Address{}, fault.New(fault.SelectorInvalid, "@t-* is the end of a range", "name the oldest snapshot by its cycle")
	}
	return Address{q.Time.From.Axis, q.Time.From.N}, nil
}

func (c *Context) selectAll(ctx context.Context, plan *query.Plan) ([]string, error) {
	ids := []string{}
	first, last := c.Cycles()
	if last < first {
		return ids, nil
	}
	list, err := c.history(ctx, Cycle(first), Cycle(last))
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	for _, s := range slices.Backward(list) {
		r, err := plan.Run(ctx, s.tree)
		if err != nil {
			return nil, err
		}
		for _, id := range r.IDs {
			if !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids, nil
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
	if q == nil {
		return diff.Trees(from.tree, to.tree, nil), nil
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
	return diff.Trees(from.tree, to.tree, &diff.Selection{From: sides[0], To: sides[1]}), nil
}
