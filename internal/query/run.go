package query

import (
	"context"
	"math/bits"
	"slices"

	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/tree"
)

// Result holds the nodes that a plan selected and the counts of its run.
type Result struct {
	// Nodes come in document order, with the turns in the order of the edition or
	// of @order; same-key sets come newest first. No node comes twice.
	Nodes       []*tree.Entry
	Visited     int           // nodes that the run tested
	Skipped     int           // nodes that ids, ranks and summaries ruled out untested
	elidedCores []*tree.Entry // turns whose elided core a last step matches
}

// IDs returns the ids of the nodes. It is never nil.
func (r Result) IDs() []string {
	ids := make([]string, len(r.Nodes))
	for i, e := range r.Nodes {
		ids[i] = e.Node().ID
	}
	return ids
}

// run is one evaluation of a plan over one tree.
type run struct {
	ctx         context.Context
	plan        *Plan
	tree        *tree.Tree
	paths       [][]*tree.Entry        // from the root to each of plan.ids, nil if an id is not there
	limits      map[*tree.Entry][]span // the children to visit below a node, where not all; see RunBelow
	turns       []int                  // ranks of the turns below ^seq, see ranksOfTurns
	result      Result
	locations   []location // of the nodes in the result, where their order needs it
	err         error
	levels      []*level
	matched     int64       // states × bytes that regular expressions cost so far, see matches
	unwatched   int64       // states × bytes since the last check of the context
	picker      childPicker // reused, see pickChild
	elidedEntry *tree.Entry // reused, see elidedCore
	elidedNode  tree.Node
}

func newRun(ctx context.Context, p *Plan, t *tree.Tree) *run {
	r := &run{ctx: ctx, plan: p, tree: t}
	r.turns, r.err = ranksOfTurns(t)
	return r
}

// fail ends the run with an error, unless there was one before or err is nil.
func (r *run) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// Run evaluates the plan over one tree. It is pure (04 §1). It applies @order;
// [Plan.Window] applies the controls that leave nodes out. Run fails only if it
// cannot read a content from a store, if ctx ends, or with E_LIMIT if regular
// expressions would take more than 2^30 steps, states × bytes of text.
//
// Cost: a step with an id follows one path; :depth(…) visits the turns that it
// names; any other step visits once each node that the summaries do not rule out,
// and allocates nothing for a node that it does not select. An order other than
// that of the document adds the cost of sorting the selected nodes.
//
// Specification: 04 §2, 04 §2.1, 04 §2.2.
func (p *Plan) Run(ctx context.Context, t *tree.Tree) (Result, error) { return p.run(ctx, t, nil) }

// run evaluates the plan. Below a node that is a key of only, it visits only the
// children in those spans.
func (p *Plan) run(ctx context.Context, t *tree.Tree, only map[*tree.Entry][]span) (Result, error) {
	if err := p.checkCounter(); err != nil {
		return Result{}, err
	}
	if p.fragments != nil {
		return p.union(ctx, t, only)
	}
	r := newRun(ctx, p, t)
	r.limits = only
	if len(p.ids) > 0 {
		r.paths = make([][]*tree.Entry, len(p.ids))
		for i, id := range p.ids {
			var err error
			r.paths[i], err = t.Path(id)
			r.fail(err)
		}
	}
	in, picked := make([]state, len(p.groups)), make([]uint64, len(p.groups))
	for i := range in {
		in[i].below = 1
		if first := &p.groups[i].steps[0]; first.pick != nil && r.picksRoot(&first.filter, t.Root(), location{}) {
			picked[i] = 1 // the root has no siblings, so a pick picks it
		}
	}
	r.visit(t.Root(), location{}, in, picked)
	r.check(r.result.Visited & (visitsBetweenChecks - 1))
	if r.err != nil {
		return Result{}, r.err
	}
	r.arrange()
	if r.err != nil {
		return Result{}, r.err
	}
	r.result.Skipped = t.Len() - r.result.Visited
	return r.result, nil
}

// location says where a node is: its level below the root and, if hasDepth is
// set, its depth: the depth of the turn that it is or lies in, 0 in ^ah, -1 in
// ^sys.
type location struct {
	depth    int64
	level    int32
	hasDepth bool
	ownDepth bool // the node is the turn or region that has the depth, not inside it
}

// locationOf returns the location of k, the child of e with the given rank. p is
// the location of e.
func (r *run) locationOf(p location, k, e *tree.Entry, rank int) location {
	p.level++
	p.ownDepth = false
	switch {
	case p.level == 1:
		switch k.Class() {
		case tree.Head:
			p.depth, p.hasDepth, p.ownDepth = 0, true, true
		case tree.Sys:
			p.depth, p.hasDepth, p.ownDepth = -1, true, true
		}
	case p.level == 2 && e.Class() == tree.Seq:
		if depth, counts := r.depthOfRank(e.Children().Len(), rank); counts {
			p.depth, p.hasDepth, p.ownDepth = depth, true, true
		}
	}
	return p
}

// state holds the steps of one group that are open below a node, one bit each:
// the steps that a child may match, and those that any node below may match.
type state struct{ child, below uint64 }

func (s state) active() uint64 { return s.child | s.below }

func (s state) and(mask uint64) state { return state{s.child & mask, s.below & mask} }

func (s state) or(o state) state { return state{s.child | o.child, s.below | o.below} }

