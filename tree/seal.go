package tree

import "math"

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
		x.stamp(&n)
		nodes[i] = Placed{NewNode(n, nil), min(i, 1) - 1}
	}
	t, err := Build(0, nodes)
	return t, Stamps{Cycle: 1, LastNS: x.LastNS, Given: -1}, err
}

// Without returns the tree without the nodes and everything below them. Ids
// that are not there, or no longer, are passed over. It checks nothing: the
// rules of removal are the caller's.
func (t *Tree) Without(ids ...string) *Tree {
	c := t.change()
	for _, id := range ids {
		if c.Has(id) {
			c.detach(id)
		}
	}
	return c.result()
}

// Seal makes the active head a new turn under ^seq and puts a fresh, empty one
// in its place (02 §6.2, 03 §5.2). An elided core becomes a container. Stamps
// are given in this order: turn, core, next ^ah. The tree returned is the
// snapshot of s.Cycle; the stamps are those of the cycle after it.
// Cost: the children of ^ah, and one path.
func Seal(t *Tree, s Stamps, env Env) (*Tree, Stamps, error) {
	x := &Editor{change: t.change(), Stamps: s, env: env}
	head := t.Region(Head)
	turn := Node{Type: env.Vocabulary.Turn, Cycle: s.Cycle, Expiry: Never}
	if err := x.stampNew(&turn, turn.Type); err != nil {
		return nil, s, err
	}
	var outside, core []*Entry
	hasCore := false
	for k := range head.kids.All() {
		switch {
		case k.node.Offset != 0 || k.class == Container:
			hasCore = hasCore || k.node.Offset == 0
			outside = append(outside, k)
		default:
			core = append(core, k)
		}
	}
	if hasCore {
		outside, core = outside[:0], nil
		for k := range head.kids.All() {
			outside = append(outside, k) // a foreign core block beside an explicit core stays with the turn
		}
	}
	x.detach(head.node.ID)
	x.attach(x.Region(Seq).node.ID, newEntry(NewNode(turn, nil), Turn, listOf(outside)))
	if !hasCore {
		c := Node{Type: env.Vocabulary.Container, Cycle: s.Cycle, Expiry: Never}
		if err := x.stampNew(&c, c.Type); err != nil {
			return nil, s, err
		}
		x.attach(turn.ID, newEntry(NewNode(c, nil), Container, listOf(core)))
	}
	next := Node{Type: "^ah", Cycle: s.Cycle, Expiry: Never}
	if err := x.stampNew(&next, "ah"); err != nil {
		return nil, s, err
	}
	x.attach(x.root.node.ID, newEntry(NewNode(next, nil), Head, nil))
	sealed := x.result()
	sealed.cycle = s.Cycle
	return sealed, Stamps{Cycle: s.Cycle + 1, LastNS: x.LastNS, Given: x.Given}, nil
}
