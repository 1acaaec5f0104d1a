package query_test

import (
	"slices"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// selection evaluates a selector by its definition and returns what it selects
// in the tree, in the order in which Plan.Run has it.
func (w *model) selection(s *selector.Selector) []*modelNode {
	chosen := map[*modelNode]bool{}
	if _, given := s.Control(selector.ControlOrder); w.traits.Fragments && !given && len(s.Groups) > 1 {
		return w.union(s)
	}
	for _, g := range w.counting(s) {
		for _, x := range w.group(s, g) {
			chosen[x] = !x.elided
		}
	}
	return w.ordered(s, chosen)
}

// union is what each group selects, one after the other, each node at its first place (1.0 04 §5.1); the groups behind ??
// count where those before found nothing.
func (w *model) union(s *selector.Selector) (list []*modelNode) {
	for _, g := range w.counting(s) {
		one := *s
		one.Groups = []selector.Group{g}
		list = append(list, w.selection(&one)...)
	}
	return unique(list)
}

// counting returns the groups of s that count.
func (w *model) counting(s *selector.Selector) (groups []selector.Group) {
	found := false
	for _, g := range s.Groups {
		if found = found && g.Else; found {
			continue
		}
		groups = append(groups, g)
		found = slices.ContainsFunc(w.group(s, g), func(x *modelNode) bool { return !x.elided })
	}
	return groups
}

// covered returns what a selector selects and everything below that. What is
// below an elided core that it selects is covered too.
func (w *model) covered(s *selector.Selector) map[*modelNode]bool {
	under := map[*modelNode]bool{}
	for _, g := range s.Groups {
		for _, x := range w.group(s, g) {
			under[x] = true
			for _, y := range below(x) {
				under[y] = true
			}
		}
	}
	return under
}

// group evaluates one chain from left to right: what its first step matches,
// what the second one matches from there, and so on.
func (w *model) group(s *selector.Selector, g selector.Group) []*modelNode {
	var now []*modelNode
	for i, step := range g.Steps {
		if part, ok := lonely(step); ok && i < len(g.Steps)-1 {
			now = w.partsFrom(now, step.Comb, part.Zone)
			continue
		}
		at := len(step.Parts)
		if i == len(g.Steps)-1 && w.isFamily(s) {
			at = w.keyPart(step) // what follows the key chooses from all nodes of it
		}
		var next []*modelNode
		for _, siblings := range w.candidates(now, step) {
			if g.Scope != nil {
				siblings = slices.DeleteFunc(slices.Clone(siblings), func(x *modelNode) bool {
					return !x.placed || !inDepths(*g.Scope, x.depth)
				})
			}
			next = append(next, w.sift(siblings, step.Parts, 0, at)...)
		}
		next = unique(next)
		if at < len(step.Parts) {
			next = w.sift(newestFirst(next), step.Parts, at, len(step.Parts))
		}
		now = next
	}
	return now
}

// lonely returns the part of a turn that a step names by standing alone before another step.
func lonely(s selector.Step) (selector.Offset, bool) {
	o, ok := s.Parts[0].(selector.Offset)
	return o, ok && len(s.Parts) == 1
}

// partsFrom returns the parts of turns that a step reaches.
func (w *model) partsFrom(from []*modelNode, comb selector.Combinator, zone selector.Zone) []*modelNode {
	var list []*modelNode
	for _, p := range w.parts {
		if p.zone != zone {
			continue
		}
		reached := comb == selector.None || slices.ContainsFunc(from, func(x *modelNode) bool {
			return x == p.parent || comb == selector.Descendant && slices.Contains(below(x), p.parent)
		})
		if reached {
			list = append(list, p)
		}
	}
	return list
}

// candidates returns what a step can reach at all, siblings together, because
// :first, :last and :nth choose among those of one parent (docs/language/reference.md).
func (w *model) candidates(from []*modelNode, step selector.Step) [][]*modelNode {
	core := namesCore(step.Parts)
	switch head := step.Parts[0].(type) {
	case selector.Position:
		return w.position(head, core)
	case selector.Search:
		if step.Comb == selector.None {
			return w.searched(head, core)
		}
	case selector.Tag:
		if step.Comb == selector.None {
			return families(w.root, core) // everything below the root
		}
	}
	if step.Comb == selector.None {
		return append(families(w.root, core), []*modelNode{w.root})
	}
	var list [][]*modelNode
	for _, x := range from {
		if step.Comb == selector.Child {
			list = append(list, kids(x, core))
		} else {
			list = append(list, families(x, core)...)
		}
	}
	return list
}

// searched returns where "?", "??" and "within(…) ??" look.
func (w *model) searched(s selector.Search, core bool) [][]*modelNode {
	switch {
	case !s.Deep:
		return [][]*modelNode{kids(w.root, core)}
	case len(s.Within) == 0:
		return families(w.root, core)
	}
	var list [][]*modelNode
	for _, h := range s.Within { // below what a position of this hop finds
		for _, siblings := range w.position(selector.Position{Hops: []selector.Hop{h}}, false) {
			for _, x := range siblings {
				list = append(list, families(x, core)...)
			}
		}
	}
	return distinct(list)
}

// distinct leaves out families that come again.
func distinct(list [][]*modelNode) [][]*modelNode {
	var once [][]*modelNode
	seen := map[*modelNode]bool{}
	for _, siblings := range list {
		if len(siblings) > 0 && !seen[siblings[0]] {
			seen[siblings[0]] = true
			once = append(once, siblings)
		}
	}
	return once
}

// isPlace reports whether x is what a depth names: a turn in ^seq, ^ah or ^sys.
func isPlace(x *modelNode) bool {
	return isSealed(x) || (x.class == tree.Head || x.class == tree.Sys) && x.placed
}

// isSealed reports whether x is a turn where turns belong.
func isSealed(x *modelNode) bool {
	return x.class == tree.Turn && x.parent != nil && x.parent.class == tree.Seq
}

// sift applies the parts from and up to but without to, one after the other:
// a filter keeps what passes, a choice keeps one of what is left.
func (w *model) sift(list []*modelNode, parts []selector.Part, from, to int) []*modelNode {
	list = slices.Clone(list)
	for i := from; i < to; i++ {
		pick, ok := parts[i].(selector.Pick)
		if !ok {
			list = slices.DeleteFunc(list, func(x *modelNode) bool { return !w.test(parts, i, x) })
			continue
		}
		if !namesCore(parts) {
			list = slices.DeleteFunc(list, func(x *modelNode) bool { return x.elided })
		}
		n := map[selector.PickKind]int{selector.First: 1, selector.Last: len(list), selector.Nth: pick.N}[pick.Kind]
		if n < 1 || n > len(list) {
			return nil
		}
		list = list[n-1 : n]
	}
	return list
}

// test tests x against one part that is no choice.
func (w *model) test(parts []selector.Part, i int, x *modelNode) bool {
	switch part := parts[i].(type) {
	case selector.Region:
		return x.class.Region() && x.class.String() == "^"+part.Name
	case selector.ID:
		if key, ok := x.key(); w.traits.HashIsKey {
			return ok && key == part.Name && (x.node.Has("key") || !w.traits.KeyOnly)
		}
		return !x.elided && x.node.ID == part.Name
	case selector.Type:
		return w.typed(x, part.Name) || w.standsForTurn(parts, x, part.Name)
	case selector.Offset:
		return zoneOf(x.node.Offset) == part.Zone
	case selector.DepthIs:
		if !w.traits.DepthMeansRegions && x.depth < 1 {
			return false
		}
		return x.placed && inDepths(part.Set, x.depth)
	case selector.DepthStep:
		return isPlace(x) && inDepths(part.Set, x.depth)
	case selector.Tag:
		return slices.Contains(w.tags(x), part.Name)
	case selector.Attr:
		turn := w.traits.TypeFacet && part.Name == "nodeType" && part.Op == selector.Eq && len(part.Values) == 1
		return w.attr(part, x) || turn && w.standsForTurn(parts, x, part.Values[0].Text)
	case selector.Search:
		return w.all(part.Attrs, x)
	}
	return true // "*", and a position, whose candidates have passed it
}

func (w *model) all(attrs []selector.Attr, x *modelNode) bool {
	return !slices.ContainsFunc(attrs, func(a selector.Attr) bool { return !w.attr(a, x) })
}

// standsForTurn reports whether x is a region that a type token for turns takes
// in: ^ah or ^sys, in a step that also says :depth(e), in the editions where
// depths reach there. Whether e has the depth of x is for :depth to test.
func (w *model) standsForTurn(parts []selector.Part, x *modelNode, name string) bool {
	base, kind, narrow := cutType(name)
	if class, ok := tree.ClassOfType(base); !w.traits.DepthMeansRegions || !ok || class != tree.Turn ||
		x.class != tree.Head && x.class != tree.Sys {
		return false
	}
	if narrow && !slices.Contains(w.kinds(x), kind) {
		return false
	}
	return slices.ContainsFunc(parts, func(p selector.Part) bool { _, ok := p.(selector.DepthIs); return ok })
}

// namesCore reports whether a step names the class of cores, which is what it
// takes to match an elided one (decision 003).
func namesCore(parts []selector.Part) bool {
	return slices.ContainsFunc(parts, func(p selector.Part) bool {
		switch p := p.(type) {
		case selector.Type:
			return isContainerType(p.Name)
		case selector.Attr:
			return attrNamesCore(p)
		case selector.Search:
			return slices.ContainsFunc(p.Attrs, attrNamesCore)
		case selector.Position:
			last := p.Hops[len(p.Hops)-1]
			return last.Kind == selector.HopContainer || slices.ContainsFunc(last.Attrs, attrNamesCore)
		}
		return false
	})
}

func attrNamesCore(a selector.Attr) bool {
	return a.Name == "nodeType" && a.Op == selector.Eq && len(a.Values) == 1 && isContainerType(a.Values[0].Text)
}

func isContainerType(name string) bool { return name == "mc" || name == "cont" }

func unique(list []*modelNode) []*modelNode {
	seen := map[*modelNode]bool{}
	var once []*modelNode
	for _, x := range list {
		if !seen[x] {
			seen[x] = true
			once = append(once, x)
		}
	}
	return once
}

func inDepths(set selector.DepthSet, depth int64) bool {
	return slices.ContainsFunc(set.Terms, func(t selector.DepthTerm) bool { return t.Lo <= depth && depth <= t.Hi })
}
