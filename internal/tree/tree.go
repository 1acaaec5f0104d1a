package tree

import (
	"iter"
	"math"
)

// Limits of a tree. They bound what one input may cost.
const (
	MaxDepth = 64        // levels of nodes, the root counted
	MaxID    = 1 << 10   // bytes of an id
	MaxNodes = 5_000_000 // nodes of one tree
)

// MaxInteger is the largest integer of a header, and its negative the smallest. Cycles of
// snapshots stay below it, so that the cycle under way fits as well. Edits and commits
// keep to it as imports do. So sums and differences of two cycles do not overflow, and
// what was committed can be exported and imported again.
const MaxInteger int64 = math.MaxInt64 - 1<<40

// Tree is one state of a context: a snapshot, a prepared candidate, or the
// working state. It is immutable and safe for concurrent use.
type Tree struct {
	root  *Entry
	cycle int64
	ids   trie[location]
	refs  trie[trie[bool]] // id -> ids of the nodes that refer to it
	// unloaded answers what ids and refs do not know; nil if they know everything.
	unloaded *Unloaded
	draft    *trieOwner // of index nodes that Seal may change in place, see Editor.Draft; else nil
}

// location is where the index finds a node.
type location struct {
	node    *Node  // nil if a stub has the node and the node went since
	parent  string // "" for the root
	stubbed bool   // whether a stub has a node of this id, which this one came from
}

// Cycle returns the cycle of the snapshot; for a working state that of the next commit. A
// ttl is shown as the distance from this cycle (03 §3.3).
func (t *Tree) Cycle() int64 { return t.cycle }

// WithCycle returns the same tree as seen from another cycle.
func (t *Tree) WithCycle(cycle int64) *Tree {
	c := *t
	c.cycle = cycle
	return &c
}

// Root returns the root entry.
func (t *Tree) Root() *Entry { return t.root }

// Len returns the number of nodes.
func (t *Tree) Len() int { return t.root.sum.Nodes }

// Digest returns a hash of every header and content. Trees with equal contents have equal
// digests, whatever edits led to them.
func (t *Tree) Digest() Digest { return t.root.digest }

// Region returns the entry of ^root, ^sys, ^seq or ^ah, nil if a foreign tree has none.
func (t *Tree) Region(c Class) *Entry {
	if c == Root {
		return t.root
	}
	for e := range t.root.kids.All() {
		if e.class == c {
			return e
		}
	}
	return nil
}

// Has reports whether a node with this id is in the tree. Cost: O(log n).
func (t *Tree) Has(id string) bool {
	_, ok := t.lookUp(id)
	return ok
}

// Node returns the node with this id, nil if there is none. Cost: O(log n).
func (t *Tree) Node(id string) *Node {
	p, _ := t.lookUp(id)
	return p.node
}

// Parent returns the id of the node's parent, "" for the root and for ids that
// are not there. The blocks of an elided core have the turn as their parent.
func (t *Tree) Parent(id string) string {
	p, _ := t.lookUp(id)
	return p.parent
}

// Entry returns the entry of an id, nil if there is none. Cost: O(depth · log n).
func (t *Tree) Entry(id string) *Entry {
	var room [8]*Entry
	path := t.AppendPath(room[:0], id)
	if len(path) == 0 {
		return nil
	}
	return path[len(path)-1]
}

// Path returns the entries from the root down to the id, nil if the id is not in the tree.
// Cost: O(depth · log n).
func (t *Tree) Path(id string) []*Entry { return t.AppendPath(nil, id) }

// AppendPath appends the path to an id, nothing if the id is not in the tree. With room in
// path it allocates nothing.
func (t *Tree) AppendPath(path []*Entry, id string) []*Entry {
	p, ok := t.lookUp(id)
	if !ok {
		return path
	}
	var room [8]*Node
	nodes := room[:0]
	for p.parent != "" {
		nodes = append(nodes, p.node)
		p, _ = t.lookUp(p.parent)
	}
	if path == nil {
		path = make([]*Entry, 0, len(nodes)+1)
	}
	path = append(path, t.root)
	for i := len(nodes) - 1; i >= 0; i-- {
		path = append(path, path[len(path)-1].kids.get(nodes[i]))
	}
	return path
}

// Referrers yields the ids of the nodes that refer to id, in no order.
func (t *Tree) Referrers(id string) iter.Seq[string] {
	return func(yield func(string) bool) {
		set, _ := t.refs.get(id)
		if !set.each(func(from string, refers bool) bool { return !refers || yield(from) }) || t.unloaded == nil {
			return
		}
		list, err := t.unloaded.Referrers(id)
		if err != nil {
			panic(&LoadError{err})
		}
		for _, from := range list {
			if _, known := set.get(from); !known && !yield(from) {
				return
			}
		}
	}
}

