package diff

import "encoding/json"

// Result is the normative form of a diff (05 §4.3), with exactly these three keys in JSON.
// Nodes are in the canonical order of the newer snapshot; nodes that it lacks are in the
// order of the older one (05 §4.4). No list is nil.
//
// Specification: 05 §4.3, 06 §4.3.
type Result struct {
	Added   []string `json:"added"`   // ids
	Removed []string `json:"removed"` // ids
	Changed []Change `json:"changed"` // nodes that both have
}

// Change names the headers in which a node differs (05 §4.2).
type Change struct {
	ID     string   `json:"id"`     // of the node
	Fields []string `json:"fields"` // sorted; content shows as content_hash, the place in the tree as parent
}

// Empty reports whether the two snapshots do not differ.
func (r *Result) Empty() bool { return len(r.Added)+len(r.Removed)+len(r.Changed) == 0 }

// Values are the two values of one header in a range of snapshots, in JSON: null
// where a version lacks the header (000, 003, 001 §4).
type Values struct {
	From json.RawMessage `json:"from"` // in the newer snapshot of a pair
	To   json.RawMessage `json:"to"`   // in the older one
}
