package query

import (
	"math/bits"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// filter holds the predicates of a step, split at its first :first, :last or
// :nth. A second pick chooses from a set of one, so it is a predicate (opPick).
type filter struct {
	rejected   uint8       // the classes that do not pass, one bit each
	predicates []predicate // the other predicates before the pick; all of them where pick is nil
	pick       *selector.Pick
	afterPick  []predicate // the picked node must pass them
}

func (c *filter) addPredicates(tests ...predicate) {
	for i := range tests {
		switch {
		case c.pick != nil:
			c.afterPick = append(c.afterPick, tests[i])
		case tests[i].op == opPick:
			c.pick = &tests[i].pick
		case tests[i].op == opClass:
			c.rejected |= ^tests[i].classes
		default:
			c.predicates = append(c.predicates, tests[i])
		}
	}
}

// pickChild returns the child that a step picks among the children of e in a zone,
// and the location of that child; nil if there is none. e is at the location at.
// A step that names the class of containers can pick an elided core.
func (r *run) pickChild(s *step, e *tree.Entry, at location, z interval) (*tree.Entry, location) {
	kids := e.Children()
	c := &r.picker
	c.run, c.filter, c.parent, c.at, c.zone = r, &s.filter, e, at, z
	c.reverse = s.pick.Kind == selector.Last
	c.core, c.taken, c.remaining = nil, nil, nth(s.pick)
	switch {
	case s.namesContainers:
		c.core = r.elidedCore(e)
	case !s.mayMatchAmong(kids):
		return nil, location{}
	}
	if items, runs, err := kids.Parts(); err != nil {
		r.fail(err)
	} else if runs == nil && len(c.predicates) == 0 && z == allIntegers && c.core == nil {
		c.byClass(kids, items)
	} else if r.each(span{0, kids.Len()}, kids, 0, c.reverse, anything, c.consider) && c.core != nil {
		c.considerCore()
	}
	if c.taken == nil || !r.passes(s.afterPick, c.taken, c.takenAt) {
		return nil, location{}
	}
	return c.taken, c.takenAt
}

// rejects reports whether no node of the class passes the predicates before the
// pick.
func (c *filter) rejects(class tree.Class) bool { return c.rejected>>class&1 != 0 }

// fits reports whether a node passes the predicates before the pick.
func (r *run) fits(c *filter, e *tree.Entry, at location) bool {
	return !c.rejects(e.Class()) && r.passes(c.predicates, e, at)
}

// byClass picks among the items of one run by their classes alone, without
// visiting them. It pays off in the rows of :nth.
func (c *childPicker) byClass(kids *tree.List, items []*tree.Entry) {
	i, step := 0, 1
	if c.reverse {
		i, step = len(items)-1, -1
	}
	for ; 0 <= i && i < len(items); i += step {
		shape, err := kids.Shape(i)
		c.fail(err)
		if c.rejects(shape.Class()) {
			continue
		}
		if c.remaining--; c.remaining == 0 {
			c.taken, c.takenAt = items[i], c.locationOf(c.at, items[i], c.parent, i)
			return
		}
	}
}

// nth returns the number of the match to pick, 1 for the first. :last counts from
// the last child or node of a set, the other picks from the first.
func nth(p *selector.Pick) int {
	if p.Kind == selector.Nth {
		return p.N
	}
	return 1
}

// mayMatchAmong reports whether the step may match one of these children, judged
// by their classes and their number. A step that names the class of containers
// may also match an elided core, which is not among the children.
func (s *step) mayMatchAmong(kids *tree.List) bool {
	return s.namesContainers || kids.Classes()&s.classes != 0 && (s.pick == nil || nth(s.pick) <= kids.Len())
}

// mayPickAmong reports whether an open step may pick one of these children. It
// pays off in the row ":nth, the third block of every parent".
func (g *group) mayPickAmong(open uint64, kids *tree.List) bool {
	for m := open & g.pickSteps; m != 0; m &= m - 1 {
		if g.steps[bits.TrailingZeros64(m)].mayMatchAmong(kids) {
			return true
		}
	}
	return false
}

func anything(*tree.List) bool { return true }

// picksRoot reports whether a filter picks the root, which has no siblings.
func (r *run) picksRoot(c *filter, e *tree.Entry, at location) bool {
	return r.fits(c, e, at) && nth(c.pick) == 1 && r.passes(c.afterPick, e, at)
}

// childPicker finds the child of one node that a step picks.
type childPicker struct {
	*run
	*filter
	parent    *tree.Entry
	at        location    // of the parent
	zone      interval    // the offsets of the children to consider
	reverse   bool        // count from the last child
	core      *tree.Entry // the elided core, nil after considerCore
	remaining int         // matches left to count, the one to pick included
	taken     *tree.Entry // the picked child, nil until it is found
	takenAt   location
}

// consider tests a child and reports whether the search goes on. An elided core
// comes before the children at offset 0.
func (c *childPicker) consider(k *tree.Entry, shape tree.Shape, rank int) bool {
	if c.core != nil && (k.Node().Offset >= 0) != c.reverse && !c.considerCore() {
		return false
	}
	if c.rejects(shape.Class()) || c.zone != allIntegers && !c.zone.has(k.Node().Offset) {
		return true
	}
	return c.count(k, c.locationOf(c.at, k, c.parent, rank))
}

func (c *childPicker) considerCore() bool {
	core, at := c.core, c.at
	c.core = nil
	at.level++
	at.ownDepth = false
	return !c.zone.has(0) || c.rejects(tree.Container) || c.count(core, at)
}

// count tests a node whose class passes and counts it if it matches. It reports
// whether the search goes on.
func (c *childPicker) count(k *tree.Entry, at location) bool {
	if !c.passes(c.predicates, k, at) {
		return true
	}
	if c.remaining--; c.remaining > 0 {
		return true
	}
	c.taken, c.takenAt = k, at
	return false
}
