package pact

import (
	"cmp"
	"context"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/differ"
	"github.com/contexttree/pact/internal/search"
)

// RangeDiffLatest answers a selector that addresses a range of snapshots (04
// §2.2). The controls of the selector apply inside each snapshot; @mode=reduce
// gives one block from the newest to the oldest. Ends beyond what exists are
// clamped, with a warning; a range that misses everything is
// E_SNAPSHOT_NOT_FOUND, a selector without a range E_SELECTOR_INVALID.
//
// Cost: what is selected in each snapshot and what differs between neighbours.
func (c *Context) RangeDiffLatest(ctx context.Context, text string, opts *RangeOptions) (*diff.RangeDiffLatestResult,
	error) {
	o := orZero(opts)
	r, err := search.NewRange(text, cmp.Or(o.Edition, c.Edition()), search.RangeOptions{
		MaxSnapshots: o.MaxSnapshots, MaxChangesPerSnapshot: o.MaxChangesPerSnapshot,
		Content: (*differ.ContentOptions)(o.Content), Materialize: o.Materialize,
	})
	if err != nil {
		return nil, err
	}
	state := c.state.Load()
	trees, warnings, err := c.addressed(ctx, state, r.Selector)
	if err != nil {
		return nil, err
	}
	axis := r.Selector.Time.From.Axis
	name := func(cycle int64) diff.SnapshotRef { return snapshotRef(axis, state.Info.Cycle, cycle) }
	return r.Changes(ctx, trees, name, warnings)
}

// snapshotRef names the snapshot of a cycle on an axis.
func snapshotRef(axis byte, latest, cycle int64) diff.SnapshotRef {
	if axis == 'c' {
		return diff.SnapshotRef{Kind: "c", Value: cycle, Label: Cycle(cycle).String(), Cycle: cycle}
	}
	return diff.SnapshotRef{Kind: "t", Value: cycle - latest, Label: Address{'t', cycle - latest}.String(), Cycle: cycle}
}
