package tree

import (
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
)

// stamp gives a node the next created_at_ns and creation_index (02 §4.4): strictly
// increasing within a context, and 0, 1, 2 … within a cycle. It returns E_LIMIT if no
// later stamp is left.
//
// Specification: 02 §4.4.
func (x *Editor) stamp(n *Node) error {
	at := x.env.Clock()
	if x.LastNS < MaxInteger {
		at = max(at, x.LastNS+1)
	}
	if x.LastNS >= MaxInteger || at > MaxInteger || at < -MaxInteger || x.Next > MaxInteger {
		return fault.New(fault.Limit, "no later stamp is left: created_at_ns and creation_index go up to "+
			strconv.FormatInt(MaxInteger, 10),
			"check the clock, and the stamps of what was imported")
	}
	x.LastNS = at
	n.Cycle, n.CreatedNS, n.Index = x.Stamps.Cycle, x.LastNS, x.Next // of an import, n has an older one
	n.Bare = x.env.Bare
	x.Next++
	return nil
}

// stampNew stamps a node and names it <type>:<cycle>-<creation_index>.
func (x *Editor) stampNew(n *Node, kind string) error {
	if err := x.name(n, kind); err != nil {
		return err
	}
	return x.stamp(n)
}

// name names a node after the next index that gives a free name.
func (x *Editor) name(n *Node, kind string) error {
	for next := x.Next; ; next++ {
		var room [64]byte
		buf := strconv.AppendInt(append(append(room[:0], kind...), ':'), x.Cycle, 10)
		buf = strconv.AppendInt(append(buf, '-'), next, 10)
		id := string(append(buf, x.env.Suffix...))
		if err := checkID(id); err != nil {
			return err
		}
		taken, err := x.Has(id)
		if err != nil {
			return err
		}
		if !taken && x.Given >= x.Cycle {
			var err error
			if taken, err = x.env.Taken(id); err != nil {
				return err
			}
		}
		if !taken {
			n.ID, x.Next = id, next
			return nil
		}
	}
}

// claim checks an id that the caller chose.
//
// Specification: 02 §3.1, 07 §3.3.
func (x *Editor) claim(id string) error {
	if err := checkID(id); err != nil {
		return err
	}
	taken, err := x.Has(id)
	if err != nil {
		return err
	}
	if !taken {
		var err error
		if taken, err = x.env.Taken(id); err != nil {
			return err
		}
	}
	if taken {
		return duplicate(id)
	}
	x.Given = max(x.Given, GeneratedCycle(id))
	return nil
}

// GeneratedCycle returns the cycle in an id that looks like a generated one, -1 for any
// other. Only such ids can collide with a generated id.
func GeneratedCycle(id string) int64 {
	cycle, _, found := strings.Cut(id[strings.LastIndexByte(id, ':')+1:], "-")
	if !found {
		return -1
	}
	n, err := strconv.ParseInt(cycle, 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// restamp gives siblings of this cycle that share an offset new stamps, in the given
// order, which puts them behind all others of that offset. Each takes a reading of the
// clock, one version and one place in the index. restamp builds their list once, unless
// they are a few among many. Cost: O(ids), and O(siblings) once or a path for each of the
// few.
func (x *Editor) restamp(ids ...string) error {
	if len(ids) == 0 {
		return nil
	}
	path, err := x.Path(ids[0])
	if err != nil {
		return err
	}
	path = path[:len(path)-1]
	parent := path[len(path)-1]
	if len(ids)*fewAmong < parent.kids.Len() {
		for _, id := range ids {
			was, err := x.Node(id)
			if err != nil {
				return err
			}
			n := *was
			if err := x.stamp(&n); err != nil {
				return err
			}
			if err := x.swap(n.restamped()); err != nil {
				return err
			}
		}
		return nil
	}
	behind := make([]*Entry, len(ids))
	for i, id := range ids {
		was, err := x.Node(id)
		if err != nil {
			return err
		}
		e, err := parent.kids.get(was)
		if err != nil {
			return err
		}
		n := *e.node
		if err := x.stamp(&n); err != nil {
			return err
		}
		behind[i] = newEntry(n.restamped(), e.class, e.kids)
		x.put(behind[i].node, parent.node.ID)
	}
	items := make([]*Entry, 0, parent.kids.Len())
	offset, put := behind[0].node.Offset, false
	for e, err := range parent.kids.All() {
		if err != nil {
			return err
		}
		if e.node.Offset > offset && !put {
			items, put = append(items, behind...), true
		}
		now, err := x.Node(e.node.ID)
		if err != nil {
			return err
		}
		if now == e.node { // not one of those that got a new version
			items = append(items, e)
		}
	}
	if !put {
		items = append(items, behind...)
	}
	return x.rebuild(path, newEntry(parent.node, parent.class, listOf(items)))
}

// allOrNothing makes all changes of f, or none if f fails.
func (x *Editor) allOrNothing(f func() error) error {
	before, stamps := x.result(), x.Stamps
	err := f()
	if err != nil {
		x.change.Tree, x.Stamps = *before, stamps
	}
	return err
}

// fewAmong is how many siblings a node must have, for each that gets a new
// stamp, before copying the paths of those costs less than a new list.
const fewAmong = 32

// Reorder puts nodes of this cycle that are siblings at one offset in the given
// order, by giving them new stamps. It fails with E_NODE_NOT_FOUND, E_SEALED for
// an earlier node, and E_PLACEMENT_INVALID for nodes that are not siblings at one
// offset or are listed twice. Cost: that of one look-up and one new version for
// each.
func (x *Editor) Reorder(ids ...string) (err error) {
	listed := make(map[string]bool, len(ids))
	var first []*Entry
	for _, id := range ids {
		path, err := x.find(id)
		if err != nil {
			return err
		}
		if earlier, err := x.Earlier(id); err != nil {
			return err
		} else if earlier {
			return sealed(id, "the node is of an earlier cycle, whose order is fixed")
		}
		if first == nil {
			first = path
		}
		if !siblings(path, first) {
			return fault.OnNode(fault.PlacementInvalid, id, "the nodes are not siblings at one offset",
				"move them next to each other first")
		}
		if listed[id] {
			return fault.OnNode(fault.PlacementInvalid, id, "the node is listed twice", "list it once")
		}
		listed[id] = true
	}
	return x.allOrNothing(func() error { return x.restamp(ids...) })
}

// siblings reports whether the nodes at the end of two paths have one parent and one offset.
func siblings(a, b []*Entry) bool {
	last := len(a) - 1
	return len(a) == len(b) && (last == 0 || a[last-1] == b[last-1]) && a[last].node.Offset == b[last].node.Offset
}
