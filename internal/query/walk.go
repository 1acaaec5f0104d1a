package query

import (
	"math/bits"
	"slices"

	"github.com/contexttree/pact/internal/tree"
)

// descend visits the children of e that an open step may match or lead through.
// Usually the same steps are open for all children; routes.go has the other case.
func (r *run) descend(e *tree.Entry, at location, lv *level) {
	live, special := false, false
	lv.lastSteps, lv.innerClasses = lv.lastSteps[:0], 0
	for i := range lv.open {
		if lv.open[i].active() == 0 {
			continue
		}
		g := &r.plan.groups[i]
		s := r.narrow(g, lv.open[i], e, at)
		lv.open[i] = s
		open := s.active()
		live = live || open != 0
		lv.innerClasses |= g.childClasses(s)
		special = special || open&g.pickSteps != 0 && g.mayPickAmong(open, e.Children()) ||
			open&(g.zoneSteps|g.coreSteps) != 0 && r.hasZones(e, open&g.zoneSteps != 0)
		if open&g.lastStep&^g.pickSteps != 0 {
			lv.lastSteps = append(lv.lastSteps, &g.steps[len(g.steps)-1])
		}
	}
	if !live {
		return
	}
	if special && r.pickLast(e, at, lv) {
		return
	}
	w := &lv.walk
	w.parent, w.at, w.open, w.routes = e, at, lv.open, nil
	turns := e.Class() == tree.Seq && at.level == 1
	few := (turns || r.paths != nil) && r.spans(e, turns, at, lv)
	wanted, restricted := r.limits[e]
	if restricted {
		lv.spans, few = append(lv.spans[:0], wanted...), true
	}
	reverse := turns && r.plan.newestFirst
	if special && r.openRoutes(e, at, lv) {
		w.routes = lv.routes
		w.open = w.routes.union
		few = restricted || few && !w.routes.divided
	}
	if w.routes == nil && !few && !turns && at.level > 0 {
		at.level++
		at.ownDepth = false
		r.visitAll(e.Children(), at, lv)
		return
	}
	if !few {
		lv.spans = append(lv.spans[:0], span{0, e.Children().Len()})
	}
	if reverse {
		slices.Reverse(lv.spans)
	}
	for _, s := range lv.spans {
		r.each(s, e.Children(), 0, reverse, w.mayEnter, w.visitChild)
	}
}

// hasZones reports whether e has the parts :pre, :core and :post or, if parts is
// false, whether it has an elided core.
func (r *run) hasZones(e *tree.Entry, parts bool) bool {
	if e.Class() != tree.Turn && e.Class() != tree.Head {
		return false
	}
	if parts || e.Core() != nil {
		return parts
	}
	elided, err := e.HasOwnCoreBlocks()
	r.fail(err)
	return elided
}

// visitAll visits children that have the same open steps and the same location,
// and skips the runs and children that the summaries rule out. walk could do the
// same, but slower: rows "a scan that keeps nothing" and "all blocks of a role".
func (r *run) visitAll(l *tree.List, at location, lv *level) {
	items, runs, err := l.Parts()
	r.fail(err)
	for i, k := range items {
		if runs != nil && runs[i] != nil && r.mayMatch(runs[i].Summary(), lv.open) {
			r.visitAll(runs[i], at, lv)
		}
		if r.err != nil {
			return
		}
		shape, err := l.Shape(i)
		r.fail(err)
		switch {
		case shape.Leaf():
			if len(lv.lastSteps) > 0 {
				r.visitLeaf(k, shape.Class(), at, lv)
			}
		case lv.innerClasses>>shape.Class()&1 != 0 && r.mayMatch(k.Summary(), lv.open):
			r.visit(k, at, lv.open, nil)
		}
	}
	if runs != nil && runs[len(items)] != nil && r.mayMatch(runs[len(items)].Summary(), lv.open) {
		r.visitAll(runs[len(items)], at, lv)
	}
}

// childClasses returns the classes of the inner children to visit, one bit each.
// Row "child chain: region, turn, block".
func (g *group) childClasses(s state) uint8 {
	if s.below != 0 {
		return everyClass
	}
	classes := uint8(0)
	for m := s.child; m != 0; m &= m - 1 {
		classes |= g.steps[bits.TrailingZeros64(m)].classes
	}
	return classes
}

// visitLeaf is visit for a node without children: only a last step can match.
// Row "a scan that keeps nothing".
func (r *run) visitLeaf(k *tree.Entry, class tree.Class, at location, lv *level) {
	looked := false
	for _, s := range lv.lastSteps {
		if s.rejects(class) || s.prefilters && !k.Summary().Marks.May(s.required) {
			continue
		}
		if !looked && !r.countVisit() {
			return
		}
		looked = true
		if r.passes(s.predicates, k, at) {
			r.selectNode(k, at)
			return
		}
	}
}

