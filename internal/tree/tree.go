package tree

import (
	"context"
	"iter"
	"math"
	"slices"
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
	open  bool // shown as the working state of edition 1.0, see Open
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

// Cycle returns the cycle of the snapshot; for a working state that of the next commit.
func (t *Tree) Cycle() int64 { return t.cycle }

// Base returns the cycle that documents give the tree and from which a ttl and an age count
// (03 §3.3): that of the tree, but for the working state of edition 1.0 that of the latest
// snapshot, because nothing counts down before the commit (1.0 03 §3.2).
func (t *Tree) Base() int64 {
	if t.open {
		return t.cycle - 1
	}
	return t.cycle
}

// WithCycle returns the same tree as seen from another cycle.
func (t *Tree) WithCycle(cycle int64) *Tree {
	c := *t
	c.cycle, c.open = cycle, false
	return &c
}

// Open returns a working state as its edition shows it. In edition 1.0 one without edits
// shows all that the latest snapshot does (1.0 02 §6.2).
func (t *Tree) Open() *Tree {
	if !t.root.node.Bare {
		return t
	}
	c := *t
	c.open = true
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
	for e := range t.regions {
		if e.class == c {
			return e
		}
	}
	return nil
}

// Has reports whether a node with this id is in the tree. Cost: O(log n).
func (t *Tree) Has(id string) (bool, error) {
	_, ok, err := t.lookUp(id)
	return ok, err
}

// Node returns the node with this id, nil if there is none. Cost: O(log n).
func (t *Tree) Node(id string) (*Node, error) {
	p, _, err := t.lookUp(id)
	return p.node, err
}

// Parent returns the id of the node's parent, "" for the root and for ids that
// are not there. The blocks of an elided core have the turn as their parent.
func (t *Tree) Parent(id string) (string, error) {
	p, _, err := t.lookUp(id)
	return p.parent, err
}

// Entry returns the entry of an id, nil if there is none. Cost: O(depth · log n).
func (t *Tree) Entry(id string) (*Entry, error) {
	var room [8]*Entry
	path, err := t.AppendPath(room[:0], id)
	if err != nil || len(path) == 0 {
		return nil, err
	}
	return path[len(path)-1], nil
}

// Path returns the entries from the root down to the id, nil if the id is not in the tree.
// Cost: O(depth · log n).
func (t *Tree) Path(id string) ([]*Entry, error) { return t.AppendPath(nil, id) }

// AppendPath appends the path to an id, nothing if the id is not in the tree. With room in
// path it allocates nothing.
func (t *Tree) AppendPath(path []*Entry, id string) ([]*Entry, error) {
	p, ok, err := t.lookUp(id)
	if err != nil || !ok {
		return path, err
	}
	var room [8]*Node
	nodes := room[:0]
	for p.parent != "" {
		nodes = append(nodes, p.node)
		if p, _, err = t.lookUp(p.parent); err != nil {
			return nil, err
		}
	}
	if path == nil {
		path = make([]*Entry, 0, len(nodes)+1)
	}
	path = append(path, t.root)
	for i := len(nodes) - 1; i >= 0; i-- {
		e, err := path[len(path)-1].kids.get(nodes[i])
		if err != nil {
			return nil, err
		}
		path = append(path, e)
	}
	return path, nil
}

// Referrers yields the ids of the nodes that refer to id, in no order. If one cannot be loaded, it
// yields that error and ends.
func (t *Tree) Referrers(id string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		set, _ := t.refs.get(id)
		if !set.each(func(from string, refers bool) bool { return !refers || yield(from, nil) }) || t.unloaded == nil {
			return
		}
		list, err := t.unloaded.Referrers(id)
		if err != nil {
			yield("", err)
			return
		}
		for _, from := range list {
			if _, known := set.get(from); !known && !yield(from, nil) {
				return
			}
		}
	}
}

// regions yields the children of the root, which are always in memory.
func (t *Tree) regions(yield func(*Entry) bool) { t.root.kids.inMemory(yield) }

// Place is an entry and where it stands.
type Place struct {
	*Entry
	Parent string // id, "" for the root
}

// Linked returns the nodes of the tree that a node refers to, and those that refer to it.
func (t *Tree) Linked(n *Node) (list []*Node, err error) {
	ids := slices.Clone(n.Refs)
	for id, err := range t.Referrers(n.ID) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	for _, id := range ids {
		to, err := t.Node(id)
		if err != nil {
			return nil, err
		}
		if to != nil {
			list = append(list, to)
		}
	}
	return list, nil
}

// All yields every entry, parents before children, siblings in canonical order: the document order.
// If one cannot be loaded, it yields that error and ends.
//
// Specification: 08 §5.2.
func (t *Tree) All() iter.Seq2[Place, error] { return t.root.All() }

// All yields the entry and everything below it, as [Tree.All] does. The first has no Parent.
func (e *Entry) All() iter.Seq2[Place, error] {
	return func(yield func(Place, error) bool) { walk(e, "", yield) }
}

// walk yields an entry, which stands under parent, and everything below it. It reports whether it came to
// the end.
func walk(e *Entry, parent string, yield func(Place, error) bool) bool {
	return yield(Place{e, parent}, nil) && e.kids.visit(context.Background(), 0, e.kids.Len(), nil, func(k *Entry, err error) bool {
		if err != nil {
			yield(Place{}, err)
			return false
		}
		return walk(k, e.node.ID, yield)
	})
}

// Order compares two ids of the tree by document order, as cmp.Compare does. Cost: O(depth · log n).
func (t *Tree) Order(a, b string) (int, error) {
	x, err := t.Path(a)
	if err != nil {
		return 0, err
	}
	y, err := t.Path(b)
	return comparePaths(x, y), err
}

// Sort puts ids of the tree into document order. Cost: O(depth · log n) for each.
func (t *Tree) Sort(ids []string) error { return Sort(t, ids, func(id string) string { return id }) }

// Sort is [Tree.Sort] for values that have ids.
func Sort[T any](t *Tree, list []T, id func(T) string) error {
	if len(list) < 2 {
		return nil
	}
	paths := make(map[string][]*Entry, len(list))
	for _, x := range list {
		path, err := t.Path(id(x))
		if err != nil {
			return err
		}
		paths[id(x)] = path
	}
	slices.SortFunc(list, func(a, b T) int { return comparePaths(paths[id(a)], paths[id(b)]) })
	return nil
}

func comparePaths(x, y []*Entry) int {
	for i := range min(len(x), len(y)) {
		switch {
		case x[i] == y[i]:
		case entryLess(x[i], y[i]):
			return -1
		default:
			return 1
		}
	}
	return len(x) - len(y)
}
