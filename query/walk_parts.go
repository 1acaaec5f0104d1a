package query

import (
	"math/bits"
	"slices"

	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/tree"
)

// ways is what is open for the children of a node where they are not all
// reached alike: a child of a turn may be reached directly, through the parts
// that :pre, :core and :post name and through the elided core; and of some
// children a step chooses one.
type ways struct {
	zones   [3][]state // through a part of a turn, by [selector.Zone]
	divided bool       // whether anything is open there
	choices []choice
	free    bool    // whether a last step that makes no choice is open
	bottom  bool    // whether the children have none of their own
	all     []state // what is open for any child
	in      []state // for the child at hand, with the steps that chose it
	picked  []uint64
}

// choice is the child that a step of a group takes, with its rank.
type choice struct {
	group int
	step  uint64
	taken *tree.Entry
	shape tree.Shape
	rank  int
}

func newWays(groups int) *ways {
	v := &ways{all: make([]state, groups), in: make([]state, groups), picked: make([]uint64, groups)}
	for z := range v.zones {
		v.zones[z] = make([]state, groups)
	}
	return v
}

// waysInto opens the ways to the children of e and reports whether they differ
// after all.
func (r *run) waysInto(e *tree.Entry, at place, lv *level) bool {
	if lv.ways == nil {
		lv.ways = newWays(len(lv.out))
	}
	v := lv.ways
	v.choices, v.free = v.choices[:0], false
	if v.divided {
		for z := range v.zones {
			clear(v.zones[z])
		}
	}
	v.divided = false
	if e.Class() == tree.Turn || e.Class() == tree.Head {
		for i := range lv.out {
			r.throughParts(i, lv.out[i], v)
			r.throughCore(i, lv.out[i], e, at, v)
		}
	}
	for i, s := range lv.out {
		g := &r.plan.groups[i]
		r.note(i, s, e, at, everywhere, v)
		for z := range v.zones {
			if !v.divided {
				break
			}
			opened := r.narrow(g, v.zones[z][i], e, at)
			v.zones[z][i] = opened
			r.note(i, opened, e, at, zones[z], v)
			s = s.or(opened)
		}
		v.all[i] = s
		v.free = v.free || s.active()&g.last&^g.picks != 0
	}
	if v.divided || len(v.choices) > 0 {
		return true
	}
	for i := range lv.out { // nothing was chosen
		lv.out[i].child &^= r.plan.groups[i].picks
	}
	return false
}

// lastChoice makes the choice among the children of e where that is all there is
// to do below e: one last step is open, and it chooses. It reports whether that
// was so.
func (r *run) lastChoice(e *tree.Entry, at place, lv *level) bool {
	g, s := &r.plan.groups[0], lv.out[0]
	if len(lv.out) > 1 || s.active() != g.last&g.picks&^g.cores || s.below != 0 && e.Children().Deep() {
		return false
	}
	if k, rank := r.choose(&g.steps[len(g.steps)-1], e, at, everywhere); k != nil && r.look() {
		r.take(k, r.placeOf(at, k, e, rank))
	}
	return true
}

// open adds what is open for the children in a part of a turn.
func (v *ways) open(z selector.Zone, group int, s state) {
	v.zones[z][group] = v.zones[z][group].or(s)
	v.divided = true
}

// throughParts opens the steps behind the parts of a turn.
func (r *run) throughParts(i int, s state, v *ways) {
	g := &r.plan.groups[i]
	for m := s.active() & g.parts; m != 0; m &= m - 1 {
		v.open(g.steps[bits.TrailingZeros64(m)].part, i, g.advance(state{}, m&-m))
	}
}

// throughCore opens the steps behind those that the elided core of a turn
// matches. It stands among the children and in the part :core.
func (r *run) throughCore(i int, s state, e *tree.Entry, at place, v *ways) {
	g := &r.plan.groups[i]
	open, opened := s.active()&g.cores, v.zones[selector.Core][i].active()&g.cores
	if open|opened == 0 {
		return
	}
	core := r.elided(e)
	if core == nil {
		return
	}
	picked := r.takes(g, open, core, e, at, everywhere) | r.takes(g, opened, core, e, at, zones[selector.Core])
	at.level++
	at.own = false
	matched := r.match(g, core, at, open|opened, picked)
	if matched == 0 {
		return
	}
	if matched&g.last != 0 {
		r.result.cores = append(r.result.cores, e)
	}
	v.open(selector.Core, i, g.advance(state{}, matched))
}

