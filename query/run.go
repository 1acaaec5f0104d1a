package query

import (
	"context"
	"math/bits"
	"slices"

	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/tree"
)

// Result is what a plan selected.
type Result struct {
	IDs     []string // in document order, turns in the edition's order, none twice
	Visited int      // nodes looked at
}

// state is how far one group has come at a place of the tree: the steps that
// a child may match and those that any node below may match, one bit each.
type state struct{ child, below uint64 }

func (s state) active() uint64 { return s.child | s.below }

// run is one evaluation of a plan.
type run struct {
	ctx    context.Context
	plan   *Plan
	tree   *tree.Tree
	paths  map[string][]*tree.Entry // to the pinned ids
	result Result
	err    error
	scope  scope
	levels []*buffers
}

func (r *run) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// Run evaluates the plan over one tree. It is pure (04 §1). It fails only
// where content has to be read from a store, or when ctx ends.
//
// Cost: a step with an id follows one path; :depth(…) looks at the turns it
// names; anything else looks at the nodes that the summaries do not rule out.
func (p *Plan) Run(ctx context.Context, t *tree.Tree) (Result, error) {
	r := &run{ctx: ctx, plan: p, tree: t, result: Result{IDs: []string{}}}
	r.scope.run = r
	for _, g := range p.groups {
		for _, s := range g.steps {
			if s.pin != "" && r.paths[s.pin] == nil {
				if r.paths == nil {
					r.paths = make(map[string][]*tree.Entry)
				}
				r.paths[s.pin] = t.Path(s.pin)
			}
		}
	}
	in := make([]state, len(p.groups))
	chosen := make([]uint64, len(p.groups))
	for i := range in {
		in[i].below = 1
		if first := p.groups[i].steps[0]; first.picks && r.settle(first.tests, []sibling{{t.Root(), place{}}}) != nil {
			chosen[i] = 1 // the root is the only one of its kind
		}
	}
	r.visit(t.Root(), place{}, in, chosen)
	if p.keySet && r.err == nil {
		r.inFamilyOrder()
	}
	if r.err == nil {
		r.err = ctx.Err()
	}
	return r.result, r.err
}

// place is where a node is: its level below the root and, where axis is set,
// its depth: that of the turn it is or lives in, 0 in ^ah, -1 in ^sys.
type place struct {
	depth int64
	axis  bool
	level int
}

// of returns p for a child k of e with a rank among the children.
func (p place) of(k, e *tree.Entry, rank int) place {
	switch {
	case e.Class() == tree.Seq:
		p.depth, p.axis = int64(e.Children().Len()-rank), true
	case k.Class() == tree.Head:
		p.depth, p.axis = 0, true
	case k.Class() == tree.Sys:
		p.depth, p.axis = -1, true
	case k.Class() == tree.Seq:
		p.axis = false
	}
	return p
}

// buffers hold the states of one level of the walk, which is at one node of it
// at a time.
type buffers struct {
	out, in []state
	chosen  []uint64
}

func (r *run) at(level int) *buffers {
	for len(r.levels) <= level {
		n := len(r.plan.groups)
		b := make([]state, 2*n)
		r.levels = append(r.levels, &buffers{out: b[:n], in: b[n:], chosen: make([]uint64, n)})
	}
	return r.levels[level]
}

// mixed returns the cleared buffers for a node that is reached in several ways.
func (b *buffers) mixed() ([]state, []uint64) {
	clear(b.in)
	clear(b.chosen)
	return b.in, b.chosen
}

