package pact

import (
	"context"

	"github.com/contexttree/pact/diff"
)

// Life is the story of one node, also of one that is gone. What is said of the
// node itself is of its latest version, what is said of its place of the latest
// state that holds it.
type Life struct {
	ID     string `json:"id"`
	Type   string `json:"nodeType"`
	Class  string `json:"class"`
	Role   string `json:"role,omitempty"`
	Kind   string `json:"kind,omitempty"`
	Key    string `json:"key,omitempty"`
	State  State  `json:"state"`
	Cycle  int64  `json:"cycle"`  // that brought it
	Expiry *int64 `json:"expiry"` // the cycle whose commit takes it, null for a node that stays

	First *int64 `json:"first_snapshot"` // that holds it; null where none does
	Last  *int64 `json:"last_snapshot"`

	Parent     string      `json:"parent_id,omitempty"`
	Turn       string      `json:"turn,omitempty"`
	Children   []string    `json:"children"`
	Refs       []string    `json:"refs"`
	ReferredBy []string    `json:"referred_by"`
	Range      *diff.Range `json:"range"` // in the thread of the last snapshot that holds it

	Events []LifeEvent `json:"events"` // in the order of time
}

// State says where a node is now.
type State string

// The states.
const (
	Draft State = "draft" // in the working state only
	There State = "there" // in the latest snapshot and in the working state
	Going State = "going" // in the latest snapshot, and removed by an edit since
	Gone  State = "gone"
)

// Happening is what an event of a life was.
type Happening string

// The happenings.
const (
	Born       Happening = "born"
	Sealed     Happening = "sealed"   // with ^ah, into a turn
	Updated    Happening = "updated"  // headers or content
	Moved      Happening = "moved"    // under another parent
	Attached   Happening = "attached" // Node came below it
	Detached   Happening = "detached" // Node left it
	Referred   Happening = "referred" // Node refers to it
	Unreferred Happening = "unreferred"
	Retained   Happening = "retained" // a holder kept it
	Held       Happening = "held"     // it was to go, and something kept it
	Removed    Happening = "removed"
	Emptied    Happening = "erased" // for good, in all snapshots
)

// LifeEvent is one thing that happened to a node.
type LifeEvent struct {
	Cycle  int64        `json:"cycle"`
	Until  int64        `json:"until,omitempty"` // the last cycle in a row, of what happened again and again
	What   Happening    `json:"what"`
	Draft  bool         `json:"draft,omitempty"`     // not committed yet
	Region string       `json:"region,omitempty"`    // where it was put
	Parent string       `json:"parent_id,omitempty"` // under which node
	Turn   string       `json:"turn,omitempty"`      // in which turn
	Node   string       `json:"node,omitempty"`      // the other node; of a birth or a removal what it was or became by a move
	Fields []diff.Field `json:"fields,omitempty"`
	Reason string       `json:"reason,omitempty"` // of what was held: why it was to go
	Kept   string       `json:"kept,omitempty"`   // and what kept it; Node is the one that did
	Cause  *Cause       `json:"cause,omitempty"`
}

// Life tells the story of a node: its birth, its place, every change, what was
// attached to it and referred to it, what kept it, and how it went.
// E_NODE_NOT_FOUND for an id that no state and no commit ever knew; a draft that
// was removed before its commit leaves no trace. Cost: what changed in the whole
// history.
func (c *Context) Life(ctx context.Context, id string) (*Life, error) {
	s := c.state.Load()
	trees, err := c.states(ctx, s, s.Working)
	if err != nil {
		return nil, err
	}
	log, err := c.chronicle(ctx, s, 0, s.Working.Cycle())
	if err != nil {
		return nil, err
	}
	b := &biographer{ctx: ctx, context: c, state: s, log: log, trees: trees,
		life: &Life{ID: id, Children: []string{}, Refs: []string{}, ReferredBy: []string{}, Events: []LifeEvent{}}}
	return b.life, b.tell()
}

// rank orders the events of one cycle: the birth comes first, the end last.
func (e *LifeEvent) rank() int {
	switch e.What {
	case Born:
		return 0
	case Sealed:
		return 1
	case Removed:
		return 3
	}
	return 2
}
