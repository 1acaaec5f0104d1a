package query

import (
	"cmp"
	"slices"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// asKeySet recognises a same-key set: a single group whose last step names a
// key, in the editions that have such sets. Its nodes come newest first, and a
// pick after the key picks from the whole set (003, 001 §3.5.2). asKeySet takes
// that pick and the parts after it out of the last step, which all chains of the
// group share, and compiles them into keySetFilter.
//
// Specification: 003 §3.5.2.
func (p *Plan) asKeySet(chains [][]selector.Step) error {
	steps := chains[0]
	parts := steps[len(steps)-1].Parts
	k := slices.IndexFunc(parts, p.namesKey)
	if !p.traits.KeySets || k < 0 {
		return nil
	}
	p.keySet = true
	i := slices.IndexFunc(parts[k:], func(part selector.Part) bool {
		_, is := part.(selector.Pick)
		return is
	})
	if i < 0 {
		return nil
	}
	for _, part := range parts[k+i:] {
		tests, _, err := p.compilePart(part, hasDepth(parts))
		if err != nil {
			return err
		}
		p.keySetFilter.addPredicates(tests...)
	}
	p.keySetChoice = parts[k+i:]
	for _, steps := range chains {
		steps[len(steps)-1].Parts = parts[: k+i : k+i]
	}
	return nil
}

// namesKey reports whether a part is [key=K] or, where # means a key, #K.
func (p *Plan) namesKey(part selector.Part) bool {
	switch part := part.(type) {
	case selector.ID:
		return p.traits.HashIsKey
	case selector.Attr:
		return part.Name == "key" && part.Op == selector.Eq && len(part.Values) == 1 && part.Values[0].Kind != selector.Null
	}
	return false
}

// orderKeySet sorts the result of a same-key set: depth 0, 1, 2 …, then the
// system header, then nodes without a depth; within each, newer stamps first
// (decision 036). Then it picks from that order. If @order asks for another
// order, the picked nodes stay in document order.
func (r *run) orderKeySet() {
	nodes := r.result.Nodes
	ranks := make([]int, len(nodes)) // indexes into nodes, in the order of the set
	for i := range ranks {
		ranks[i] = i
	}
	slices.SortFunc(ranks, func(i, j int) int {
		x, y := nodes[i].Node(), nodes[j].Node()
		return cmp.Or(cmp.Compare(r.locations[i].keySetRank(), r.locations[j].keySetRank()),
			cmp.Compare(y.CreatedNS, x.CreatedNS),
			cmp.Compare(y.Index, x.Index), cmp.Compare(x.ID, y.ID))
	})
	if r.plan.keySetFilter.pick != nil {
		ranks = r.pickFromKeySet(ranks)
	}
	if r.plan.order != "" {
		slices.Sort(ranks)
	}
	set, places := make([]*tree.Entry, len(ranks)), make([]location, len(ranks))
	for i, n := range ranks {
		set[i], places[i] = nodes[n], r.locations[n]
	}
	r.result.Nodes, r.locations = set, places
}

// pickFromKeySet applies keySetFilter to the whole set.
func (r *run) pickFromKeySet(ranks []int) []int {
	c := &r.plan.keySetFilter
	ranks = slices.DeleteFunc(ranks, func(i int) bool { return !r.fits(c, r.result.Nodes[i], r.locations[i]) })
	if c.pick.Kind == selector.Last {
		slices.Reverse(ranks)
	}
	n := nth(c.pick)
	if n > len(ranks) || !r.passes(c.afterPick, r.result.Nodes[ranks[n-1]], r.locations[ranks[n-1]]) {
		return nil
	}
	return ranks[n-1 : n]
}

// keySetRank returns the sort key of a location in a same-key set.
func (p location) keySetRank() int64 {
	switch {
	case !p.hasDepth:
		return 1<<62 + 1
	case p.depth < 0:
		return 1 << 62
	}
	return p.depth
}
