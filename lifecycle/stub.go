package lifecycle

import (
	"slices"

	"github.com/contexttree/pact/tree"
)

// stubKind is the kind of the blocks that stand for what was pruned.
const stubKind = "stub"

// prunedAttr names, on a stub, the nodes that it stands for.
const prunedAttr = "pact:pruned"

// standing is a stub and the tree in which it stands in the place of its unit.
type standing struct {
	Stub
	place  string
	tree   *tree.Tree
	stamps tree.Stamps
}

// stub puts a block in the place of the first of a unit, where the policy wants
// one. It leaves none, and returns nil, where that would not pay: where the
// thread, or what the limit counts, would not get smaller by the unit; and where
// a result follows, which has to stand behind its call.
func (p *pruner) stub(unit []string, helped *limit) (*standing, error) {
	text := p.in.Policy.Stub
	if text == "" || slices.ContainsFunc(unit, func(id string) bool { return isStub(p.tree.Entry(id)) }) {
		return nil, nil
	}
	roots := slices.SortedFunc(slices.Values(unit), p.tree.Order)
	s := &standing{place: roots[0]}
	spec := tree.Spec{Role: stubRole(p.tree.Entry(s.place)), Kind: stubKind, Content: text, Attrs: map[string]any{prunedAttr: roots}}
	var err error
	s.For = roots
	if s.tree, s.stamps, s.ID, err = tree.StandIn(p.tree, p.stamps, p.in.Env, s.place, spec); err != nil {
		return nil, err
	}
	s.tree = s.tree.Without(roots[1:]...)
	_, was := p.tree.ThreadSize()
	if _, is := s.tree.ThreadSize(); is >= was || p.resultFollows(s) {
		return nil, nil
	}
	if helped != nil {
		if used, err := p.use(s.tree, helped); err != nil || used >= helped.used {
			return nil, err
		}
	}
	return s, nil
}

func (p *pruner) resultFollows(s *standing) (follows bool) {
	before, _, _ := s.tree.ThreadPlace(s.ID)
	s.tree.BlocksFrom(before+1, func(e *tree.Entry, _ tree.Class) bool {
		follows = e.Node().Kind == resultKind
		return false
	})
	return follows
}

// isStub reports whether a block, or all that a turn holds, is a stub.
func isStub(e *tree.Entry) bool {
	switch {
	case e.Summary().Blocks != 1 || !e.Summary().Marks.May(tree.Marks{Kinds: tree.Mark(stubKind)}):
		return false
	case e.Class() == tree.Block:
		return e.Node().Kind == stubKind
	}
	found := false
	for k := range e.Children().All() {
		found = found || isStub(k)
	}
	return found
}

// stubRole is who speaks in the place of an entry: whoever speaks first there,
// the assistant for a tool, which speaks only when it is called.
func stubRole(e *tree.Entry) string {
	if e.Class() == tree.Block {
		switch role := e.Node().Role; role {
		case "user", "system", "assistant":
			return role
		case "tool":
			return "assistant"
		}
		return "user"
	}
	for k := range e.Children().All() {
		if k.Summary().Blocks > 0 {
			return stubRole(k)
		}
	}
	return "user"
}