// walk visits the children of one node if their ranks matter or if not all of
// them have the same open steps.
type walk struct {
	*run
	level  *level
	parent *tree.Entry
	at     location // of the parent
	open   []state  // the steps that are open for at least one child
	routes *routes  // nil if the same steps are open for all children
}

// mayEnter reports whether an open step may match in a run of children.
func (w *walk) mayEnter(l *tree.List) bool {
	return w.mayMatch(l.Summary(), w.open) && (w.plan.counted || !l.Unopened() || w.mayBeNamed(l))
}

// mayBeNamed reports whether the keys and tags in a run that is not in memory let an open step match
// there. A history of some thousand turns has all the marks that a summary can have.
func (w *walk) mayBeNamed(l *tree.List) bool {
	for i := range w.open {
		for m := w.open[i].active(); m != 0; m &= m - 1 {
			s := &w.plan.groups[i].steps[bits.TrailingZeros64(m)]
			if !slices.ContainsFunc(s.needs, func(n need) bool {
				return (n.set == "key" || n.set == "tag") && !l.MayName(n.value)
			}) {
				return true
			}
		}
	}
	return false
}

// visitChild visits a child and reports whether the walk goes on.
func (w *walk) visitChild(k *tree.Entry, shape tree.Shape, rank int) bool {
	at := w.locationOf(w.at, k, w.parent, rank)
	switch {
	case w.routes != nil:
		w.visitByRoutes(k, shape, at)
	case shape.Leaf():
		w.visitLeaf(k, shape.Class(), at, w.level)
	case w.mayMatch(k.Summary(), w.open):
		w.visit(k, at, w.open, nil)
	}
	return w.err == nil
}

// span is a range of ranks among the children of one node, hi not included.
type span struct{ lo, hi int }

// each calls f for the items of l with ranks in the span, in either order, until
// f returns false. The first item of l has the given rank. each skips the runs
// that enter refuses, and reports whether it reached the end.
func (r *run) each(s span, l *tree.List, rank int, reverse bool, enter func(*tree.List) bool,
	f func(k *tree.Entry, shape tree.Shape, rank int) bool) bool {
	if rank >= s.hi || rank+l.Len() <= s.lo {
		return true
	}
	items, runs, err := l.Parts()
	if err != nil {
		r.fail(err)
		return false
	}
	if runs == nil {
		return r.flat(s, l, items, rank, reverse, f)
	}
	if reverse {
		rank += l.Len()
	}
	for n := range 2*len(items) + 1 { // run, item, run, item … run
		if reverse {
			n = 2*len(items) - n
		}
		size := 1
		if n%2 == 0 {
			size = runs[n/2].Len()
		}
		if reverse {
			rank -= size
		}
		if n%2 == 0 {
			if size > 0 && enter(runs[n/2]) && !r.each(s, runs[n/2], rank, reverse, enter, f) {
				return false
			}
		} else if s.lo <= rank && rank < s.hi {
			shape, err := l.Shape(n / 2)
			r.fail(err)
			if !f(items[n/2], shape, rank) {
				return false
			}
		}
		if !reverse {
			rank += size
		}
	}
	return true
}

// flat is each for a list that consists of one run.
func (r *run) flat(s span, l *tree.List, items []*tree.Entry, rank int, reverse bool,
	f func(k *tree.Entry, shape tree.Shape, rank int) bool) bool {
	lo, hi := max(s.lo-rank, 0), min(s.hi-rank, len(items))
	for n := lo; n < hi; n++ {
		i := n
		if reverse {
			i = lo + hi - 1 - n
		}
		shape, err := l.Shape(i)
		r.fail(err)
		if !f(items[i], shape, rank+i) {
			return false
		}
	}
	return true
}

// spans writes the ranks of the children to visit to lv.spans. It reports false
// if an open step leads to neither an id nor a depth, so that the walk must visit
// all children. Rows "by id" and "the user's blocks of the last three turns".
func (r *run) spans(e *tree.Entry, turns bool, at location, lv *level) bool {
	list := lv.spans[:0]
	for i := range lv.open {
		g := &r.plan.groups[i]
		for m := lv.open[i].active(); m != 0; m &= m - 1 {
			s := &g.steps[bits.TrailingZeros64(m)]
			switch {
			case s.idIndex >= 0:
				rank, err := e.Children().Rank(r.paths[s.idIndex][at.level+1])
				r.fail(err)
				list = append(list, span{rank, rank + 1})
			case turns && len(s.depths) > 0:
				list = r.rankSpans(list, s.depths[0], e.Children().Len())
			default:
				return false
			}
		}
	}
	lv.spans = merged(list)
	return true
}

// merged sorts spans and joins those that overlap or touch.
func merged(list []span) []span {
	if len(list) < 2 {
		return list
	}
	slices.SortFunc(list, func(a, b span) int { return a.lo - b.lo })
	kept := list[:1]
	for _, s := range list[1:] {
		if last := &kept[len(kept)-1]; s.lo <= last.hi {
			last.hi = max(last.hi, s.hi)
		} else {
			kept = append(kept, s)
		}
	}
	return kept
}
