package diff

import (
	"encoding/json"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/selector"
)

// RangeDiffLatestResult says how the selected nodes of a range of snapshots changed from
// each snapshot to the snapshot before it (04 §4). Equal histories and selectors give
// equal bytes in JSON, whether the range is written with .. or with a colon. Lists
// without omitempty are never nil.
type RangeDiffLatestResult struct {
	Query     string        `json:"query"`                      // the selector as the caller wrote it
	Snapshots []SnapshotRef `json:"snapshots" nullable:"false"` // newest first
	Diffs     []RangeBlock  `json:"diffs" nullable:"false"`     // newest first
	Mode      string        `json:"mode"`                       // pairwise, or reduce for one block from the newest to the oldest
	Limits    *RangeLimits  `json:"limits,omitempty"`           // nil if no cap was given
	Warnings  []string      `json:"warnings,omitempty"`         // what was clamped, or shown in another form than asked for
	Errors    []RangeError  `json:"errors,omitempty"`           // none of them fatal
}

// SnapshotRef names a snapshot of a range by @t or by @c, as the range does.
type SnapshotRef struct {
	Kind  string `json:"kind"`  // t or c
	Value int64  `json:"value"` // -3 for @t-3, 12 for @c12
	Label string `json:"label"` // the address, such as @t-3
	Cycle int64  `json:"cycle"` // of the snapshot
}

// RangeBlock is one step of a range, from the newer snapshot to the older.
type RangeBlock struct {
	From       SnapshotRef  `json:"from"`                         // the newer snapshot
	To         SnapshotRef  `json:"to"`                           // the older one
	AddedIDs   []string     `json:"added_ids" nullable:"false"`   // in From and not in To
	RemovedIDs []string     `json:"removed_ids" nullable:"false"` // in To and not in From
	Changed    []NodeChange `json:"changed" nullable:"false"`     // in both
	Stats      RangeStats   `json:"stats"`                        // the lengths of the three lists before any cap
}

// NodeChange names the headers in which a node differs between two snapshots of a
// range.
type NodeChange struct {
	ID           string            `json:"id"`                     // of the node
	Fields       []string          `json:"fields"`                 // sorted names of headers
	Delta        map[string]Values `json:"delta,omitempty"`        // by name: both values of the headers that are scalar
	ContentDiff  *ContentDiff      `json:"content_diff,omitempty"` // nil if not asked for or if nothing differs
	Materialized *HeaderValues     `json:"materialized,omitempty"` // nil if no headers were asked for
}

// HeaderValues holds headers of both versions of a node by name, in JSON: null
// where a version lacks one.
type HeaderValues struct {
	From map[string]json.RawMessage `json:"from"` // in the newer snapshot
	To   map[string]json.RawMessage `json:"to"`   // in the older one
}

// RangeStats counts the nodes of a block that differ, including those that a cap left out.
type RangeStats struct {
	Added   int `json:"added"`   // nodes in From and not in To
	Removed int `json:"removed"` // nodes in To and not in From
	Changed int `json:"changed"` // nodes in both that differ
}

// RangeOptions says what to show of a range of snapshots (04 §4, options).
type RangeOptions struct {
	Edition selector.Edition // of the selector; "" means that of the context
	// IncludeContent shows what changed in the content of a node, in the form ContentMode, "" for unified, with so many
	// lines of context; 0 means 3, and a negative number none.
	IncludeContent bool
	ContentMode    Mode
	ContextLines   int
	// Materialize names headers whose values, before and after, are shown for every changed node: any of content, mime,
	// encoding and content_hash.
	Materialize []string
	// MaxSnapshots keeps only so many of the newest snapshots of the range, at least 1, else it is E_SNAPSHOT_RANGE_LIMIT;
	// nil keeps all.
	MaxSnapshots *int
	// MaxChangesPerSnapshot keeps only so many entries of every block: first of the added nodes, then of the removed, then
	// of the changed. The statistics still count all of them. nil keeps all.
	MaxChangesPerSnapshot *int
}

// RangeLimits says which caps the caller set, nil for one that was not set, and whether a
// cap left something out.
type RangeLimits struct {
	MaxSnapshots          *int `json:"maxSnapshots,omitempty"`          // of the range, at least 1
	MaxChangesPerSnapshot *int `json:"maxChangesPerSnapshot,omitempty"` // entries of a block, at least 0
	Truncated             bool `json:"truncated"`                       // a cap cut something off
}

// RangeError is a failure that does not affect the rest of the result.
type RangeError struct {
	Code    fault.Code `json:"code"`    // E_SNAPSHOT_RANGE_LIMIT
	Message string     `json:"message"` // what was left out
	Fatal   bool       `json:"fatal"`   // always false: the call returns a fatal failure as its error
}
