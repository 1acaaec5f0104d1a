package query

import (
	"math/bits"
	"slices"

	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/tree"
)

// below visits the children of e that can be of use. A child of a turn can be
// reached in several ways: directly, through the elided core, and through the
// parts that :pre, :core and :post name.
func (r *run) below(e *tree.Entry, at place, out []state) {
	if e.Class() == tree.Seq && r.plan.traits.NewestFirst {
		begin := len(r.result.IDs)
		defer func() { r.newestFirst(r.result.IDs[begin:]) }()
	}
	if r.several(e, out) {
		r.belowInWays(e, at, out)
		return
	}
	if s := r.spans(e, at, out); s != nil {
		for _, s := range s {
			r.span(e, at, out, s)
		}
	} else {
		r.span(e, at, out, span{0, e.Children().Len()})
	}
}

// newestFirst turns the order of turns around in what was selected below ^seq.
func (r *run) newestFirst(ids []string) {
	slices.Reverse(ids)
	for len(ids) > 0 {
		turn := r.turnOf(ids[0])
		n := 1
		for n < len(ids) && r.turnOf(ids[n]) == turn {
			n++
		}
		slices.Reverse(ids[:n])
		ids = ids[n:]
	}
}

// turnOf returns the child of ^seq that a node is or is in.
func (r *run) turnOf(id string) string {
	if path := r.tree.Path(id); len(path) > 2 {
		return path[2].Node().ID
	}
	return id
}

// several reports whether steps are open that make a difference between the
// ways to the children, or choices among them.
func (r *run) several(e *tree.Entry, out []state) bool {
	turn := e.Class() == tree.Turn || e.Class() == tree.Head
	for i := range out {
		g := &r.plan.groups[i]
		open := out[i].active()
		if open&g.picks != 0 || turn && open&(g.parts|g.cores) != 0 {
			return true
		}
	}
	return false
}

// span visits a run of children by rank, passing over what the summaries rule
// out.
func (r *run) span(e *tree.Entry, at place, out []state, s span) {
	at.level++
	if items, short := e.Children().Leaf(); short {
		for rank := s.lo; rank < s.hi && r.err == nil; rank++ {
			if k := items[rank]; r.may(k.Summary(), out) {
				r.visit(k, at.of(k, e, rank), out, nil)
			}
		}
		return
	}
	c := e.Children().Cursor()
	for rank := 0; rank < s.hi && r.err == nil; {
		run, k := c.Peek()
		switch {
		case run != nil && (rank+run.Len() <= s.lo || !r.may(run.Sum(), out)):
			rank += run.Len()
			c.Skip()
		case run != nil:
			c.Enter()
		default:
			if rank >= s.lo && r.may(k.Summary(), out) {
				r.visit(k, at.of(k, e, rank), out, nil)
			}
			rank++
			c.Skip()
		}
	}
}

// belowInWays is below where ways differ or children are chosen.
func (r *run) belowInWays(e *tree.Entry, at place, out []state) {
	ways := []way{{zone: everywhere, states: out}}
	if e.Class() == tree.Turn || e.Class() == tree.Head {
		ways = r.inside(e, at, ways)
	}
	picks := make([]choices, len(ways))
	for i, w := range ways {
		picks[i] = r.choose(e, at, w)
	}
	at.level++
	rank := 0
	for k := range e.Children().All() {
		states, chosen := r.at(at.level).mixed()
		for i, w := range ways {
			if !w.zone.has(k.Node().Offset) {
				continue
			}
			for g := range states {
				states[g].child |= w.states[g].child
				states[g].below |= w.states[g].below
				chosen[g] |= picks[i].of(g, k)
			}
		}
		if r.may(k.Summary(), states) {
			r.visit(k, at.of(k, e, rank), states, chosen)
		}
		rank++
	}
}

// way is one way to the children of a turn, with the steps that it opens.
type way struct {
	zone   zone
	states []state
}

var everywhere = zone{zones[selector.Pre].lo, zones[selector.Post].hi}

