package tree

import (
	"slices"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
)

// This file holds the edits by depth of edition 1.0 (1.0 05 §6): new turns in the history, moves into it,
// and the marks of what an edit took out. Nothing that was sealed is changed in place.

// The marker of a node that an edit took out of a sealed turn (1.0 05 §6.4).
const (
	redactionType             = "redaction"
	redactedName              = "pact:redacted" // the attribute that names what was there
	redactedText  canon.Value = `"[redacted]"`
)

// Splice adds a turn with these nodes at a depth of ^seq, 1 for the newest; the turns there and behind it
// stand one deeper. Nodes at offset 0 are in its core. No node of their keys may live in the sequence.
// Errors: E_PLACEMENT_INVALID for a depth beyond the history, or if the stamps around leave no place between
// them, and those of [Editor.Add].
//
// Specification: 1.0 05 §6.1.
func (x *Editor) Splice(depth int64, specs ...Spec) (turn string, err error) {
	err = x.allOrNothing(func() error {
		var core string
		if turn, core, err = x.turnAt(depth, x.blankTurn()); err != nil {
			return err
		}
		for _, s := range specs {
			if err := x.apart([]*Entry{x.root, x.Region(Seq)}, s.Key, ""); err != nil {
				return err
			}
			parent := turn
			if s.Offset == 0 {
				parent = core
			}
			if _, err := x.Add(parent, s); err != nil {
				return err
			}
		}
		return nil
	})
	return turn, err
}

func (x *Editor) blankTurn() Node { return Node{Type: x.env.Vocabulary.Turn, Expiry: Never} }

// turnAt adds a turn with these headers and an empty core at a depth. It takes the stamp of the older neighbour with
// the next index or, as the oldest, the nanosecond before that of the newer one.
func (x *Editor) turnAt(depth int64, turn Node) (id, core string, err error) {
	seq := x.Region(Seq)
	count := int64(seq.kids.Len())
	if !x.env.Bare {
		return "", "", misplaced(seq.node.ID, "in this edition a commit alone makes turns", "add to ^ah and commit")
	}
	if depth < 1 || depth > count+1 {
		return "", "", misplaced(seq.node.ID, "there is no depth "+strconv.FormatInt(depth, 10)+
			" for a turn: the history has "+strconv.FormatInt(count, 10), "write 1 for the newest turn")
	}
	inner := Node{Type: x.env.Vocabulary.Container, Expiry: Never}
	for _, n := range [...]*Node{&turn, &inner} {
		if err := x.stampNew(n, n.Type); err != nil {
			return "", "", err
		}
	}
	if count > 0 {
		near, err := seq.kids.At(int(max(0, count-depth)))
		if err != nil {
			return "", "", err
		}
		turn.Offset, turn.CreatedNS, turn.Index = near.node.Offset, near.node.CreatedNS, near.node.Index+1
		if depth > count {
			turn.CreatedNS, turn.Index = near.node.CreatedNS-1, 0
		}
	}
	kids := listOf([]*Entry{newEntry(NewNode(inner, nil), Container, nil)})
	e := newEntry(NewNode(turn, nil), Turn, kids)
	if err := x.attach(seq.node.ID, e); err != nil {
		return "", "", err
	}
	if rank, err := x.Region(Seq).kids.Rank(e); err != nil {
		return "", "", err
	} else if int64(rank) != count+1-depth {
		return "", "", misplaced(seq.node.ID, "the stamps of the turns leave no place between them", "add it at another depth")
	}
	return turn.ID, inner.ID, nil
}

// Bury moves nodes into a new turn at a depth of ^seq, and returns its id: nodes of ^ah are sealed early, others
// leave where they were. A turn that moves keeps its headers and gets a new id, and all
// in it keeps its own. A node of a core stays there. Its errors are those of [Editor.Splice] and [Editor.Move].
//
// Specification: 1.0 05 §6.3.
func (x *Editor) Bury(depth int64, ids ...string) (turn string, err error) {
	err = x.allOrNothing(func() error {
		var core string
		path, err := x.find(ids[0])
		if err != nil {
			return err
		}
		if e := path[len(path)-1]; e.class == Turn && len(ids) == 1 {
			return x.moveTurn(&turn, e, depth)
		}
		if turn, core, err = x.turnAt(depth, x.blankTurn()); err != nil {
			return err
		}
		for _, id := range ids {
			path, err := x.find(id)
			if err != nil {
				return err
			}
			e := path[len(path)-1]
			offset, parent := e.node.Offset, turn
			if within(path, Head) && len(path) > 3 {
				offset = path[2].node.Offset
			}
			if offset == 0 {
				parent = core
			}
			to, err := x.find(parent)
			if err != nil {
				return err
			}
			if e.class == Container && IsCore(e, path[len(path)-2].class) {
				return misplaced(id, "a core cannot be moved", "move the nodes in it")
			}
			if _, err := x.relocate(id, to, offset, false); err != nil {
				return err
			}
		}
		return nil
	})
	return turn, err
}

