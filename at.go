package pact

import (
	"context"
	"iter"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/address"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// CycleAt returns the cycle of the snapshot at an address, without reading it. The working state is no snapshot.
func (c *Context) CycleAt(a Address) (int64, error) { return address.Snapshot(string(a), c.Info()) }

// Working returns the working state as it was last loaded or written, without asking the store. Use [Context.At] with
// the address working to be sure that it holds nothing that was erased since.
func (c *Context) Working() *Snapshot {
	s := c.state.Load()
	return s.show(s.open())
}

// At returns the snapshot at an address, or the working state. Cost: reading the snapshot without the contents of its
// nodes; for the working state and the latest snapshot only a look-up.
func (c *Context) At(ctx context.Context, a Address) (_ *Snapshot, err error) {
	s, t, err := c.stateAt(ctx, a)
	if err != nil {
		return nil, err
	}
	return s.show(t), nil
}

// stateAt returns the tree at an address, and the state in which it is.
func (c *Context) stateAt(ctx context.Context, a Address) (s *state, t *tree.Tree, err error) {
	if s, err = c.current(ctx); err == nil {
		t, err = c.treeAt(ctx, s, a)
	}
	return s, t, err
}

// treeAt returns the tree of a snapshot, or of the working state.
func (c *Context) treeAt(ctx context.Context, s *state, a Address) (*tree.Tree, error) {
	if a.isWorking() {
		return s.open(), nil
	}
	cycle, err := address.Snapshot(string(a), s.Info.Info)
	if err != nil {
		return nil, err
	}
	if cycle == s.State.Cycle {
		return s.Head, nil
	}
	return engine.Snapshot(ctx, c.store, s.Key, cycle)
}

// At returns the snapshot itself for @t0, for its own cycle and for the working state. So
// a snapshot that stands alone (see [ReadSnapshot]) answers these addresses as a
// [Context] does. It returns E_SNAPSHOT_NOT_FOUND for any other address.
func (s *Snapshot) At(a Address) (_ *Snapshot, err error) {
	at, err := address.Parse(string(a))
	if err != nil {
		return nil, err
	}
	if at.IsWorking() || at == address.Back(0) || at == address.Cycle(s.Cycle()) {
		return s, nil
	}
	return nil, address.NoSnapshot(string(a), s.edition, "the document is one snapshot, "+
		address.Back(0).Text(s.edition)+", which is "+Cycle(s.Cycle()).String())
}

// named returns an error if the address of a selector names anything but this snapshot.
func (s *Snapshot) named(q *selector.Selector) error {
	switch t := q.Time; {
	case t == nil || s.alone && t.Kind == selector.All:
		return nil
	case !s.alone:
		return fault.New(fault.SelectorInvalid, "the selector has an address, but only this snapshot is asked",
			"leave the address out, or ask the context")
	case t.Kind == selector.Range:
		return fault.New(fault.SelectorInvalid, "the selector addresses a range, but a document is one snapshot",
			"leave the address out")
	}
	_, err := s.At(Address(address.Of(q)))
	return err
}

// History yields the snapshots between two addresses, both included, oldest first. Neighbours share what did not
// change, and only a few are held in memory at a time. Cost: reading the first snapshot, then what changed from each
// snapshot to the next.
func (c *Context) History(ctx context.Context, from, to Address) iter.Seq2[*Snapshot, error] {
	return func(yield func(*Snapshot, error) bool) {
		s, err := c.current(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		first, last, err := address.Snapshots(s.Info.Info, string(from), string(to))
		if err != nil {
			yield(nil, err)
			return
		}
		for t, err := range c.store.History(ctx, s.Key, first, last) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(s.show(t), nil) {
				return
			}
		}
	}
}

// addressed returns the trees in which a selector searches, newest first, and a warning
// for each end of a range that it clamped.
func (c *Context) addressed(ctx context.Context, s *state, q *selector.Selector) ([]*tree.Tree, []string, error) {
	first, last := s.Info.First, s.Info.Cycle
	var warnings []string
	switch {
	case q.Time != nil && q.Time.Kind == selector.All:
		if q.Edition.Traits().T0Working {
			last = s.State.Cycle + 1
		}
		if last < first {
			return nil, nil, nil
		}
	case q.Time != nil && q.Time.Kind == selector.Range:
		var err error
		if first, last, warnings, err = address.Range(q, s.Info.Info); err != nil {
			return nil, nil, err
		}
	default:
		t, err := c.treeAt(ctx, s, Address(address.Of(q)))
		if err != nil {
			return nil, nil, err
		}
		return []*tree.Tree{t}, nil, nil
	}
	spans := [][2]int64{{first, last}}
	if q.Time.Pair && first < last {
		spans = [][2]int64{{last, last}, {first, first}}
	}
	var trees []*tree.Tree
	for _, span := range spans {
		if span[1] > s.State.Cycle {
			trees = append(trees, s.open())
		}
		some, err := c.trees(ctx, s, span[0], min(span[1], s.State.Cycle))
		if err != nil {
			return nil, nil, err
		}
		trees = append(trees, some...)
	}
	return trees, warnings, nil
}

// trees reads the snapshots of some cycles, newest first; none if last < first.
func (c *Context) trees(ctx context.Context, s *state, first, last int64) ([]*tree.Tree, error) {
	if last < first {
		return nil, nil
	}
	if err := budget.Snapshots(ctx, last-first+1); err != nil {
		return nil, err
	}
	trees, err := engine.Collect(c.store.History(ctx, s.Key, first, last))
	if err != nil {
		return nil, err
	}
	newest := make([]*tree.Tree, len(trees))
	for i, t := range trees {
		newest[len(trees)-1-i] = t
	}
	return newest, nil
}
