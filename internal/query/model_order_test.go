package query_test

import (
	"cmp"
	"math"
	"slices"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// ordered returns the chosen things in the order of the result: what @order
// says, else newest first for the nodes of one key, else document order.
func (w *model) ordered(s *selector.Selector, chosen map[*modelNode]bool) []*modelNode {
	order, given := s.Control(selector.ControlOrder)
	var list []*modelNode
	for _, x := range w.document(order.Word) {
		if chosen[x] {
			list = append(list, x)
		}
	}
	if !given && w.isFamily(s) {
		return newestFirst(list)
	}
	return list
}

// document returns all nodes in an order of 001 §4.
func (w *model) document(word string) []*modelNode {
	descending := w.traits.NewestFirst
	switch word {
	case "turn:asc,pre":
		descending = false
	case "turn:desc,pre":
		descending = true
	}
	list := visit(w.root, descending, word == "post")
	switch word {
	case "bfs":
		slices.SortStableFunc(list, func(a, b *modelNode) int { return cmp.Compare(a.level, b.level) })
	case "path":
		slices.SortFunc(list, func(a, b *modelNode) int { return slices.Compare(a.path(), b.path()) })
	}
	return list
}

// visit lists x and what is below it, the turns in either direction.
func visit(x *modelNode, descending, post bool) []*modelNode {
	children := slices.Clone(x.children)
	if x.class == tree.Seq && descending {
		slices.Reverse(children)
	}
	var list []*modelNode
	for _, k := range children {
		list = append(list, visit(k, descending, post)...)
	}
	if post {
		return append(list, x)
	}
	return append([]*modelNode{x}, list...)
}

// isFamily reports whether s asks for the nodes of one key: a single group
// whose last step says which.
func (w *model) isFamily(s *selector.Selector) bool {
	if !w.traits.KeySets || len(s.Groups) != 1 {
		return false
	}
	steps := s.Groups[0].Steps
	return w.keyPart(steps[len(steps)-1]) <= len(steps[len(steps)-1].Parts)
}

// keyPart returns how many parts of a step it takes to name a key, more than
// there are where it names none.
func (w *model) keyPart(step selector.Step) int {
	key := func(a selector.Attr) bool {
		return a.Name == "key" && a.Op == selector.Eq && len(a.Values) == 1 && a.Values[0].Kind != selector.Null
	}
	at := slices.IndexFunc(step.Parts, func(part selector.Part) bool {
		switch part := part.(type) {
		case selector.ID:
			return w.traits.HashIsKey
		case selector.Attr:
			return key(part)
		case selector.Search:
			return slices.ContainsFunc(part.Attrs, key)
		case selector.Position:
			return slices.ContainsFunc(part.Hops[len(part.Hops)-1].Attrs, key)
		}
		return false
	})
	if at < 0 {
		return len(step.Parts) + 1
	}
	return at + 1
}

// newestFirst is the order of the nodes of one key (003, 001 §3.5.2 as read
// here): depth 0, 1, 2 …, the system header, what has no depth.
func newestFirst(list []*modelNode) []*modelNode {
	far := func(x *modelNode) int64 {
		switch {
		case !x.placed:
			return math.MaxInt64
		case x.depth < 0:
			return math.MaxInt64 - 1
		}
		return x.depth
	}
	return slices.SortedFunc(slices.Values(list), func(a, b *modelNode) int {
		return cmp.Or(cmp.Compare(far(a), far(b)), cmp.Compare(b.node.CreatedNS, a.node.CreatedNS),
			cmp.Compare(b.node.Index, a.node.Index), cmp.Compare(a.node.ID, b.node.ID))
	})
}

// window applies the controls that take from an ordered list: unique, limit and
// page, first, in this order.
func window(s *selector.Selector, list []*modelNode) []*modelNode {
	if _, ok := s.Control(selector.ControlUnique); ok {
		seen := map[string]bool{}
		list = slices.DeleteFunc(slices.Clone(list), func(x *modelNode) bool {
			key, _ := x.key()
			again := seen[key]
			seen[key] = true
			return again
		})
	}
	if limit, ok := s.Control(selector.ControlLimit); ok {
		from := 0
		if page, ok := s.Control(selector.ControlPage); ok {
			from = min((page.N-1)*limit.N, len(list))
		}
		list = list[from:min(from+limit.N, len(list))]
	}
	if _, ok := s.Control(selector.ControlFirst); ok {
		list = list[:min(1, len(list))]
	}
	return list
}

func idsOf(list []*modelNode) []string {
	ids := []string{}
	for _, x := range list {
		ids = append(ids, x.node.ID)
	}
	return ids
}
