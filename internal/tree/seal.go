package tree

import (
	"math"
	"slices"
	"sort"
	"strconv"

	"github.com/contexttree/pact/fault"
)

// New returns the tree of a new context, root and regions stamped in cycle 0
// (02 §2), with the counters for its first cycle. attrs are custom attributes
// of the root.
func New(env Env, attrs map[string]any) (*Tree, Stamps, error) {
	x := &Editor{env: env, Stamps: Stamps{LastNS: math.MinInt64}} // the first reading of the clock stands as it is
	names := [...]string{"root", "sys", "seq", "ah"}
	nodes := make([]Placed, len(names))
	for i, name := range names {
		n := Node{ID: name, Type: "^" + name, Expiry: Never}
		if i == 0 {
			spec := Spec{Attrs: attrs}
			var err error
			if n.Headers, err = spec.headers(); err != nil {
				return nil, Stamps{}, err
			}
		}
		if err := x.stamp(&n); err != nil {
			return nil, Stamps{}, err
		}
		nodes[i] = Placed{NewNode(n, nil), min(i, 1) - 1}
	}
	t, err := Build(0, nodes)
	return t, Stamps{Cycle: 1, LastNS: x.LastNS, Given: -1}, err
}

// Without returns the tree without these nodes and everything below them. It ignores ids
// that are not in the tree. It does not check whether they may be removed.
func (t *Tree) Without(ids ...string) (*Tree, error) {
	c := t.change()
	for _, id := range ids {
		if err := c.drop(id); err != nil {
			return nil, err
		}
	}
	return c.result(), nil
}

// Seal makes the active head a new turn under ^seq and puts a fresh, empty one in its
// place (02 §6.2, 03 §5.2). An elided core becomes a container. Seal gives stamps in this
// order: turn, core, next ^ah. It returns the snapshot of s.Cycle and the stamps of the
// cycle after it, or E_LIMIT if no cycle or stamp is left. Cost: the children of ^ah, and
// one path. Nobody may read a tree of [Editor.Draft] afterwards, whether Seal fails or
// not.
//
// Specification: 02 §6, 02 §6.1, 02 §6.2, 03 §5, 03 §5.1, 03 §5.2.
func Seal(t *Tree, s Stamps, env Env) (_ *Tree, _ Stamps, err error) {
	if s.Cycle >= MaxInteger {
		return nil, s, fault.New(fault.Limit, "there is no cycle after "+strconv.FormatInt(s.Cycle-1, 10),
			"export the snapshot, give it a lower cycle and import it as another context")
	}
	x := &Editor{change: t.change(), Stamps: s, env: env}
	if t.draft != nil {
		x.owner = t.draft
	}
	head, seq := t.Region(Head), t.Region(Seq)
	turn := Node{Type: env.Vocabulary.Turn, Cycle: s.Cycle, Expiry: Never}
	if err := x.stampNew(&turn, turn.Type); err != nil {
		return nil, s, err
	}
	kids, err := x.coreOf(head, turn.ID)
	if err != nil {
		return nil, s, err
	}
	next := Node{Type: "^ah", Cycle: s.Cycle, Expiry: Never}
	if err := x.stampNew(&next, "ah"); err != nil {
		return nil, s, err
	}
	sealed := newEntry(NewNode(turn, nil), Turn, kids)
	fresh := newEntry(NewNode(next, nil), Head, nil)
	x.unindex(head.node)
	x.index(sealed.node, seq.node.ID)
	x.index(fresh.node, t.root.node.ID)
	turns, err := seq.kids.insert(sealed)
	if err != nil {
		return nil, s, err
	}
	top, err := regions(t.root.kids, newEntry(seq.node, Seq, turns), head, fresh)
	if err != nil {
		return nil, s, err
	}
	x.root = newEntry(t.root.node, Root, top)
	x.cycle = s.Cycle
	return x.result(), Stamps{Cycle: s.Cycle + 1, LastNS: x.LastNS, Given: x.Given}, nil
}

// regions returns the children of the root with other turns, and with a fresh head in
// place of the one that was sealed. A tree that was made here has three children and no
// more, which are put together at once.
func regions(kids *List, turns, head, fresh *Entry) (*List, error) {
	const few = 4
	if kids.Len() > few {
		kids, err := kids.replace(turns)
		if err == nil {
			kids, err = kids.remove(head)
		}
		if err != nil {
			return nil, err
		}
		return kids.insert(fresh)
	}
	items := make([]*Entry, 0, few)
	for k, err := range kids.All() {
		if err != nil {
			return nil, err
		}
		switch {
		case k == head:
		case k.node.ID == turns.node.ID:
			items = append(items, turns)
		default:
			items = append(items, k)
		}
	}
	at := sort.Search(len(items), func(i int) bool { return entryLess(fresh, items[i]) })
	return listOf(slices.Insert(items, at, fresh)), nil
}

// coreOf returns the children of the active head as those of the turn it
// becomes: with a core around the blocks at offset 0 if it has none yet.
func (x *Editor) coreOf(head *Entry, turn string) (*List, error) {
	var outside []*Entry
	inside := make([]*Entry, 0, min(head.kids.Len(), 16))
	explicit := head.Core() != nil
	for k, err := range head.kids.All() {
		if err != nil {
			return nil, err
		}
		if k.node.Offset == 0 && !explicit {
			inside = append(inside, k)
			continue
		}
		outside = append(outside, k)
		x.put(k.node, turn)
	}
	if explicit {
		return head.kids, nil
	}
	core := Node{Type: x.env.Vocabulary.Container, Cycle: x.Cycle, Expiry: Never}
	if err := x.stampNew(&core, core.Type); err != nil {
		return nil, err
	}
	n := NewNode(core, nil)
	x.index(n, turn)
	for _, k := range inside {
		x.put(k.node, n.ID)
	}
	return listOf(outside).insert(newEntry(n, Container, listOf(inside)))
}