// elided returns what stands for the elided core of a turn: a container at
// offset 0 around the blocks there (docs/decisions). It is nil where the core
// is explicit and where nothing is in it. There is one at a time.
func (r *run) elided(e *tree.Entry) *tree.Entry {
	if !r.divided(e, false) {
		return nil
	}
	if r.core == nil {
		r.core = tree.Loose(&r.inCore, tree.Container)
		r.inCore.Type, r.inCore.Expiry = r.plan.traits.ContainerType, tree.Never
	}
	n := e.Node()
	r.inCore.Cycle, r.inCore.CreatedNS, r.inCore.Index = n.Cycle, n.CreatedNS, n.Index
	return r.core
}

// takes returns which of the open steps with a choice take the elided core.
func (r *run) takes(g *group, open uint64, core, e *tree.Entry, at place, z interval) uint64 {
	picked := uint64(0)
	for m := open & g.picks; m != 0; m &= m - 1 {
		if taken, _ := r.choose(&g.steps[bits.TrailingZeros64(m)], e, at, z); taken == core {
			picked |= m & -m
		}
	}
	return picked
}

// note notes what the open steps of a group take among the children of e in
// a zone: a choice applies to the matches of what stands before it, in
// canonical order, and what stands after it tests the chosen one.
func (r *run) note(i int, s state, e *tree.Entry, at place, z interval, v *ways) {
	g := &r.plan.groups[i]
	for m := s.active() & g.picks; m != 0; m &= m - 1 {
		if k, rank := r.choose(&g.steps[bits.TrailingZeros64(m)], e, at, z); k != nil && k != r.core {
			v.choices = append(v.choices, choice{i, m & -m, k, r.picker.shape, rank})
		}
	}
}

// chosenOnly reports whether only the children that were chosen can be of use:
// nothing but choices is open, or nothing is below the children and every last
// step is a choice.
func (v *ways) chosenOnly(r *run, e *tree.Entry) bool {
	only := true
	for i, s := range v.all {
		only = only && s.below|s.child&^r.plan.groups[i].picks == 0
	}
	v.bottom = !e.Children().Deep()
	return only || !v.free && v.bottom
}

// chosen looks at the chosen children.
func (w *walk) chosen(reverse bool) {
	list := w.ways.choices
	if len(list) > 1 {
		slices.SortFunc(list, func(a, b choice) int { return a.rank - b.rank })
		if reverse {
			slices.Reverse(list)
		}
	}
	var done *tree.Entry
	for _, c := range list {
		switch {
		case c.taken == done:
		case !w.ways.bottom && !c.shape.Leaf():
			w.one(c.taken, c.shape, c.rank)
			done = c.taken
		case c.step == w.plan.groups[c.group].last:
			if w.look() {
				w.take(c.taken, w.placeOf(w.at, c.taken, w.parent, c.rank))
			}
			done = c.taken
		}
	}
}

// oneInWays looks at a child in the ways that lead to it.
func (w *walk) oneInWays(k *tree.Entry, shape tree.Shape, at place) {
	v := w.ways
	taken := slices.ContainsFunc(v.choices, func(c choice) bool { return c.taken == k })
	if shape.Leaf() && !taken && !v.free {
		return
	}
	clear(v.picked)
	for i := range v.choices {
		if c := &v.choices[i]; c.taken == k {
			v.picked[c.group] |= c.step
		}
	}
	copy(v.in, w.level.out)
	if v.divided {
		for i, s := range v.zones[zoneOf(k.Node().Offset)] {
			v.in[i] = v.in[i].or(s)
		}
	}
	for i := range v.in {
		v.in[i].child &^= w.plan.groups[i].picks &^ v.picked[i] // of no use but to the chosen one
	}
	switch {
	case shape.Leaf():
		w.leafInWays(k, at)
	case w.may(k.Summary(), v.in):
		w.visit(k, at, v.in, v.picked)
	}
}

// leafInWays is oneInWays for a node without children: only a last step can be
// of use.
func (w *walk) leafInWays(k *tree.Entry, at place) {
	looked := false
	for i, s := range w.ways.in {
		g := &w.plan.groups[i]
		last := s.active() & g.last
		if s := &g.steps[len(g.steps)-1]; last == 0 || s.prefilters && !k.Summary().Marks.May(s.from) {
			continue
		}
		if !looked && !w.look() {
			return
		}
		looked = true
		if w.match(g, k, at, last, w.ways.picked[i]) != 0 {
			w.take(k, at)
			return
		}
	}
}
