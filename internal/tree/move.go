package tree

import (
	"strconv"

	"github.com/contexttree/pact/fault"
)

// Edge says from where a Gap is counted.
type Edge int

// Where a Gap can be.
const (
	Start  Edge = iota // before the first child
	End                // after the last child
	After              // after child N
	Before             // before child N
)

// Gap is a place between the children of a parent, as an insertion position names it
// (decision 010; 001 and 003 §3.9).
type Gap struct {
	Parent string // id or name of a region
	Core   bool   // the core of a turn or of ^ah, elided or not, is meant rather than Parent itself
	Edge   Edge   // from where N counts
	N      int    // 1-based, in canonical order
}

// opening is a gap that has been found in the tree.
type opening struct {
	path      []*Entry
	neighbour *Node    // gives its offset to what comes in, nil if there are no children
	followers []string // siblings at that offset that must come after
}

// AddAt adds a new node in a gap. The node gets the offset of its neighbour. The siblings
// at that offset that come after it get new stamps; it is E_SEALED if one of them is of an
// earlier cycle. Its other errors are those of [Editor.Add], and E_PLACEMENT_INVALID if
// there is no such gap.
func (x *Editor) AddAt(g Gap, s Spec) (id string, err error) {
	o, err := x.resolveGap(g, "")
	if err != nil {
		return "", err
	}
	if o.neighbour != nil {
		s.Offset = o.neighbour.Offset
	}
	if g.Core && o.neighbour == nil {
		s.Offset = 0
	}
	var n *Node
	err = x.allOrNothing(func() error {
		if n, err = x.prepare(&o.path, s); err != nil {
			return err
		}
		if err := x.attach(o.path[len(o.path)-1].node.ID, newEntry(n, ClassOf(n.Type, Root, false), nil)); err != nil {
			return err
		}
		return x.restamp(o.followers...)
	})
	if err != nil {
		return "", err
	}
	return n.ID, nil
}

// resolveGap finds a gap. moving is the id of a node that is about to leave its place: N counts
// it like any child, and it does not follow itself. Cost: a rank, and a look at the
// siblings that must follow.
func (x *Editor) resolveGap(g Gap, moving string) (*opening, error) {
	path, err := x.target(nil, g.Parent)
	if err != nil {
		return nil, err
	}
	parent := path[len(path)-1]
	list, first, count := parent.kids, 0, parent.kids.Len()
	switch {
	case !g.Core:
	case parent.class != Head && parent.class != Turn:
		return nil, misplaced(parent.node.ID, "the node has no core", "only turns and the active head have one")
	case parent.Core() != nil:
		core := parent.Core()
		path, list, count = append(path, core), core.kids, core.kids.Len()
	default:
		if first, err = list.rankOfOffset(0); err != nil {
			return nil, err
		}
		after, err := list.rankOfOffset(1)
		if err != nil {
			return nil, err
		}
		count = after - first
	}
	at := 0
	switch g.Edge {
	case End:
		at = count
	case After, Before:
		if g.N < 1 || g.N > count {
			return nil, misplaced(parent.node.ID, "there is no child "+strconv.Itoa(g.N)+": the node has "+strconv.Itoa(count),
				"children count from 1")
		}
		at = g.N
		if g.Edge == Before {
			at--
		}
	}
	o := &opening{path: path}
	if count == 0 {
		return o, nil
	}
	n := at
	if g.Edge == End || g.Edge == After {
		n = at - 1
	}
	item, err := list.At(first + n)
	if err != nil {
		return nil, err
	}
	o.neighbour = item.node
	for k, err := range list.Visit(first+at, first+count, nil) {
		if err != nil {
			return nil, err
		}
		if k.node.Offset != o.neighbour.Offset {
			break
		}
		if id := k.node.ID; id != moving {
			if earlier, err := x.Earlier(id); err != nil {
				return nil, err
			} else if earlier {
				return nil, fault.OnNode(fault.Sealed, id, "nothing can be inserted before this node of an earlier cycle",
					"insert at the end, or add at another offset")
			}
			o.followers = append(o.followers, id)
		}
	}
	return o, nil
}

// Move moves a node under another parent or to another offset and returns its id. A node of
// this cycle keeps its id and its stamps. Moving an older node removes it and adds a new
// one, children included (02 §2.3); in edition 1.0 it keeps both inside its region. Its errors
// are those of [Editor.Add] and [Editor.Remove].
//
// Specification: 02 §2.3, 02 §4.5.
func (x *Editor) Move(id, parent string, offset int64) (moved string, err error) {
	path, err := x.target(nil, parent)
	if fault.CodeOf(err) == fault.NodeNotFound {
		err = x.finer(fault.InvalidParent, err)
	}
	if err != nil {
		return "", err
	}
	return x.relocate(id, path, offset, false)
}