// inside adds the ways through the parts of a turn and through its elided core.
func (r *run) inside(e *tree.Entry, at place, ways []way) []way {
	direct := ways[0].states
	core := slices.Clone(direct) // what is open for a container at offset 0
	add := func(z zone, g int, s state) {
		if s.active() == 0 {
			return
		}
		w := way{zone: z, states: make([]state, len(direct))}
		w.states[g] = s
		ways = append(ways, w)
	}
	for i := range direct {
		g := &r.plan.groups[i]
		for m := direct[i].active() & g.parts; m != 0; m &= m - 1 {
			bit := m & -m
			opened := g.advance(state{}, bit)
			z := g.steps[bits.TrailingZeros64(bit)].zone
			add(z, i, opened)
			if z == zones[selector.Core] {
				core[i].child |= opened.child
				core[i].below |= opened.below
			}
		}
	}
	for i := range core {
		g := &r.plan.groups[i]
		open := core[i].active() & g.cores
		if open == 0 {
			continue
		}
		elided := e.ElidedCore(r.plan.traits.ContainerType)
		if elided == nil {
			break
		}
		under := at
		under.level++
		picked := uint64(0)
		for m := open; m != 0; m &= m - 1 {
			step := bits.TrailingZeros64(m)
			if g.steps[step].picks && isElided(r.chosen(g, step, e, at, everywhere)) {
				picked |= 1 << step
			}
		}
		add(zones[selector.Core], i, g.advance(state{}, r.match(g, elided, under, open, picked)))
	}
	return ways
}

// choices are the children that steps with :first, :last or :nth take: for
// each group and step the node that was chosen. nil where there are none.
type choices []map[int]*tree.Node

func (c choices) of(g int, k *tree.Entry) uint64 {
	if c == nil {
		return 0
	}
	chosen := uint64(0)
	for step, n := range c[g] {
		if n == k.Node() {
			chosen |= 1 << step
		}
	}
	return chosen
}

// choose settles the choices among the children that one way leads to: each
// applies to the matches of what stands before it, in canonical order, and
// what stands after it tests the chosen one (docs/decisions).
func (r *run) choose(e *tree.Entry, at place, w way) choices {
	var c choices
	for i, s := range w.states {
		g := &r.plan.groups[i]
		for m := s.active() & g.picks; m != 0; m &= m - 1 {
			if c == nil {
				c = make(choices, len(w.states))
			}
			if c[i] == nil {
				c[i] = make(map[int]*tree.Node)
			}
			step := bits.TrailingZeros64(m)
			c[i][step] = r.chosen(g, step, e, at, w.zone)
		}
	}
	return c
}

// chosen returns the child that a step with choices takes, nil without one. An
// elided core takes part where the step names its class; it is known by its node.
func (r *run) chosen(g *group, step int, e *tree.Entry, at place, z zone) *tree.Node {
	tests := g.steps[step].tests
	at.level++
	var elided *tree.Entry
	if g.cores&(1<<step) != 0 {
		elided = e.ElidedCore(r.plan.traits.ContainerType)
	}
	var siblings []sibling
	consider := func(k *tree.Entry, at place) {
		if z.has(k.Node().Offset) {
			siblings = append(siblings, sibling{k, at})
		}
	}
	rank := 0
	for k := range e.Children().All() {
		if elided != nil && k.Node().Offset >= 0 {
			consider(elided, at)
			elided = nil
		}
		consider(k, at.of(k, e, rank))
		rank++
	}
	return r.settle(tests, siblings)
}

// sibling is a node that takes part in a choice.
type sibling struct {
	entry *tree.Entry
	at    place
}

// settle runs the tests and choices of a step over siblings.
func (r *run) settle(tests []test, siblings []sibling) *tree.Node {
	for {
		r.result.Visited += len(siblings)
		siblings = slices.DeleteFunc(siblings, func(k sibling) bool { return !r.passes(ahead(tests), k.entry, k.at) })
		i := slices.IndexFunc(tests, func(t test) bool { return t.pick != nil })
		if len(siblings) == 0 {
			return nil
		}
		if i < 0 {
			return siblings[0].entry.Node()
		}
		n := 1
		switch p := tests[i].pick; p.Kind {
		case selector.Last:
			n = len(siblings)
		case selector.Nth:
			n = p.N
		}
		if n > len(siblings) {
			return nil
		}
		siblings, tests = siblings[n-1:n], tests[i+1:]
	}
}

// ahead returns the tests before the next choice.
func ahead(tests []test) []test {
	if i := slices.IndexFunc(tests, func(t test) bool { return t.pick != nil }); i >= 0 {
		return tests[:i]
	}
	return tests
}

// isElided reports whether a chosen node is an elided core, which has no id.
func isElided(n *tree.Node) bool { return n != nil && n.ID == "" }
