package query

import (
	"cmp"
	"slices"

	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/tree"
)

// familyOf recognises a same-key set: a single group whose last step names a
// key, in the editions that have such sets. Its nodes come newest first, and
// choices such as :first take from the whole set (003, 001 §3.5.2). It returns
// the group without those choices and what stands after them.
func (p *Plan) familyOf(s *selector.Selector, g selector.Group) (selector.Group, error) {
	last := g.Steps[len(g.Steps)-1]
	if !p.traits.KeySets || len(s.Groups) > 1 || !slices.ContainsFunc(last.Parts, p.namesKey) {
		return g, nil
	}
	p.keySet = true
	i := slices.IndexFunc(last.Parts, func(part selector.Part) bool {
		_, is := part.(selector.Pick)
		return is
	})
	if i < 0 {
		return g, nil
	}
	for _, part := range last.Parts[i:] {
		t, err := p.test(part, false)
		if err != nil {
			return g, err
		}
		p.family = append(p.family, t)
	}
	last.Parts = last.Parts[:i:i]
	steps := slices.Clone(g.Steps)
	steps[len(steps)-1] = last
	return selector.Group{Steps: steps}, nil
}

// namesKey reports whether a part is [key=K] or, where # means a key, #K.
func (p *Plan) namesKey(part selector.Part) bool {
	switch part := part.(type) {
	case selector.ID:
		return p.traits.HashIsKey
	case selector.Attr:
		return part.Name == "key" && part.Op == selector.Eq && len(part.Values) == 1
	}
	return false
}

// inFamilyOrder puts the result of a same-key set in its order: depth 0, 1, 2 …,
// then the system header, then what has no depth; newer stamps first (decision
// 021). Then it makes the choices.
func (r *run) inFamilyOrder() {
	set := make([]sibling, len(r.result.IDs))
	for i, id := range r.result.IDs {
		set[i] = r.locate(id)
	}
	slices.SortStableFunc(set, func(a, b sibling) int {
		x, y := a.entry.Node(), b.entry.Node()
		return cmp.Or(cmp.Compare(a.at.family(), b.at.family()), cmp.Compare(y.CreatedNS, x.CreatedNS),
			cmp.Compare(y.Index, x.Index), cmp.Compare(x.ID, y.ID))
	})
	if len(r.plan.family) > 0 {
		chosen := r.settle(r.plan.family, slices.Clone(set))
		set = slices.DeleteFunc(set, func(s sibling) bool { return s.entry.Node() != chosen })
	}
	r.result.IDs = r.result.IDs[:0]
	for _, s := range set {
		r.result.IDs = append(r.result.IDs, s.entry.Node().ID)
	}
}

// family ranks a depth for the order of same-key sets.
func (p place) family() int64 {
	switch {
	case !p.axis:
		return 1<<62 + 1
	case p.depth < 0:
		return 1 << 62
	}
	return p.depth
}

// locate returns a node of the tree with its place.
func (r *run) locate(id string) sibling {
	path := r.tree.Path(id)
	at := place{}
	for i, e := range path[1:] {
		above := path[i]
		at.level++
		rank := 0
		if above.Class() == tree.Seq {
			rank = above.Children().Rank(e)
		}
		at = at.of(e, above, rank)
	}
	return sibling{path[len(path)-1], at}
}