// moveTurn moves all that is in a turn into a new one at a depth, counted without it.
func (x *Editor) moveTurn(id *string, e *Entry, depth int64) error {
	gone, err := x.detach(e.node.ID)
	if err != nil {
		return err
	}
	n, empty := *gone.node, ""
	n.Offset, n.ForeignISO = 0, ""
	if err := x.loadContent(&n); err != nil {
		return err
	}
	if *id, empty, err = x.turnAt(depth, n); err != nil {
		return err
	}
	if _, err := x.detach(empty); err != nil {
		return err
	}
	for k, err := range gone.kids.All() {
		if err == nil {
			err = x.attach(*id, k)
		}
		if err != nil {
			return err
		}
	}
	path, err := x.find(*id)
	if err != nil {
		return err
	}
	return x.disjoint(path, path[len(path)-1])
}

// markersStay refuses a change that would take a marker out of ^seq without one in its place, from the node at the
// end of a path; replaced says that a marker comes for that node. Cost: the nodes below it.
//
// Specification: 1.0 05 §6.4.
func markersStay(path []*Entry, replaced bool) error {
	if !within(path, Seq) {
		return nil
	}
	marker, others := "", false
	for e, err := range path[len(path)-1].All() {
		if err != nil {
			return err
		}
		if e.node.Type == redactionType {
			marker = e.node.ID
		} else if e.class == Block {
			others = true
		}
	}
	if marker == "" || replaced && others {
		return nil
	}
	return fault.OnNode(fault.Sealed, marker, "the node tells that another was taken out of the history",
		"leave it where it is")
}

// redact takes the node at the end of a path out of the history and puts a marker in its place: a block with
// its stamps that names it, in a turn of its own for a turn.
//
// Specification: 1.0 05 §6.4.
func (x *Editor) redact(path []*Entry) error {
	e, parent := path[len(path)-1], path[len(path)-2].node.ID
	marker := Node{Type: redactionType, Expiry: Never, Content: InMemory(redactedText),
		Headers: []Header{{redactedName, canon.String(e.node.ID)}}}
	if slices.Contains(roles, e.node.Role) {
		marker.Headers = append(marker.Headers, Header{"role", canon.String(e.node.Role)})
	}
	stand := func(n *Node, place *Node) error {
		if err := x.stampNew(n, n.Type); err != nil {
			return err
		}
		n.Offset, n.CreatedNS, n.Index = place.Offset, place.CreatedNS, place.Index
		return nil
	}
	return x.allOrNothing(func() error {
		if e.class != Turn {
			if err := stand(&marker, e.node); err != nil {
				return err
			}
			if _, err := x.detach(e.node.ID); err != nil {
				return err
			}
			return x.attach(parent, newEntry(NewNode(marker, nil), Block, nil))
		}
		turn, core := x.blankTurn(), Node{Type: x.env.Vocabulary.Container, Expiry: Never}
		if err := stand(&turn, e.node); err != nil {
			return err
		}
		for _, n := range [...]*Node{&core, &marker} {
			if err := x.stampNew(n, n.Type); err != nil {
				return err
			}
		}
		if _, err := x.detach(e.node.ID); err != nil {
			return err
		}
		inner := newEntry(NewNode(core, nil), Container, listOf([]*Entry{newEntry(NewNode(marker, nil), Block, nil)}))
		return x.attach(parent, newEntry(NewNode(turn, nil), Turn, listOf([]*Entry{inner})))
	})
}

// overlay adds a block behind the core of the turn of a sealed node, which stays and is sent still: a new
// version beside it, that refers to it. It returns the id, "" for a node that is not sealed.
//
// Specification: 1.0 05 §6.2.
func (x *Editor) overlay(id string, s Spec) (made string, err error) {
	path, err := x.find(id)
	if err != nil || !x.env.Bare || !within(path, Seq) {
		return "", err
	}
	if earlier, err := x.Earlier(id); err != nil || !earlier {
		return "", err
	}
	e := path[len(path)-1]
	if e.class != Block || len(path) < 4 {
		return "", fault.OnNode(fault.PlacementInvalid, id, "a block alone can be replaced", "name the blocks in it")
	}
	s.Offset = max(1, s.Offset)
	if s.Role == "" {
		s.Role = e.node.Role
	}
	if !slices.Contains(s.Refs, id) {
		s.Refs = append(slices.Clone(s.Refs), id)
	}
	return x.Add(path[2].node.ID, s)
}
