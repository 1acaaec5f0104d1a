package pact

import (
	"cmp"
	"context"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/search"
	"github.com/contexttree/pact/selector"
)

// RangeDiffLatest answers a selector that addresses a range of snapshots, such as
// "@t-3..@t0 .block", with the changes from each snapshot of the range to the next (04
// §2.2, annex 10). The controls of the selector apply inside each snapshot. @mode=reduce
// gives one block of changes, from the newest to the oldest. Ends beyond the existing
// snapshots are clamped, with a warning. Errors: E_SNAPSHOT_NOT_FOUND if no snapshot is in
// the range, E_SELECTOR_INVALID if the selector has no range or asks for ids.
func (c *Context) RangeDiffLatest(ctx context.Context, query string, opts *RangeOptions) (*diff.RangeDiffLatestResult, error) {
	o := optionsOf(opts)
	q, err := parsedTexts.parse(query, cmp.Or(o.Edition, c.Edition()))
	if err != nil {
		return nil, err
	}
	return c.rangeChanges(ctx, q, o)
}

// rangeChanges returns the changes of a range.
func (c *Context) rangeChanges(ctx context.Context, q *selector.Selector, o RangeOptions) (*diff.RangeDiffLatestResult, error) {
	r, err := search.NewRange(q, o.search(c.counter))
	if err != nil {
		return nil, err
	}
	state := c.state.Load()
	trees, warnings, err := c.addressed(ctx, state, r.Selector)
	if err != nil {
		return nil, err
	}
	latest := state.Info.Cycle
	if r.Selector.Edition.Traits().T0Working {
		latest++
	}
	axis := r.Selector.Time.From.Axis
	name := func(cycle int64) diff.SnapshotRef { return snapshotRef(axis, latest, cycle) }
	return r.Changes(ctx, trees, name, warnings)
}

// snapshotRef names the snapshot of a cycle on an axis; latest is the cycle of @t0.
func snapshotRef(axis byte, latest, cycle int64) diff.SnapshotRef {
	if axis == 'c' {
		return diff.SnapshotRef{Kind: "c", Value: cycle, Label: Cycle(cycle).String(), Cycle: cycle}
	}
	return diff.SnapshotRef{Kind: "t", Value: cycle - latest, Label: Back(latest - cycle).String(), Cycle: cycle}
}
