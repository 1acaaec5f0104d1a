package pact

import (
	"context"
	"fmt"
	"math"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// addressed returns the trees that a selector is put to, newest first, and for
// a range what had to be clamped.
func (c *Context) addressed(ctx context.Context, s *state, q *selector.Selector) ([]*tree.Tree, []string, error) {
	first, last := s.Info.First, s.Info.Cycle
	var warnings []string
	switch {
	case q.Time != nil && q.Time.Kind == selector.All:
		if last < first {
			return nil, nil, nil
		}
	case q.Time != nil && q.Time.Kind == selector.Range:
		var err error
		if first, last, warnings, err = span(q.Time, s.Info); err != nil {
			return nil, nil, err
		}
	default:
		t, err := c.at(ctx, s, addressOf(q))
		return []*tree.Tree{t}, nil, err
	}
	trees, err := c.trees(ctx, s, first, last)
	return trees, warnings, err
}

// trees reads the snapshots of some cycles, newest first.
func (c *Context) trees(ctx context.Context, s *state, first, last int64) ([]*tree.Tree, error) {
	trees, err := store.Collect(c.store.History(ctx, s.Key, first, last))
	if err != nil {
		return nil, err
	}
	newest := make([]*tree.Tree, len(trees))
	for i, t := range trees {
		newest[len(trees)-1-i] = t
	}
	return newest, nil
}

// addressOf returns where a selector looks that is no range and not @*.
func addressOf(q *selector.Selector) Address {
	switch {
	case q.Time == nil && q.Edition.Traits().DefaultWorking:
		return Working
	case q.Time == nil:
		return Latest
	}
	return Address{q.Time.From.Axis, q.Time.From.N}
}

// span resolves a range to cycles. Its ends stand in either order; what lies
// beyond the snapshots that exist is clamped, with a warning for each end.
func span(t *selector.Time, i store.Info) (first, last int64, warnings []string, err error) {
	ends := [2]int64{}
	for k, p := range [...]selector.Point{t.From, t.To} {
		switch {
		case p.Oldest:
			ends[k] = i.First
		case p.Axis == 't':
			ends[k] = i.Cycle + min(p.N, math.MaxInt64-i.Cycle)
		default:
			ends[k] = p.N
		}
	}
	text := t.String()
	lo, hi := min(ends[0], ends[1]), max(ends[0], ends[1])
	if hi < i.First || lo > i.Cycle || i.Cycle < i.First {
		found := "the context has none yet"
		if i.Cycle >= i.First {
			found = fmt.Sprintf("the context has @c%d to @c%d", i.First, i.Cycle)
		}
		return 0, 0, nil, fault.At(fault.SnapshotNotFound, 0, text, "there is no snapshot in the range "+text, found)
	}
	if lo < i.First {
		warnings = append(warnings, fmt.Sprintf("the range begins before the oldest snapshot: clamped to @c%d", i.First))
	}
	if hi > i.Cycle {
		warnings = append(warnings, fmt.Sprintf("the range ends after the latest snapshot: clamped to @c%d", i.Cycle))
	}
	return max(lo, i.First), min(hi, i.Cycle), warnings, nil
}
