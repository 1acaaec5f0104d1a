package operations

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/lifecycle"
)

// Edit is one edit of a batch, as an operation of pact apply and a request to the server describe it.
type Edit struct {
	Op            string                 // add, result, update, replace, move, remove, reorder or policy
	ID            string                 // of update, replace, move and remove: the node; of result: the call
	IDs           []string               // of reorder
	Into, At      string                 // of add and move: a parent, or a position
	Offset, Depth int64                  // of move with Into; of add and move in place of Into: of a new turn
	Node          *pact.Spec             // of add, result and replace
	Set           map[string]canon.Value // of update
	Policy        *lifecycle.Policy      // of policy: nil to keep none
}

// Misplaced is an error about a text that names a position.
type Misplaced struct {
	Text string
	Err  error
}

func (e *Misplaced) Error() string { return e.Err.Error() }
func (e *Misplaced) Unwrap() error { return e.Err }

// Apply makes the edit, and returns the id of the node concerned. E_DOCUMENT_INVALID for one that lacks something or has
// too much; else the errors of the batch, a [Misplaced] for those about a position.
func (e *Edit) Apply(b *pact.Batch) (id string, err error) {
	if err := e.check(b.Edition().Traits().ParentIDs); err != nil {
		return "", err
	}
	switch e.Op {
	case "add":
		switch {
		case e.Depth != 0:
			id = b.Splice(e.Depth, *e.Node)
		case e.At != "":
			return b.Add(e.At, *e.Node), misplaced(b.Err(), e.At)
		default:
			id = b.Add(e.Into, *e.Node)
		}
	case "result":
		id = b.AddResult(e.ID, *e.Node)
	case "update":
		id = e.ID
		b.Update(e.ID, func(s *pact.Spec) {
			for _, name := range slices.Sorted(maps.Keys(e.Set)) {
				err = cmp.Or(err, Set(s, name, e.Set[name]))
			}
		})
	case "replace":
		id = b.Replace(e.ID, *e.Node)
	case "move":
		switch {
		case e.Depth != 0:
			id = b.MoveToDepth(e.Depth, e.ID)
		case e.At != "":
			return b.Move(e.ID, e.At, 0), misplaced(b.Err(), e.At)
		default:
			id = b.Move(e.ID, e.Into, e.Offset)
		}
	case "remove":
		id = e.ID
		b.Remove(e.ID)
	case "reorder":
		b.Reorder(e.IDs...)
	case "policy":
		b.KeepPolicy(e.Policy)
	default:
		return "", fault.At(fault.DocumentInvalid, fault.NoOffset, e.Op, "there is no such edit",
			"write add, result, update, replace, move, remove, reorder or policy")
	}
	return id, cmp.Or(err, b.Err())
}

// reads are the members that each edit reads.
var reads = map[string]string{"add": "node into at depth", "result": "id node", "update": "id set", "replace": "id node",
	"move": "id into at offset depth", "remove": "id", "reorder": "ids", "policy": "policy"}

// check refuses an edit that lacks a node or a place, or has what it would ignore. Where nodes name their parents, the
// library says what an added one lacks.
func (e *Edit) check(named bool) error {
	if own := strings.Fields(reads[e.Op]); len(own) > 0 {
		for _, m := range [...]struct {
			name  string
			given bool
		}{{"id", e.ID != ""}, {"ids", len(e.IDs) > 0}, {"into", e.Into != ""}, {"at", e.At != ""}, {"offset", e.Offset != 0},
			{"depth", e.Depth != 0}, {"node", e.Node != nil}, {"set", len(e.Set) > 0}, {"policy", e.Policy != nil}} {
			if m.given && !slices.Contains(own, m.name) {
				return fault.At(fault.DocumentInvalid, fault.NoOffset, m.name, "the edit "+e.Op+" reads no "+strconv.Quote(m.name),
					"it reads "+strings.Join(own, ", "))
			}
		}
	}
	if e.Node == nil && (e.Op == "add" || e.Op == "result" || e.Op == "replace") {
		return fault.New(fault.DocumentInvalid, "an edit that adds has no node", `give it as "node"`)
	}
	if e.Op != "add" && e.Op != "move" {
		return nil
	}
	places := 0
	for _, given := range [...]bool{e.Into != "", e.At != "", e.Depth != 0} {
		if given {
			places++
		}
	}
	switch {
	case places > 1 || places == 0 && !(named && e.Op == "add"):
		return fault.New(fault.DocumentInvalid, `an edit has several of "into", "at" and "depth", or none`, "give one of them")
	case e.At != "" && e.Offset != 0:
		return fault.New(fault.DocumentInvalid, "an edit has a position and an offset", `leave "offset" out`)
	}
	return nil
}

func misplaced(err error, at string) error {
	if err == nil {
		return nil
	}
	return &Misplaced{at, err}
}
