package lifecycle

import (
	"slices"

	"github.com/contexttree/pact/tree"
)

// StubKind is the kind of the blocks that stand for what was pruned.
const StubKind = "stub"

// stubAttr is the attribute with the ids of what a stub stands for.
const stubAttr = "pact:pruned"

// StandsFor returns the ids of what a stub stands for, in document order: it
// stands in the place of the first. Nil for any other node.
func StandsFor(n *tree.Node) (ids []string) {
	if n.Kind != StubKind {
		return nil
	}
	for _, v := range n.Header(stubAttr).Any().Elems {
		ids = append(ids, v.Text)
	}
	return ids
}

// standing is a stub and the tree in which it stands in the place of its unit.
type standing struct {
	Stub
	place  string
	tree   *tree.Tree
	stamps tree.Stamps
}

// stub puts a block in the place of the first of a unit, where the policy wants
// one. It leaves none, and returns nil, where that would not pay: where the
// thread, or what the limit counts, would not get smaller by the unit; where a
// limit would be exceeded by what the stub adds; and between a call and its
// result, which have to stand together.
func (p *pruner) stub(unit []string, helped *limit) (*standing, error) {
	text := p.in.Policy.Stub
	if text == "" || p.anew || slices.ContainsFunc(unit, func(id string) bool { return isStub(p.tree.Entry(id)) }) {
		return nil, nil
	}
	roots := slices.SortedFunc(slices.Values(unit), p.tree.Order)
	s := &standing{place: roots[0]}
	path := p.tree.Path(s.place)
	spec := tree.Spec{Role: stubRole(path[len(path)-1], path[1].Class()), Kind: StubKind, Content: text, Attrs: map[string]any{stubAttr: roots}}
	var err error
	s.For = roots
	if s.tree, s.stamps, s.ID, err = tree.StandIn(p.tree, p.stamps, p.in.Env, s.place, spec); err != nil {
		return nil, err
	}
	s.tree = s.tree.Without(roots[1:]...)
	_, was := p.tree.ThreadSize()
	if _, is := s.tree.ThreadSize(); is >= was || s.parts() {
		return nil, nil
	}
	for i := range p.limits {
		l := &p.limits[i]
		used, err := p.use(s.tree, l)
		if err != nil || used > l.used && used > int64(l.max) || l == helped && used >= l.used {
			return nil, err
		}
	}
	return s, nil
}

// put leaves a stub, and returns what can be pruned of it.
func (p *pruner) put(s *standing) candidate {
	p.tree, p.stamps = s.tree, s.stamps
	p.stubs = append(p.stubs, s.Stub)
	path := p.tree.Path(s.ID)
	p.own[s.ID] = true
	if n := path[2].Node(); n.ID == s.place {
		p.own[path[3].Node().ID] = true
		return candidate{id: n.ID, node: n, stub: true}
	}
	return candidate{id: s.ID, node: path[len(path)-1].Node(), sys: path[1].Class() == tree.Sys, stub: true}
}

// parts reports whether a stub stands between a call and its result: whether
// behind it, with nothing but what the assistant says in the same turn before,
// come results of which one answers a call ahead of it.
func (s *standing) parts() (parts bool) {
	before, _, _ := s.tree.ThreadPlace(s.ID)
	turn, results := turnOf(s.tree, s.ID), false
	s.tree.BlocksFrom(before+1, func(e *tree.Entry, _ tree.Class) bool {
		n := e.Node()
		if n.Kind == resultKind {
			results = true
			for _, call := range partners(s.tree, n) {
				parts = parts || s.tree.Order(call, s.ID) < 0
			}
			return !parts
		}
		return !results && (n.Kind == callKind || n.Role == "assistant") && turnOf(s.tree, n.ID) == turn
	})
	return parts
}

// isStub reports whether a block, or all that a turn holds, is a stub.
func isStub(e *tree.Entry) bool {
	switch {
	case e.Summary().Blocks != 1 || !e.Summary().Marks.May(tree.Marks{Kinds: tree.Mark(StubKind)}):
		return false
	case e.Class() == tree.Block:
		return e.Node().Kind == StubKind
	}
	found := false
	for k := range e.Children().All() {
		found = found || isStub(k)
	}
	return found
}

// stubRole is who speaks in the place of an entry: whoever speaks first there,
// the assistant for a tool, which speaks only when it is called.
func stubRole(e *tree.Entry, region tree.Class) string {
	if e.Class() == tree.Block {
		switch role := e.Node().Role; {
		case role == "user" || role == "system" || role == "assistant":
			return role
		case role == "tool":
			return "assistant"
		case role == "" && region == tree.Sys:
			return "system"
		}
		return "user"
	}
	for k := range e.Children().All() {
		if k.Summary().Blocks > 0 {
			return stubRole(k, region)
		}
	}
	return "user"
}
