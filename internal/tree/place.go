package tree

import (
	"errors"
	"strconv"

	"github.com/contexttree/pact/fault"
)

// This file holds the rules of placement (02 §2.2, §4.1, §4.2, §5.3.1, §6.4, §10).
// PlacementFault judges a tree that exists, such as one that was read. The Editor asks
// admit before it puts a node somewhere; admit also knows what earlier cycles hold.

// The messages for breaches of placement that other code than PlacementFault finds too.
const (
	NotRemovable       = "only a group can be removable"             // 02 §5.3.1
	BlockHasNoChildren = "a block cannot have children"              // 02 §2.2
	HasThreeRegions    = "the root does not have ^sys, ^seq and ^ah" // 02 §2.2
)

// PlacementFault returns the rule of placement that a child breaks under its parent, ""
// if it breaks none (02 §2.2, §4.2, §5.3.1, §10). No context has a tree that breaks one.
// parent is nil for the root. The [Editor] decides what a single edit may do.
//
// Specification: 01 §6, 01 §6.1, 01 §6.2, 02 §2.2, 02 §4.2.
func PlacementFault(e, parent *Entry) string {
	if parent == nil {
		if e.node.Removable {
			return NotRemovable
		}
		return ""
	}
	above, class := parent.class, e.class
	inTurn := above == Turn || above == Head
	if e.node.Removable && (class.Region() || class == Turn || inTurn && parent.Core() == e) {
		return NotRemovable
	}
	switch {
	case above == Root && !class.Region() || class == Root:
		return "the root can hold nothing but ^sys, ^seq and ^ah"
	case class.Region() && above != Root:
		return "a region can only be a child of the root"
	case class.Region():
		if firstOfClass(parent, class) != e {
			return "there is a second " + class.String()
		}
	case above == Seq && class != Turn:
		return "^seq can only hold turns"
	case class == Turn && above != Seq:
		return "a turn can only be a child of ^seq"
	case above == Block:
		return BlockHasNoChildren
	case inTurn && e.node.Offset == 0 && class == Container && parent.Core() != e:
		return SecondCore
	case inTurn && e.node.Offset == 0 && class != Container && parent.Core() != nil:
		return "a block at offset 0 stands beside the core instead of in it"
	}
	return ""
}

// SecondCore is what [PlacementFault] says of a second core.
const SecondCore = "the turn has a core already; a group needs another offset than 0"

func firstOfClass(parent *Entry, class Class) *Entry {
	var first *Entry
	parent.kids.inMemory(func(e *Entry) bool {
		if e.class == class {
			first = e
		}
		return first == nil
	})
	return first
}

// HasRegions reports whether the tree has ^sys, ^seq and ^ah, as every snapshot
// has (02 §2.2).
func (t *Tree) HasRegions() bool {
	return t.Region(Sys) != nil && t.Region(Seq) != nil && t.Region(Head) != nil
}

// admit checks that a new node of a class may stand at an offset under the node at the
// end of path (02 §2–§4, §6.4). If a block belongs to the explicit core of the active
// head, admit extends the path by the core.
//
// Specification: 01 §3, 01 §3.1, 02 §4, 02 §4.1, 02 §4.1.1.
func (x *Editor) admit(path *[]*Entry, class Class, offset int64, removable bool) error {
	p := *path
	parent := p[len(p)-1]
	id := parent.node.ID
	if levels(p) >= MaxDepth {
		return fault.OnNode(fault.Limit, id, "the node would be more than "+strconv.Itoa(MaxDepth)+" levels deep",
			"flatten the groups")
	}
	if removable && class != Container {
		return misplaced(id, NotRemovable, "leave removable out")
	}
	switch parent.class {
	case Root:
		return misplaced(id, "the root can hold nothing but its three regions", "add to ^sys or ^ah")
	case Seq:
		return misplaced(id, "^seq can only hold sealed turns", "add to ^ah and commit")
	case Block:
		return x.finer(fault.ParentNotContainer, misplaced(id, BlockHasNoChildren, "add to the container around it"))
	case Head:
		if offset != 0 {
			return nil
		}
		core := parent.Core()
		elided, err := parent.HasOwnCoreBlocks()
		switch {
		case err != nil:
			return err
		case class == Container && (core != nil || elided):
			return x.finer(fault.DuplicateContainer,
				misplaced(id, "the active head has a core already", "give a group another offset than 0"))
		case class == Container && removable:
			return misplaced(id, "a core cannot be removable", "give a group another offset than 0")
		case class != Container && core != nil:
			*path = append(p, core)
		}
		return nil
	}
	if within(p, Seq) && (len(p) == 3 && offset == 0 || len(p) > 3 && p[3].node.Offset == 0 && p[3].class == Container) {
		if earlier, err := x.Earlier(p[2].node.ID); err != nil {
			return err
		} else if earlier {
			return fault.OnNode(fault.Sealed, id, "the core of a sealed turn takes no more nodes",
				"attach the node to the turn at another offset than 0")
		}
	}
	return nil
}

// admitAgain is admit for a node of this cycle that changes its offset in place.
func (x *Editor) admitAgain(path []*Entry, offset int64) error {
	e, above := path[len(path)-1], append([]*Entry(nil), path[:len(path)-1]...)
	depth := len(above)
	if err := x.admitMoved(&above, e, offset); err != nil {
		return err
	}
	if len(above) > depth {
		return misplaced(e.node.ID, "offset 0 of the active head is taken by its core", "move the node into the core")
	}
	return nil
}

// admitMoved is admit for a node that is in the tree already: the node itself does not
// count as taking a place.
func (x *Editor) admitMoved(path *[]*Entry, e *Entry, offset int64) error {
	parent := (*path)[len(*path)-1]
	if parent.class == Head && e.class == Container && offset == 0 {
		above, err := x.Parent(e.node.ID)
		if err != nil {
			return err
		}
		alone := above == parent.node.ID && !e.node.Removable
		for k, err := range parent.zone(0, 0) {
			if err != nil {
				return err
			}
			alone = alone && k == e
		}
		if alone {
			return nil
		}
	}
	if err := x.admit(path, e.class, offset, e.node.Removable); err != nil {
		return err
	}
	height, err := e.height()
	if err != nil {
		return err
	}
	if levels(*path)+height > MaxDepth {
		return fault.OnNode(fault.Limit, e.node.ID, "the node would be more than "+strconv.Itoa(MaxDepth)+" levels deep",
			"flatten the groups")
	}
	return nil
}

// levels returns the number of levels down to the end of path once it is sealed: sealing
// puts the content of the active head one level lower, into a turn.
func levels(path []*Entry) int {
	if within(path, Head) {
		return len(path) + 1
	}
	return len(path)
}

// height returns the number of levels at and below an entry.
func (e *Entry) height() (int, error) {
	h := 0
	for k, err := range e.kids.All() {
		if err != nil {
			return 0, err
		}
		below, err := k.height()
		if err != nil {
			return 0, err
		}
		h = max(h, below)
	}
	return h + 1, nil
}

// finer gives a refusal the code that edition 1.0 has for it (1.0 02 §4.5.1, 04 §11).
func (x *Editor) finer(code fault.Code, refusal error) error {
	var f *fault.Error
	if !x.env.Bare || !errors.As(refusal, &f) {
		return refusal
	}
	exact := *f
	exact.Code = code
	return &exact
}

func misplaced(id, message, remedy string) error {
	return fault.OnNode(fault.PlacementInvalid, id, message, remedy)
}
