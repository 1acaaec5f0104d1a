package pact

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/query"
	"github.com/contexttree/pact/selector"
)

// RangeDiffLatestResult is what a range of snapshots gives: how the selected
// nodes changed from each snapshot to the one before it (04 §4). Equal histories
// and selectors give equal bytes as JSON; but for the query, .. and : do too.
type RangeDiffLatestResult struct {
	Query     string        `json:"query"`     // the selector as it was asked, byte for byte
	Snapshots []SnapshotRef `json:"snapshots"` // newest first
	Diffs     []DiffBlock   `json:"diffs"`
	Mode      string        `json:"mode"`             // pairwise, or reduce for one block from the newest to the oldest
	Limits    *RangeLimits  `json:"limits,omitempty"` // where a cap was given
	Warnings  []string      `json:"warnings,omitempty"`
	Errors    []RangeError  `json:"errors,omitempty"` // none of them fatal
}

// SnapshotRef names a snapshot of a range on the axis that the range was
// written in.
type SnapshotRef struct {
	Kind  string `json:"kind"`  // t or c
	Value int64  `json:"value"` // -3 for @t-3, 12 for @c12
	Label string `json:"label"`
	Cycle int64  `json:"cycle"`
}

// DiffBlock is one step of a range, from the newer snapshot to the older.
type DiffBlock struct {
	From       SnapshotRef  `json:"from"`
	To         SnapshotRef  `json:"to"`
	AddedIDs   []string     `json:"added_ids"`   // in From and not in To
	RemovedIDs []string     `json:"removed_ids"` // in To and not in From
	Changed    []NodeChange `json:"changed"`
	Stats      RangeStats   `json:"stats"`
}

// NodeChange names the headers in which a node differs, sorted, with both
// values of those that are scalar.
type NodeChange struct {
	ID           string                 `json:"id"`
	Fields       []string               `json:"fields"`
	Delta        map[string]diff.Values `json:"delta,omitempty"`
	ContentDiff  *diff.ContentDiff      `json:"content_diff,omitempty"` // with IncludeContent, where the content differs
	Materialized *Materialized          `json:"materialized,omitempty"`
}

// Materialized holds headers of both versions of a node, as Materialize asks:
// null where a version lacks one.
type Materialized struct {
	From map[string]json.RawMessage `json:"from"` // in the newer snapshot
	To   map[string]json.RawMessage `json:"to"`
}

// RangeStats counts what differs, before any cap.
type RangeStats struct {
	Added   int `json:"added"`
	Removed int `json:"removed"`
	Changed int `json:"changed"`
}

// RangeLimits says which caps were given and whether one of them cut something
// off.
type RangeLimits struct {
	MaxSnapshots          *int `json:"maxSnapshots,omitempty"`
	MaxChangesPerSnapshot *int `json:"maxChangesPerSnapshot,omitempty"`
	Truncated             bool `json:"truncated"`
}

// RangeError is a failure that leaves the rest of the result standing.
type RangeError struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Fatal   bool   `json:"fatal"`
}

// RangeDiffLatest answers a selector that addresses a range of snapshots (04
// §2.2). The controls of the selector apply inside each snapshot; @mode=reduce
// gives one block from the newest to the oldest. Ends beyond what exists are
// clamped, with a warning; a range that misses everything is
// E_SNAPSHOT_NOT_FOUND, a selector without a range E_SELECTOR_INVALID.
//
// Cost: what is selected in each snapshot and what differs between neighbours.
func (c *Context) RangeDiffLatest(ctx context.Context, q *selector.Selector, opts ...RangeOption) (*RangeDiffLatestResult, error) {
	b := rangeBuilder{rangeOptions: rangeOptions{mode: diff.Unified, contextLines: 3}, result: &RangeDiffLatestResult{Query: cmp.Or(q.Source, q.String()), Mode: "pairwise", Snapshots: []SnapshotRef{}, Diffs: []DiffBlock{}}}
	for _, o := range opts {
		o(&b.rangeOptions)
	}
	if err := b.check(q); err != nil {
		return nil, err
	}
	var err error
	if b.plan, err = query.Compile(q); err != nil {
		return nil, err
	}
	state := c.state.Load()
	trees, warnings, err := c.addressed(ctx, state, q)
	if err != nil {
		return nil, err
	}
	b.result.Warnings = warnings
	name := func(cycle int64) SnapshotRef { return ref(q.Time.From.Axis, state.Info.Cycle, cycle) }
	if err := b.blocks(ctx, b.newest(trees), name); err != nil {
		return nil, err
	}
	return b.result, nil
}
