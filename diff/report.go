package diff

import "encoding/json"

// Report is the rich form of a diff (02 §9.3, 05 §4.5): which nodes were added, removed
// and changed between two snapshots, why, and where they are in the threads that a model
// was sent (06 §4.4). Lists are in the order of [Result] and never nil.
//
// Specification: 05 §4.5, 06 §4.4.
type Report struct {
	From     Side           `json:"from"`                                 // the older snapshot
	To       Side           `json:"to"`                                   // the newer snapshot
	Added    []Component    `json:"components_added" nullable:"false"`    // nodes of To
	Removed  []Component    `json:"components_removed" nullable:"false"`  // nodes of From
	Modified []Modification `json:"components_modified" nullable:"false"` // nodes of both

	ChildrenAdded   map[string][]string `json:"children_added"`   // by id of a parent: ids of its new children
	ChildrenRemoved map[string][]string `json:"children_removed"` // by id of a parent: ids of those that left

	Moves        []Move        `json:"moves" nullable:"false"`        // inferred
	Replacements []Replacement `json:"replacements" nullable:"false"` // inferred
}

// Side is one of the two snapshots and the size of its thread.
type Side struct {
	Label  string `json:"label"`  // the address, such as @c3
	Cycle  int64  `json:"cycle"`  // of the snapshot
	Blocks int    `json:"blocks"` // of the canonical thread
	Bytes  int64  `json:"bytes"`  // of the canonical thread
}

// Range is the place of a node in the canonical thread of a snapshot, in bytes: for a
// block its object, for any other node everything from the first object below it to the
// last. It is empty if no block is below the node.
type Range struct {
	Start int64 `json:"start"` // byte, from 0
	End   int64 `json:"end"`   // the byte behind the last one
}

// Ranges are the places of a node in both threads.
type Ranges struct {
	Previous *Range `json:"previous_range"` // nil where the From side lacks the node
	New      *Range `json:"new_range"`      // nil where the To side lacks it
}

// Component is a node that only one side has or, with a selector, that the selector finds
// on one side only.
type Component struct {
	ID     string `json:"id"`        // of the node
	Type   string `json:"nodeType"`  // its nodeType
	Parent string `json:"parent_id"` // "" for the root
	Cause  Cause  `json:"cause"`     // why it came or went
	Ranges
}

// Modification is a node that differs between the sides.
type Modification struct {
	ID            string         `json:"id"`                       // of the node
	Type          string         `json:"nodeType"`                 // on the newer side
	Fields        []Field        `json:"fields" nullable:"false"`  // sorted by name
	ParentChanged *ParentChanged `json:"parent_changed,omitempty"` // nil where the parent is the same
	OffsetChanged *OffsetChanged `json:"offset_changed,omitempty"` // in edition 1.0; nil where the offset is the same
	ContentDiff   *ContentDiff   `json:"content_diff,omitempty"`   // nil where the content is the same
	Cause         Cause          `json:"cause"`                    // what changed it last
	Ranges
}

// OffsetChanged has the offsets of a node before and after (1.0 02 §4.5.1).
type OffsetChanged struct {
	Previous int64 `json:"previous_offset"` // on the From side
	New      int64 `json:"new_offset"`      // on the To side
}

// Field is a header of a node that differs, with both values in JSON: null where a
// side lacks the header.
type Field struct {
	Name     string          `json:"name"`     // of the header
	Previous json.RawMessage `json:"previous"` // the value on the From side
	New      json.RawMessage `json:"new"`      // the value on the To side
}

// ParentChanged names the parents of a node before and after (02 §9.3).
type ParentChanged struct {
	Previous string `json:"previous_parent_id"` // id of the parent on the From side
	New      string `json:"new_parent_id"`      // id of the parent on the To side
}

// Move is a removed node and an added one of equal content hash: probably the
// same thing in another place, since the move of a published node gives it a
// new id (05 §4.5).
type Move struct {
	PreviousID     string `json:"previous_id"`        // id of the removed node
	NewID          string `json:"new_id"`             // id of the added node
	ContentHash    string `json:"content_hash"`       // hexadecimal
	PreviousParent string `json:"previous_parent_id"` // id of the parent of the removed node
	NewParent      string `json:"new_parent_id"`      // id of the parent of the added node
	Cause          Cause  `json:"cause"`              // why the removed node went
	Ranges
}

// Replacement is a removed node and an added one of the same key, with other
// content.
type Replacement struct {
	Key         string       `json:"key"`                    // the key facet: that of a node without a key is its id
	PreviousID  string       `json:"previous_id"`            // id of the removed node
	NewID       string       `json:"new_id"`                 // id of the added node
	ContentDiff *ContentDiff `json:"content_diff,omitempty"` // nil where the content is the same
	Cause       Cause        `json:"cause"`                  // why the removed node went
	Ranges
}
