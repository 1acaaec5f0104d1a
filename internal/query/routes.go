package query

import (
	"math/bits"
	"slices"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// routes holds the open steps of the children of a node whose children do not all
// have the same open steps. A step may match a child of a turn directly, after
// :pre, :core or :post, or after the elided core; and a step with a pick is open
// for the picked child alone.
type routes struct {
	zones    [3][]state    // the steps open in a part of a turn, by [selector.Zone] and group
	divided  bool          // a step is open in zones
	picked   []pickedChild // of all steps with a pick
	plainEnd bool          // one of the open steps is a last step without a pick
	union    []state       // the steps that are open for at least one child, by group
	open     []state       // the steps that are open for the current child, by group
	pickedBy []uint64      // the steps that picked the current child, by group
}

// pickedChild is the child that a step of a group picks.
type pickedChild struct {
	group int
	step  uint64 // its bit
	taken *tree.Entry
}

func newRoutes(groups int) *routes {
	v := &routes{union: make([]state, groups), open: make([]state, groups), pickedBy: make([]uint64, groups)}
	for z := range v.zones {
		v.zones[z] = make([]state, groups)
	}
	return v
}

// openRoutes works out which steps are open for which children of e. It reports
// false if the same steps turn out to be open for all of them.
func (r *run) openRoutes(e *tree.Entry, at location, lv *level) bool {
	if lv.routes == nil {
		lv.routes = newRoutes(len(lv.open))
	}
	v := lv.routes
	v.picked, v.plainEnd = v.picked[:0], false
	if v.divided {
		for z := range v.zones {
			clear(v.zones[z])
		}
	}
	v.divided = false
	if e.Class() == tree.Turn || e.Class() == tree.Head {
		for i := range lv.open {
			r.throughParts(i, lv.open[i], v)
			r.throughCore(i, lv.open[i], e, at, v)
		}
	}
	for i, s := range lv.open {
		g := &r.plan.groups[i]
		r.collectPicks(i, s, e, at, allIntegers, v)
		for z := range v.zones {
			if !v.divided {
				break
			}
			opened := r.narrow(g, v.zones[z][i], e, at)
			v.zones[z][i] = opened
			r.collectPicks(i, opened, e, at, zoneOffsets[z], v)
			s = s.or(opened)
		}
		v.union[i] = s
		v.plainEnd = v.plainEnd || s.active()&g.lastStep&^g.pickSteps != 0
	}
	if v.divided || len(v.picked) > 0 {
		return true
	}
	for i := range lv.open { // nothing was picked
		lv.open[i].child &^= r.plan.groups[i].pickSteps
	}
	return false
}

// pickLast picks among the children of e if nothing else can match below e, that
// is, if the only open step is a last step with a pick. It reports whether this
// was the case. It pays off in the rows of :nth.
func (r *run) pickLast(e *tree.Entry, at location, lv *level) bool {
	g, s := &r.plan.groups[0], lv.open[0]
	if len(lv.open) > 1 || s.active() != g.lastStep&g.pickSteps&^g.coreSteps || s.below != 0 && e.Children().Deep() {
		return false
	}
	if k, at := r.pickChild(&g.steps[len(g.steps)-1], e, at, allIntegers); k != nil && r.countVisit() {
		r.selectNode(k, at)
	}
	return true
}

// openZone opens steps for the children in a part of a turn.
func (v *routes) openZone(z selector.Zone, group int, s state) {
	v.zones[z][group] = v.zones[z][group].or(s)
	v.divided = true
}

// throughParts opens the steps that follow :pre, :core and :post.
func (r *run) throughParts(i int, s state, v *routes) {
	g := &r.plan.groups[i]
	for m := s.active() & g.zoneSteps; m != 0; m &= m - 1 {
		v.openZone(g.steps[bits.TrailingZeros64(m)].zone, i, g.advance(state{}, m&-m))
	}
}

// throughCore opens the steps that follow those that the elided core of a turn
// matches. The elided core is a child of the turn and lies in its part :core.
func (r *run) throughCore(i int, s state, e *tree.Entry, at location, v *routes) {
	g := &r.plan.groups[i]
	open, opened := s.active()&g.coreSteps, v.zones[selector.Core][i].active()&g.coreSteps
	if open|opened == 0 {
		return
	}
	core := r.elidedCore(e)
	if core == nil {
		return
	}
	picked := r.picksOfCore(g, open, core, e, at, allIntegers) | r.picksOfCore(g, opened, core, e, at,
		zoneOffsets[selector.Core])
	at.level++
	at.ownDepth = false
	matched := r.match(g, core, at, open|opened, picked)
	if matched == 0 {
		return
	}
	if matched&g.lastStep != 0 {
		r.result.elidedCores = append(r.result.elidedCores, e)
	}
	v.openZone(selector.Core, i, g.advance(state{}, matched))
}

// elidedCore returns an entry for the elided core of a turn: a container at
// offset 0 around the blocks there (docs/decisions.md). It returns nil if the core
// is explicit or empty. The next call reuses the entry.
func (r *run) elidedCore(e *tree.Entry) *tree.Entry {
	if !r.hasZones(e, false) {
		return nil
	}
	if r.elidedEntry == nil {
		r.elidedEntry = tree.Detached(&r.elidedNode, tree.Container)
		r.elidedNode.Type, r.elidedNode.Expiry = r.plan.traits.ContainerType, tree.Never
	}
	n := e.Node()
	r.elidedNode.Cycle, r.elidedNode.CreatedNS, r.elidedNode.Index = n.Cycle, n.CreatedNS, n.Index
	return r.elidedEntry
}

// picksOfCore returns the open steps that pick the elided core.
func (r *run) picksOfCore(g *group, open uint64, core, e *tree.Entry, at location, z interval) uint64 {
	picked := uint64(0)
	for m := open & g.pickSteps; m != 0; m &= m - 1 {
		if taken, _ := r.pickChild(&g.steps[bits.TrailingZeros64(m)], e, at, z); taken == core {
			picked |= m & -m
		}
	}
	return picked
}

// collectPicks adds the children of e in a zone that open steps of a group pick.
// A pick chooses, in canonical order, among the children that pass the parts
// before it; the parts after it test the picked child.
func (r *run) collectPicks(i int, s state, e *tree.Entry, at location, z interval, v *routes) {
	g := &r.plan.groups[i]
	for m := s.active() & g.pickSteps; m != 0; m &= m - 1 {
		if k, _ := r.pickChild(&g.steps[bits.TrailingZeros64(m)], e, at, z); k != nil && k != r.elidedEntry {
			v.picked = append(v.picked, pickedChild{i, m & -m, k})
		}
	}
}

// visitByRoutes visits a child with the steps that are open for it.
func (w *walk) visitByRoutes(k *tree.Entry, shape tree.Shape, at location) {
	v := w.routes
	taken := slices.ContainsFunc(v.picked, func(c pickedChild) bool { return c.taken == k })
	if shape.Leaf() && !taken && !v.plainEnd {
		return
	}
	clear(v.pickedBy)
	for i := range v.picked {
		if c := &v.picked[i]; c.taken == k {
			v.pickedBy[c.group] |= c.step
		}
	}
	copy(v.open, w.level.open)
	if v.divided {
		for i, s := range v.zones[zoneOf(k.Node().Offset)] {
			v.open[i] = v.open[i].or(s)
		}
	}
	for i := range v.open {
		v.open[i].child &^= w.plan.groups[i].pickSteps &^ v.pickedBy[i] // open for the picked child alone
	}
	switch {
	case shape.Leaf():
		w.visitLeafByRoutes(k, at)
	case w.mayMatch(k.Summary(), v.open):
		w.visit(k, at, v.open, v.pickedBy)
	}
}

// visitLeafByRoutes is visitByRoutes for a node without children: only a last
// step can match.
func (w *walk) visitLeafByRoutes(k *tree.Entry, at location) {
	looked := false
	for i, s := range w.routes.open {
		g := &w.plan.groups[i]
		last := s.active() & g.lastStep
		if s := &g.steps[len(g.steps)-1]; last == 0 || s.prefilters && !k.Summary().Marks.May(s.required) {
			continue
		}
		if !looked && !w.countVisit() {
			return
		}
		looked = true
		if w.match(g, k, at, last, w.routes.pickedBy[i]) != 0 {
			w.selectNode(k, at)
			return
		}
	}
}
