package commit

import (
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// StubAttr is the attribute of a stub with the ids of the nodes that it replaces. Rules find no node with it.
const StubAttr = "pact:pruned"

// StandsFor returns the ids of the nodes that a stub replaces, in document order; nil for
// a node that is not a stub. A stub is a block of kind stub or, in the place of a result whose
// call stays, a result.
func StandsFor(n *tree.Node) (ids []string) {
	if n.Kind != lifecycle.StubKind && n.Kind != resultKind {
		return nil
	}
	return n.Header(StubAttr).Texts()
}

// stubPriority is the priority of stubs: the largest integer that every reader of
// JSON keeps exactly. So pruning takes them last, unless a node has an even higher one.
const stubPriority = 1<<53 - 1

// placedStub is a stub, and the tree in which it has replaced a removal set.
type placedStub struct {
	lifecycle.Stub
	tree    *tree.Tree
	stamps  tree.Stamps
	weights []int64 // what the stub counts for each limit, as weightsOf gives it
}

// stubFor makes the stub for a removal set, if the policy has a text for it (decision
// 061). It returns nil if a stub is not worthwhile: if the thread, or what the helped
// limit counts, would not get smaller; if the stub would exceed a limit; if it would stand
// between a call and its result; or if no block may be added there (02 §6.4).
func (p *pruner) stubFor(set []string, helped *limit, less []int64) (*placedStub, error) {
	text := p.in.Policy.Stub
	if p.ruling > 0 && p.in.Policy.Rules[p.ruling-1].Stub {
		text = p.stubText(p.ruled)
	} else if p.ruling > 0 {
		text = ""
	}
	if text == "" || p.rewriting {
		return nil, nil
	}
	for _, id := range set {
		e, err := p.tree.Entry(id)
		stub := false
		if err == nil {
			stub, err = isStub(e)
		}
		if stub || err != nil {
			return nil, err
		}
	}
	roots := slices.Clone(set)
	if err := p.tree.Sort(roots); err != nil {
		return nil, err
	}
	read := p.clock.next
	s, err := p.placeStub(roots, text)
	if err == nil && s != nil {
		var pays bool
		if pays, err = p.isWorthwhile(s, helped, less); err == nil && pays {
			return s, nil
		}
	}
	p.clock.next = read
	return nil, err
}

// placeStub replaces a removal set by a stub, which takes the place of the first root.
// For a block it stands in the same parent at the same offset; for a turn it stands
// before everything in the next turn that stays, or in ^ah if no turn follows.
func (p *pruner) placeStub(roots []string, text string) (*placedStub, error) {
	path, err := p.tree.Path(roots[0])
	if err != nil {
		return nil, err
	}
	t, err := p.tree.Without(roots...)
	if err != nil {
		return nil, err
	}
	first := path[len(path)-1]
	parent, offset := path[len(path)-2], first.Node().Offset
	if parent.Class() == tree.Seq {
		if parent, err = p.nextTurn(first, t); err != nil {
			return nil, err
		}
		offset = 0
		if parent.Children().Len() > 0 {
			item, err := parent.Children().At(0)
			if err != nil {
				return nil, err
			}
			offset = min(0, item.Node().Offset)
		}
		offset--
	}
	x := tree.Edit(p.ctx, t, p.in.Working, p.stamps, p.in.Env)
	role, err := stubRole(first, path[1].Class())
	if err != nil {
		return nil, err
	}
	id, err := x.Add(parent.Node().ID, tree.Spec{
		Role: role, Kind: lifecycle.StubKind, Offset: offset, Priority: stubPriority, Content: text,
		Attrs: map[string]any{StubAttr: roots},
	})
	if err == nil {
		return &placedStub{Stub: lifecycle.Stub{ID: id, For: roots}, tree: x.Tree(), stamps: x.Stamps}, nil
	}
	switch fault.CodeOf(err) {
	case fault.PlacementInvalid, fault.Sealed, fault.Limit:
		return nil, nil
	}
	return nil, err
}

// nextTurn returns the entry in t of the first turn after a given one that t still has,
// ^ah if there is none.
func (p *pruner) nextTurn(turn *tree.Entry, t *tree.Tree) (next *tree.Entry, err error) {
	turns := p.tree.Region(tree.Seq).Children()
	rank, err := turns.Rank(turn)
	if err != nil {
		return nil, err
	}
	for e, err := range turns.Visit(rank+1, turns.Len(), nil) {
		if err != nil {
			return nil, err
		}
		if next, err := t.Entry(e.Node().ID); err != nil || next != nil && e.Class() == tree.Turn {
			return next, err
		}
	}
	return t.Region(tree.Head), nil
}

// isWorthwhile reports whether a stub makes the thread and the helped limit smaller and
// exceeds no limit. less holds how much each limit loses by the removal set.
func (p *pruner) isWorthwhile(s *placedStub, helped *limit, less []int64) (pays bool, err error) {
	_, was := p.tree.ThreadSize()
	if _, is := s.tree.ThreadSize(); is >= was {
		return false, nil
	}
	if splits, err := s.splitsPair(); splits || err != nil {
		return false, err
	}
	if s.weights, err = p.weightsOf(s.tree, []string{s.ID}); err != nil {
		return false, err
	}
	for i := range p.limits {
		l := &p.limits[i]
		used, err := p.usedAfter(s.tree, i, less, s.weights)
		if err != nil || used > l.used && used > int64(l.max) || l == helped && used >= l.used {
			return false, err
		}
	}
	return true, nil
}

// keepStub makes the tree with a stub the current one, and returns the stub as a
// candidate for further pruning.
func (p *pruner) keepStub(s *placedStub) (candidate, error) {
	p.tree, p.stamps = s.tree, s.stamps
	p.stubs = append(p.stubs, s.Stub)
	if p.newStubs == nil {
		p.newStubs = make(map[string]bool)
	}
	p.newStubs[s.ID] = true
	path, err := p.tree.Path(s.ID)
	if err != nil {
		return candidate{}, err
	}
	return p.candidate(path[len(path)-1].Node(), path[1].Class())
}

// rewindableClock remembers the readings of a clock. To drop an attempt, set next back to
// what it was: the next attempt gets the same readings, and the stamps have no gap.
type rewindableClock struct {
	read func() int64
	seen []int64
	next int
}

func (c *rewindableClock) now() int64 {
	if c.next == len(c.seen) {
		if c.seen == nil {
			c.seen = make([]int64, 0, 4) // for a turn, its core, the next head and one more
		}
		c.seen = append(c.seen, c.read())
	}
	c.next++
	return c.seen[c.next-1]
}

// splitsPair reports whether a stub stands between a call and its result: whether results
// follow it, with only blocks of the assistant from the same turn in between, and one of
// them answers a call before the stub.
func (s *placedStub) splitsPair() (splits bool, err error) {
	before, _, _, err := s.tree.ThreadPlace(s.ID)
	if err != nil {
		return false, err
	}
	turn, err := turnOf(s.tree, s.ID)
	if err != nil {
		return false, err
	}
	results := false
	for e, err := range s.tree.Blocks(before + 1) {
		if err != nil {
			return false, err
		}
		n := e.Node()
		if n.Kind == resultKind {
			results = true
			calls, err := partners(s.tree, n)
			if err != nil {
				return false, err
			}
			for _, call := range calls {
				if order, err := s.tree.Order(call, s.ID); order < 0 || err != nil {
					return err == nil, err
				}
			}
			continue
		}
		if results || n.Kind != callKind && n.Role != "assistant" {
			break
		}
		if in, err := turnOf(s.tree, n.ID); in != turn || err != nil {
			return false, err
		}
	}
	return false, nil
}

// isStub reports whether an entry is a stub, or holds a stub and no other block.
func isStub(e *tree.Entry) (bool, error) {
	switch {
	case e.Summary().Blocks != 1:
		return false, nil
	case e.Class() == tree.Block:
		return e.Node().Kind == lifecycle.StubKind || e.Node().Kind == resultKind && e.Node().Has(StubAttr), nil
	}
	for k, err := range e.Children().All() {
		if err != nil {
			return false, err
		}
		if stub, err := isStub(k); stub || err != nil {
			return stub, err
		}
	}
	return false, nil
}

// stubRole returns the role for the stub that replaces an entry: that of the first block
// there; the assistant's in place of a tool's, because providers accept a tool's message
// only after a call.
func stubRole(e *tree.Entry, region tree.Class) (string, error) {
	if e.Class() == tree.Block {
		switch role := e.Node().Role; {
		case role == "user" || role == "system" || role == "assistant":
			return role, nil
		case role == "tool":
			return "assistant", nil
		case role == "" && region == tree.Sys:
			return "system", nil
		}
		return "user", nil
	}
	for k, err := range e.Children().All() {
		if err != nil {
			return "", err
		}
		if k.Summary().Blocks > 0 {
			return stubRole(k, region)
		}
	}
	return "user", nil
}