// All yields every entry with the id of its parent, parents before children,
// siblings in canonical order: the document order.
//
// Specification: 08 §5.2.
func (t *Tree) All() iter.Seq2[*Entry, string] {
	return func(yield func(*Entry, string) bool) { walk(t.root, "", yield) }
}

func walk(e *Entry, parent string, yield func(*Entry, string) bool) bool {
	if !yield(e, parent) {
		return false
	}
	return e.kids.Visit(0, e.kids.Len(), nil, func(k *Entry) bool { return walk(k, e.node.ID, yield) })
}

// change is a tree being made from another: the unexported edits below work on
// it and keep index and references in step.
type change struct {
	Tree
	owner *trieOwner // of the index nodes that this change made and may still change
}

func (t *Tree) change() change {
	c := change{Tree: *t, owner: new(trieOwner)}
	c.draft = nil
	return c
}

// result returns the tree made so far. Later changes do not show in it.
func (c *change) result() *Tree {
	t := c.Tree
	c.owner = new(trieOwner)
	return &t
}

// rebuild replaces the entry at the end of path by next and copies the path
// above it. next nil removes the entry.
func (c *change) rebuild(path []*Entry, next *Entry) {
	for i := len(path) - 1; i > 0; i-- {
		parent, old := path[i-1], path[i]
		kids := parent.kids
		switch {
		case next == nil:
			kids = kids.remove(old)
		case !before(old, next) && !before(next, old):
			kids = kids.replace(next)
		default:
			kids = kids.remove(old).insert(next)
		}
		class := Root
		if i > 1 {
			class = ClassOf(parent.node.Type, path[i-2].class, kids != nil)
		}
		next = newEntry(parent.node, class, kids)
	}
	c.root = next
}

// attach puts an entry with everything below it under a parent.
func (c *change) attach(parent string, e *Entry) {
	var room [8]*Entry
	path := c.AppendPath(room[:0], parent)
	under := path[len(path)-1]
	class := under.class
	if class == Block { // a group of foreign type whose last child is on its way back
		class = ClassOf(under.node.Type, Root, true)
	}
	c.rebuild(path, newEntry(under.node, class, under.kids.insert(e)))
	walk(e, parent, func(e *Entry, parent string) bool {
		c.index(e.node, parent)
		return true
	})
}

// detach takes an entry out with everything below it and returns it.
func (c *change) detach(id string) *Entry {
	var room [8]*Entry
	path := c.AppendPath(room[:0], id)
	e := path[len(path)-1]
	c.rebuild(path, nil)
	walk(e, "", func(e *Entry, _ string) bool {
		c.unindex(e.node)
		return true
	})
	return e
}

// swap replaces a node by another version of it with the same id.
func (c *change) swap(n *Node) {
	var room [8]*Entry
	path := c.AppendPath(room[:0], n.ID)
	e := path[len(path)-1]
	parent := c.Parent(n.ID)
	c.unindex(e.node)
	c.rebuild(path, newEntry(n, e.class, e.kids))
	c.index(n, parent)
}

func (c *change) index(n *Node, parent string) {
	c.put(n, parent)
	for _, to := range n.Refs {
		set, _ := c.refs.get(to)
		c.refs = c.refs.with(to, set.with(n.ID, true, nil), c.owner)
	}
}

// put notes where a node is.
func (c *change) put(n *Node, parent string) {
	stubbed := false
	if c.unloaded != nil {
		was, _ := c.ids.get(n.ID)
		stubbed = was.stubbed
	}
	c.ids = c.ids.with(n.ID, location{n, parent, stubbed}, c.owner)
}

// unindex forgets a node. If a stub has a node with its id, the index notes that it went.
func (c *change) unindex(n *Node) {
	was, known := c.ids.get(n.ID)
	stubbed := !known || was.stubbed
	if stubbed {
		c.ids = c.ids.with(n.ID, location{stubbed: true}, c.owner)
	} else {
		c.ids = c.ids.without(n.ID, c.owner)
	}
	for _, to := range n.Refs {
		set, _ := c.refs.get(to)
		if stubbed {
			set = set.with(n.ID, false, nil)
		} else {
			set = set.without(n.ID, nil)
		}
		if set.size == 0 {
			c.refs = c.refs.without(to, c.owner)
		} else {
			c.refs = c.refs.with(to, set, c.owner)
		}
	}
}

// Order compares two ids of the tree by document order, as slices.SortFunc
// wants it. Cost: O(depth · log n).
func (t *Tree) Order(a, b string) int {
	x, y := t.Path(a), t.Path(b)
	for i := range min(len(x), len(y)) {
		switch {
		case x[i] == y[i]:
		case before(x[i], y[i]):
			return -1
		default:
			return 1
		}
	}
	return len(x) - len(y)
}