// advance opens the steps after those that matched. Steps that any node below
// may match stay open.
func (g *group) advance(s state, matched uint64) state {
	next := matched &^ g.lastStep << 1
	return state{next & g.childSteps, s.below | next&^g.childSteps}
}

// level is the working memory of the walk at one level of the tree. The walk is
// at one node of a level at a time.
type level struct {
	open         []state // the steps that are open below the node, for each group
	lastSteps    []*step // the open steps that are the last of their group
	innerClasses uint8   // the classes of the inner children worth a visit, one bit each
	spans        []span  // the ranks of the children worth a visit
	routes       *routes // used if not all children have the same open steps, see routes.go
	walk         walk
}

func (r *run) level(n int32) *level {
	for len(r.levels) <= int(n) {
		lv := &level{open: make([]state, len(r.plan.groups))}
		lv.walk = walk{run: r, level: lv}
		r.levels = append(r.levels, lv)
	}
	return r.levels[n]
}

// visit tests one node against the open steps, selects it if a last step matches,
// and descends. picked holds, for each group, the steps with a pick that picked
// this node; nil stands for none.
func (r *run) visit(e *tree.Entry, at location, in []state, picked []uint64) {
	if !r.countVisit() {
		return
	}
	lv := r.level(at.level)
	selected, live := false, false
	for i := range in {
		g := &r.plan.groups[i]
		s := in[i]
		matched := uint64(0)
		if open := s.active() &^ g.zoneSteps; open != 0 {
			took := uint64(0)
			if picked != nil {
				took = picked[i]
			}
			matched = r.match(g, e, at, open, took)
		}
		selected = selected || matched&g.lastStep != 0
		s = g.advance(s, matched)
		if at.level > 0 {
			s = s.and(^g.regionSteps)
		}
		lv.open[i] = s
		live = live || s.active() != 0
	}
	if selected {
		r.selectNode(e, at)
	}
	if live && e.Children() != nil {
		r.descend(e, at, lv)
	}
}

// countVisit counts a tested node and reports whether the run goes on.
func (r *run) countVisit() bool {
	r.result.Visited++
	if r.result.Visited&(visitsBetweenChecks-1) == 0 {
		r.check(visitsBetweenChecks)
	}
	return r.err == nil
}

// visitsBetweenChecks is how many nodes a run visits before it looks whether it may go on. It
// is a power of two.
const visitsBetweenChecks = 4096

// check ends the run if its context ends, or if the visits since the last check are more than
// the caller allows.
func (r *run) check(visits int) {
	if err := r.ctx.Err(); err != nil {
		r.fail(err)
	} else if err := budget.Nodes(r.ctx, visits); err != nil {
		r.fail(err)
	}
}

// selectNode adds a node to the result.
func (r *run) selectNode(e *tree.Entry, at location) {
	// append alone would grow and copy more often. Row "a scan that keeps everything".
	if n := len(r.result.Nodes); n == cap(r.result.Nodes) {
		r.result.Nodes = slices.Grow(r.result.Nodes, max(n, 8))
	}
	r.result.Nodes = append(r.result.Nodes, e)
	if r.plan.keySet || r.plan.order == "bfs" {
		r.locations = append(r.locations, at)
	}
}

// match returns which of the open steps a node matches.
func (r *run) match(g *group, e *tree.Entry, at location, open, picked uint64) uint64 {
	matched := picked & open & g.pickSteps
	for m := open &^ g.pickSteps; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		if r.fits(&g.steps[i].filter, e, at) {
			matched |= 1 << i
		}
	}
	return matched
}

// mayMatch reports whether the marks of a summary let an open step match in the
// nodes that it sums up.
func (r *run) mayMatch(sum *tree.Summary, states []state) bool {
	for i := range states {
		g := &r.plan.groups[i]
		for m := states[i].active(); m != 0; m &= m - 1 {
			if s := &g.steps[bits.TrailingZeros64(m)]; s.unmarked || sum.Marks.May(s.required) {
				return true
			}
		}
	}
	return false
}

// narrow closes the open steps that nothing below e can match. Rows "by id",
// "the user's blocks of the last three turns" and "a rare kind"; its call of
// mayMatchAmong: row ":nth, the third child of every turn".
func (r *run) narrow(g *group, s state, e *tree.Entry, at location) state {
	kids := e.Children()
	for m := s.active(); m != 0; m &= m - 1 {
		next := &g.steps[bits.TrailingZeros64(m)]
		onlyHere := m&-m&s.below == 0
		if onlyHere && !next.mayMatchAmong(kids) || !next.unmarked && !kids.Summary().Marks.May(next.required) ||
			!r.leadsBelow(next, e, at) {
			s = s.and(^(m & -m))
		}
	}
	return s
}

// leadsBelow reports whether the id and the depths that a step leads to can be
// below e.
func (r *run) leadsBelow(s *step, e *tree.Entry, at location) bool {
	if s.idIndex >= 0 {
		path := r.paths[s.idIndex]
		if int(at.level)+1 >= len(path) || path[at.level] != e {
			return false
		}
	}
	if at.hasDepth {
		if s.ownDepth {
			return false
		}
		for _, set := range s.depths {
			if !within(set, at.depth) {
				return false
			}
		}
	}
	return true
}

func within(set []interval, n int64) bool {
	for _, s := range set {
		if s.has(n) {
			return true
		}
	}
	return false
}
