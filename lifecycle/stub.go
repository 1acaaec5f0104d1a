package lifecycle

import (
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/tree"
)

// StubKind is the kind of the blocks that stand for what was pruned.
const StubKind = "stub"

// stubAttr is the attribute with the ids of what a stub stands for.
const stubAttr = "pact:pruned"

// StandsFor returns the ids of what a stub stands for, in document order. Nil for
// any other node.
func StandsFor(n *tree.Node) (ids []string) {
	if n.Kind != StubKind {
		return nil
	}
	return n.Header(stubAttr).Texts()
}

// StubPriority is the priority of stubs: the largest integer that every reader of
// JSON keeps. So they go behind everything that does not ask for even more.
const StubPriority = 1<<53 - 1

// standing is a stub and the tree in which it stands for its unit.
type standing struct {
	Stub
	tree    *tree.Tree
	stamps  tree.Stamps
	weights []int64 // what it counts for the limits
}

// stub leaves a new block for a unit, where the policy wants one. It leaves none,
// and returns nil, where that would not pay: where the thread, or what the limit
// counts, would not get smaller by the unit; where a limit would be exceeded by
// what the stub adds; between a call and its result, which have to stand together;
// and where no new block may be added (02 §6.4).
func (p *pruner) stub(unit []string, helped *limit, less []int64) (*standing, error) {
	text := p.in.Policy.Stub
	if text == "" || p.anew || slices.ContainsFunc(unit, func(id string) bool { return isStub(p.tree.Entry(id)) }) {
		return nil, nil
	}
	roots := slices.SortedFunc(slices.Values(unit), p.tree.Order)
	read := p.clock.next
	s, err := p.stand(roots, text)
	if err == nil && s != nil {
		var pays bool
		if pays, err = p.pays(s, helped, less); err == nil && pays {
			return s, nil
		}
	}
	p.clock.next = read
	return nil, err
}

// stand puts a stub in the place of the first of a unit: a block beside it, at its
// offset; for a turn before all that the next turn has that stays, or ^ah.
func (p *pruner) stand(roots []string, text string) (*standing, error) {
	path, t := p.tree.Path(roots[0]), p.tree.Without(roots...)
	first := path[len(path)-1]
	parent, offset := path[len(path)-2], first.Node().Offset
	if parent.Class() == tree.Seq {
		if parent, offset = p.nextTurn(first, t), 0; parent.Children().Len() > 0 {
			offset = min(0, parent.Children().At(0).Node().Offset)
		}
		offset--
	}
	x := tree.Edit(p.ctx, t, p.in.Working, p.stamps, p.in.Env)
	id, err := x.Add(parent.Node().ID, tree.Spec{
		Role: stubRole(first, path[1].Class()), Kind: StubKind, Offset: offset, Priority: StubPriority, Content: text,
		Attrs: map[string]any{stubAttr: roots},
	})
	if err == nil {
		return &standing{Stub: Stub{id, roots}, tree: x.Tree(), stamps: x.Stamps}, nil
	}
	switch fault.CodeOf(err) {
	case fault.PlacementInvalid, fault.Sealed, fault.Limit:
		return nil, nil
	}
	return nil, err
}

// nextTurn returns what is left in t of the turn after one that goes, of those
// that stay, ^ah behind the last.
func (p *pruner) nextTurn(turn *tree.Entry, t *tree.Tree) (next *tree.Entry) {
	turns := p.tree.Region(tree.Seq).Children()
	next = t.Region(tree.Head)
	turns.Visit(turns.Rank(turn)+1, turns.Len(), nil, func(e *tree.Entry) bool {
		if e.Class() != tree.Turn || !t.Has(e.Node().ID) {
			return true
		}
		next = t.Entry(e.Node().ID)
		return false
	})
	return next
}

// pays reports whether a stub is worth its place. less is what the limits lose by
// its unit.
func (p *pruner) pays(s *standing, helped *limit, less []int64) (pays bool, err error) {
	_, was := p.tree.ThreadSize()
	if _, is := s.tree.ThreadSize(); is >= was || s.parts() {
		return false, nil
	}
	if s.weights, err = p.weights(s.tree, []string{s.ID}); err != nil {
		return false, err
	}
	for i := range p.limits {
		l := &p.limits[i]
		used, err := p.change(s.tree, i, less, s.weights)
		if err != nil || used > l.used && used > int64(l.max) || l == helped && used >= l.used {
			return false, err
		}
	}
	return true, nil
}

// put leaves a stub, and returns what can be pruned of it.
func (p *pruner) put(s *standing) candidate {
	p.tree, p.stamps = s.tree, s.stamps
	p.stubs = append(p.stubs, s.Stub)
	p.own[s.ID] = true
	path := p.tree.Path(s.ID)
	return candidate{id: s.ID, node: path[len(path)-1].Node(), sys: path[1].Class() == tree.Sys}
}

// clock hands out the readings of a clock. A try that comes to nothing gives its
// readings back, by putting next where it was.
type clock struct {
	read func() int64
	seen []int64
	next int
}

func (c *clock) now() int64 {
	if c.next == len(c.seen) {
		c.seen = append(c.seen, c.read())
	}
	c.next++
	return c.seen[c.next-1]
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
