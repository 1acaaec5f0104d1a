package inspect

import "github.com/contexttree/pact/diff"

// Timeline is everything that happened to one node, which may be gone by now (06 §6).
// Type, class, role, kind, key and expiry are those of its latest version; turn, parent,
// children and references are those in the latest state that has it. Lists may be empty and
// are never nil.
type Timeline struct {
	ID     string   `json:"id"`             // of the node
	Type   string   `json:"nodeType"`       // its nodeType
	Class  string   `json:"class"`          // ^root, ^sys, ^seq, ^ah, turn, container or block
	Role   string   `json:"role,omitempty"` // "" without one
	Kind   string   `json:"kind,omitempty"` // the header kind, "" without one
	Key    string   `json:"key,omitempty"`  // the header key, "" without one
	State  Presence `json:"state"`          // where the node is now
	Cycle  int64    `json:"cycle"`          // the cycle that brought the node
	Expiry *int64   `json:"expiry"`         // the cycle whose commit removes the node, nil for a node that never expires

	First *int64 `json:"first_snapshot"` // cycle of the oldest snapshot that holds the node, nil where none does
	Last  *int64 `json:"last_snapshot"`  // cycle of the newest one, nil where none does

	Parent     string      `json:"parent_id,omitempty"`          // "" for the root
	Turn       string      `json:"turn,omitempty"`               // id of the turn above the node, "" if there is none
	Children   []string    `json:"children" nullable:"false"`    // ids in canonical order (02 §4.3)
	Refs       []string    `json:"refs" nullable:"false"`        // ids that the node refers to, as it lists them
	ReferredBy []string    `json:"referred_by" nullable:"false"` // ids of the nodes that refer to it, in document order
	Range      *diff.Range `json:"range"`                        // bytes in the thread of snapshot Last, nil if that is nil

	Events []Event `json:"events" nullable:"false"` // in the order of time
}

// Presence says where a node is now.
type Presence string

// The values of Presence.
const (
	Draft   Presence = "draft" // only the working state holds it
	Present Presence = "there" // the latest snapshot and the working state hold it
	Leaving Presence = "going" // the latest snapshot holds it, and an edit has removed it since
	Gone    Presence = "gone"  // neither holds it
)

// EventKind says what happened to a node.
type EventKind string

// The kinds of event. The node of the timeline is "it" here; Other is the id of
// another node.
const (
	EventBorn       EventKind = "born"       // it was added; Other is the node that was moved here under a new id, if any
	EventSealed     EventKind = "sealed"     // a commit sealed ^ah, with it, into a turn (02 §6.2)
	EventUpdated    EventKind = "updated"    // headers or content changed; Fields has both values
	EventMoved      EventKind = "moved"      // an edit put it under another parent
	EventAttached   EventKind = "attached"   // Other became a child of it
	EventDetached   EventKind = "detached"   // Other is no child of it any more
	EventReferred   EventKind = "referred"   // Other began to refer to it
	EventUnreferred EventKind = "unreferred" // Other stopped referring to it
	EventRetained   EventKind = "retained"   // a holder of pact.Context.Retain kept it at a commit (02 §5.4)
	EventHeld       EventKind = "held"       // a commit was to remove it and did not; Reason, KeptBy and Other say why
	EventRemoved    EventKind = "removed"    // it went; Other is the node that it became by a move, if any
	EventErased     EventKind = "erased"     // an erasure emptied it in all snapshots
)

// Event is one thing that happened to the node of a timeline.
type Event struct {
	Cycle  int64        `json:"cycle"`               // in which it happened
	Until  int64        `json:"until,omitempty"`     // last cycle of a row in which the same happened, 0 for one cycle
	Kind   EventKind    `json:"what"`                // what happened
	Draft  bool         `json:"draft,omitempty"`     // no commit has published it yet
	Region string       `json:"region,omitempty"`    // of a new place: ^sys, ^seq or ^ah
	Parent string       `json:"parent_id,omitempty"` // of a new place: id of the parent
	Turn   string       `json:"turn,omitempty"`      // of a new place: id of the turn, "" outside turns
	Other  string       `json:"node,omitempty"`      // id of the other node concerned, see the kinds
	Fields []diff.Field `json:"fields,omitempty"`    // of an update: the headers that changed, sorted by name
	Reason string       `json:"reason,omitempty"`    // of EventHeld: why the node was to go, a kind of cause
	// of EventHeld: the rule that kept it; Other is the node that the rule refers to
	KeptBy string      `json:"kept,omitempty"`
	Cause  *diff.Cause `json:"cause,omitempty"` // nil if the kind says it all
}