// visit looks at one node: it matches the steps that are open here, takes the
// node into the result where a last step matches, and goes on below. chosen
// says which steps with a choice among siblings took this node.
func (r *run) visit(e *tree.Entry, at place, in []state, chosen []uint64) {
	r.result.Visited++
	if r.result.Visited%4096 == 0 && r.ctx.Err() != nil {
		r.fail(r.ctx.Err())
	}
	if r.err != nil {
		return
	}
	out := r.at(at.level).out
	selected := false
	for i := range in {
		g := &r.plan.groups[i]
		picked := uint64(0)
		if chosen != nil {
			picked = chosen[i]
		}
		matched := r.match(g, e, at, in[i].active()&^g.parts, picked)
		last := uint64(1) << (len(g.steps) - 1)
		selected = selected || matched&last != 0
		out[i] = g.advance(in[i], matched)
		if at.level > 0 {
			out[i].child &^= g.regions
			out[i].below &^= g.regions
		}
	}
	if selected {
		r.result.IDs = append(r.result.IDs, e.Node().ID)
	}
	if e.Children().Len() > 0 {
		r.below(e, at, out)
	}
}

// advance opens the steps after those that matched. What any node below may
// match stays open.
func (g *group) advance(in state, matched uint64) state {
	out := state{below: in.below}
	for m := matched &^ (1 << (len(g.steps) - 1)); m != 0; m &= m - 1 {
		next := bits.TrailingZeros64(m) + 1
		if g.steps[next].child {
			out.child |= 1 << next
		} else {
			out.below |= 1 << next
		}
	}
	return out
}

// match returns which of the open steps a node matches.
func (r *run) match(g *group, e *tree.Entry, at place, open, picked uint64) uint64 {
	matched := uint64(0)
	for m := open; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		s := &g.steps[i]
		if s.picks {
			matched |= picked & (1 << i)
			continue
		}
		if r.passes(s.tests, e, at) {
			matched |= 1 << i
		}
	}
	return matched
}

func (r *run) passes(tests []test, e *tree.Entry, at place) bool {
	s := &r.scope
	s.entry, s.depth, s.axis, s.level = e, at.depth, at.axis, at.level
	for i := range tests {
		if tests[i].ok != nil && !tests[i].ok(s) {
			return false
		}
	}
	return true
}

// may reports whether anything at and below a summary can be of use to the
// open steps.
func (r *run) may(sum *tree.Summary, states []state) bool {
	for i := range states {
		g := &r.plan.groups[i]
		for m := states[i].active(); m != 0; m &= m - 1 {
			if sum.Marks.May(g.steps[bits.TrailingZeros64(m)].from) {
				return true
			}
		}
	}
	return false
}

// span is a run of ranks among the children of one node.
type span struct{ lo, hi int }

// spans returns the children that the open steps can concern where every one
// of them leads to an id or to a depth, else nil, for all of them.
func (r *run) spans(e *tree.Entry, at place, states []state) []span {
	list := []span{}
	for i := range states {
		g := &r.plan.groups[i]
		for m := states[i].active(); m != 0; m &= m - 1 {
			s := &g.steps[bits.TrailingZeros64(m)]
			switch {
			case s.pin != "":
				path := r.paths[s.pin]
				if at.level+1 < len(path) && path[at.level] == e {
					rank := e.Children().Rank(path[at.level+1])
					list = append(list, span{rank, rank + 1})
				}
			case len(s.depths) > 0 && e.Class() == tree.Seq:
				list = append(list, ranks(s.depths[0], e.Children().Len())...)
			default:
				return nil
			}
		}
	}
	slices.SortFunc(list, func(a, b span) int { return a.lo - b.lo })
	merged := list[:0]
	for _, s := range list {
		if n := len(merged); n > 0 && s.lo <= merged[n-1].hi {
			merged[n-1].hi = max(merged[n-1].hi, s.hi)
		} else if s.lo < s.hi {
			merged = append(merged, s)
		}
	}
	return merged
}

// ranks turns depths, counted from the newest turn, into ranks among n turns.
func ranks(set selector.DepthSet, n int) []span {
	list := make([]span, 0, len(set.Terms))
	for _, t := range set.Terms {
		lo, hi := max(t.Lo, 1), min(t.Hi, int64(n))
		if lo <= hi {
			list = append(list, span{n - int(hi), n - int(lo) + 1})
		}
	}
	return list
}