// MoveAt moves a node into a gap; the node and the siblings that come after it get new
// stamps. Its errors are those of [Editor.Move] and [Editor.AddAt].
func (x *Editor) MoveAt(id string, g Gap) (moved string, err error) {
	o, err := x.resolveGap(g, id)
	if err != nil {
		return "", err
	}
	offset := int64(0)
	if o.neighbour != nil {
		offset = o.neighbour.Offset
	} else if n, err := x.Node(id); err != nil {
		return "", err
	} else if n != nil && !g.Core {
		offset = n.Offset
	}
	err = x.allOrNothing(func() error {
		if moved, err = x.relocate(id, o.path, offset, true); err != nil {
			return err
		}
		return x.restamp(o.followers...)
	})
	if err != nil {
		return "", err
	}
	return moved, nil
}

func (x *Editor) relocate(id string, to []*Entry, offset int64, restamp bool) (string, error) {
	from, err := x.find(id)
	if err != nil {
		return "", err
	}
	if err := checkInteger("offset", offset); err != nil {
		return "", err
	}
	e := from[len(from)-1]
	switch {
	case e.class.Region():
		return "", misplaced(id, "a region cannot be moved", "move the nodes in it")
	case e.class == Turn:
		return "", misplaced(id, "a turn cannot be moved", "leave it where it is")
	}
	for _, above := range to {
		if above.node.ID == id {
			return "", x.finer(fault.CycleDetected, misplaced(id, "a node cannot be moved below itself", "name a container that is not in it"))
		}
	}
	if err := x.admitMoved(&to, e, offset); err != nil {
		return "", err
	}
	for _, above := range to { // the core that admit found may be the node itself
		if above.node.ID == id {
			return "", x.finer(fault.CycleDetected, misplaced(id, "a node cannot be moved below itself", "name a container that is not in it"))
		}
	}
	if to[len(to)-1].class == Head && e.class == Container && offset == 0 && e.node.Expiry != Never {
		return "", coreStays(id)
	}
	if err := x.disjoint(to, e); err != nil {
		return "", err
	}
	if x.env.Bare && !within(to, Seq) {
		if err := markersStay(from, false); err != nil {
			return "", err
		}
	}
	parent := to[len(to)-1].node.ID
	earlier, err := x.Earlier(id)
	if err != nil {
		return "", err
	}
	if earlier {
		if err := x.removable(from); err != nil {
			return "", err
		}
	}
	stays := x.env.Bare && !restamp && len(from) > 1 && len(to) > 1 && from[1] == to[1] // 1.0 02 §4.5.1
	if earlier && !stays {
		moved := ""
		err := x.allOrNothing(func() error { // a content or the history may be unreadable
			e, err := x.detach(id)
			if err != nil {
				return err
			}
			moved, err = x.copyAsNew(e, parent, offset)
			return err
		})
		return moved, err
	}
	n := *e.node
	n.Offset = offset
	if restamp {
		if err := x.stamp(&n); err != nil {
			return "", err
		}
	}
	if _, err := x.detach(id); err != nil {
		return "", err
	}
	if err := x.attach(parent, newEntry(n.rebuiltSameContent(), e.class, e.kids)); err != nil {
		return "", err
	}
	return id, nil
}

// copyAsNew adds a copy of a detached entry in which every node has a new id and new stamps.
func (x *Editor) copyAsNew(e *Entry, parent string, offset int64) (string, error) {
	n := *e.node
	n.Offset, n.Cycle, n.ForeignISO = offset, x.Cycle, ""
	if n.Expiry != Never {
		ttl, _ := e.node.TTL(x.Cycle)
		n.Expiry = x.Cycle + ttl
	}
	if err := x.loadContent(&n); err != nil {
		return "", err
	}
	if err := x.stampNew(&n, n.Type); err != nil {
		return "", err
	}
	if err := x.attach(parent, newEntry(NewNode(n, nil), e.class, nil)); err != nil {
		return "", err
	}
	for k, err := range e.kids.All() {
		if err != nil {
			return "", err
		}
		if _, err := x.copyAsNew(k, n.ID, k.node.Offset); err != nil {
			return "", err
		}
	}
	return n.ID, nil
}
