package query

import (
	"math/bits"

	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/tree"
)

// choosing is the tests of a step around its first :first, :last or :nth.
// Further choices are of a set of one.
type choosing struct {
	rejected uint8  // the classes that do not pass the tests before it, one bit each
	tests    []test // the other tests before it; all of them where pick is nil
	pick     *selector.Pick
	after    []test
}

func (c *choosing) add(tests ...test) {
	for i := range tests {
		switch {
		case c.pick != nil:
			c.after = append(c.after, tests[i])
		case tests[i].op == pickAlone:
			c.pick = &tests[i].pick
		case tests[i].op == ofClass:
			c.rejected |= ^tests[i].classes
		default:
			c.tests = append(c.tests, tests[i])
		}
	}
}

// choose returns the child of e in a zone that a step takes, with its rank, nil
// without one. An elided core takes part where the step names its class.
func (r *run) choose(s *step, e *tree.Entry, at place, z interval) (taken *tree.Entry, rank int) {
	kids := e.Children()
	n := s.nth()
	c := &r.picker
	c.run, c.choosing, c.parent, c.at, c.zone = r, &s.choosing, e, at, z
	c.reverse = s.pick.Kind == selector.Last
	c.core, c.taken, c.left, c.sure = nil, nil, n, false
	among := span{0, kids.Len()}
	switch {
	case s.only: // the id says which child it is
		rank = kids.Rank(r.paths[s.pin][at.level+1])
		among = span{rank, rank + 1}
	case s.named:
		c.core = r.elided(e)
	case !s.among(kids):
		return nil, 0
	case z == everywhere && s.takesAny(kids): // a look-up by rank
		c.sure, c.left = true, 1
		if !c.reverse {
			among = span{n - 1, n}
		}
	}
	if items, runs := kids.Parts(); runs == nil && len(c.tests) == 0 && z == everywhere && c.core == nil {
		c.byClass(kids, items)
	} else if among.each(kids, 0, c.reverse, anything, c.consider) && c.core != nil {
		c.considerCore()
	}
	if c.taken == nil || !r.passes(s.after, c.taken, c.takenAt) {
		return nil, 0
	}
	return c.taken, c.rank
}

// rejects reports whether no node of the class passes the tests before a choice.
func (c *choosing) rejects(class tree.Class) bool { return c.rejected>>class&1 != 0 }

// fits reports whether a node passes the tests before a choice.
func (r *run) fits(c *choosing, e *tree.Entry, at place) bool {
	return !c.rejects(e.Class()) && r.passes(c.tests, e, at)
}

// byClass makes a choice among the items of one run that follows from their
// classes, without a look at them.
func (c *chooser) byClass(kids *tree.List, items []*tree.Entry) {
	i, step := 0, 1
	switch {
	case c.reverse:
		i, step = len(items)-1, -1
	case c.sure:
		i = c.nth() - 1
	}
	for ; 0 <= i && i < len(items); i += step {
		shape := kids.Shape(i)
		if c.rejects(shape.Class()) {
			continue
		}
		if c.left--; c.left == 0 {
			c.taken, c.rank, c.shape = items[i], i, shape
			c.takenAt = c.placeOf(c.at, c.taken, c.parent, i)
			return
		}
	}
}

// nth is how many matches there are up to the one that is taken, from whatever
// end one counts.
func (c *choosing) nth() int {
	if c.pick.Kind == selector.Nth {
		return c.pick.N
	}
	return 1
}

// among reports whether the step may match one of these children, as far as
// that can be told without a look at them. What names the class of containers
// may match an elided core, which is not among them.
func (s *step) among(kids *tree.List) bool {
	return s.named || kids.Classes()&s.classes != 0 && (s.pick == nil || s.nth() <= kids.Len())
}

// choosesAmong reports whether an open step may choose one of these children.
func (g *group) choosesAmong(open uint64, kids *tree.List) bool {
	for m := open & g.picks; m != 0; m &= m - 1 {
		if g.steps[bits.TrailingZeros64(m)].among(kids) {
			return true
		}
	}
	return false
}

// takesAny reports whether all of these children pass the tests before the
// choice, as far as that can be told without a look at them.
func (c *choosing) takesAny(kids *tree.List) bool {
	return len(c.tests) == 0 && kids.Classes()&c.rejected == 0
}

func anything(*tree.List) bool { return true }

// chosenAlone reports whether a node that is the only one of its kind is taken.
func (r *run) chosenAlone(c *choosing, e *tree.Entry, at place) bool {
	return r.fits(c, e, at) && alone(*c.pick) && r.passes(c.after, e, at)
}

func alone(p selector.Pick) bool { return p.Kind != selector.Nth || p.N == 1 }

// chooser looks for what a choice takes among the children of one node.
type chooser struct {
	*run
	*choosing
	parent  *tree.Entry
	at      place // of the parent
	zone    interval
	reverse bool        // from the last to the first
	core    *tree.Entry // the elided core, until its turn has come
	sure    bool        // all children match
	left    int         // how many matches there are to the one that is taken
	taken   *tree.Entry
	takenAt place
	shape   tree.Shape
	rank    int
}

// consider looks at a child and reports whether the search goes on. An elided
// core stands ahead of the children at offset 0.
func (c *chooser) consider(k *tree.Entry, shape tree.Shape, rank int) bool {
	if c.core != nil && (k.Node().Offset >= 0) != c.reverse && !c.considerCore() {
		return false
	}
	if c.rejects(shape.Class()) || c.zone != everywhere && !c.zone.has(k.Node().Offset) {
		return true
	}
	c.rank, c.shape = rank, shape
	return c.count(k, c.placeOf(c.at, k, c.parent, rank))
}

func (c *chooser) considerCore() bool {
	core, at := c.core, c.at
	c.core = nil
	at.level++
	at.own = false
	return !c.zone.has(0) || c.rejects(tree.Container) || c.count(core, at)
}

// count looks at a node of a class that passes and reports whether the search
// goes on.
func (c *chooser) count(k *tree.Entry, at place) bool {
	if !c.sure && !c.passes(c.tests, k, at) {
		return true
	}
	if c.left--; c.left > 0 {
		return true
	}
	c.taken, c.takenAt = k, at
	return false
}
