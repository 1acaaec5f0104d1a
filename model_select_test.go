package pact_test

import (
	"slices"
	"testing"

	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// modelMatch is a node where it was met first.
type modelMatch struct {
	node *tree.Node
	in   *tree.Tree
}

// modelMerge puts the answers of the snapshots together: newest first, each id
// once. The controls that leave nodes out apply to the whole of @*, and to each
// snapshot by itself otherwise.
func modelMerge(t *testing.T, q *selector.Selector, a drawnAddress) []modelMatch {
	t.Helper()
	var list []modelMatch
	families := map[string]*tree.Tree{} // the newest snapshot in which one matches
	for _, s := range a.names {
		plan, err := query.Compile(q)
		must(t, err)
		result, err := plan.Run(background, s)
		must(t, err)
		var here []modelMatch
		for _, e := range result.Nodes {
			here = append(here, modelMatch{e.Node(), s})
		}
		if a.merge != "all" {
			here = modelWindow(q, here)
		}
		for _, m := range here {
			if families[modelKey(m.node)] == nil {
				families[modelKey(m.node)] = s
			}
			if a.merge == "latest" && families[modelKey(m.node)] != s {
				continue
			}
			if !slices.ContainsFunc(list, func(o modelMatch) bool { return o.node.ID == m.node.ID }) {
				list = append(list, m)
			}
		}
	}
	if a.merge == "all" {
		list = modelWindow(q, list)
	}
	return list
}

func modelKey(n *tree.Node) string {
	if n.Has("key") {
		return n.Key
	}
	return n.ID
}

// modelWindow applies @unique, @limit with @p, and @first.
func modelWindow(q *selector.Selector, list []modelMatch) []modelMatch {
	if _, ok := q.Control(selector.ControlUnique); ok {
		var once []modelMatch
		for _, m := range list {
			if !slices.ContainsFunc(once, func(o modelMatch) bool { return modelKey(o.node) == modelKey(m.node) }) {
				once = append(once, m)
			}
		}
		list = once
	}
	if limit, ok := q.Control(selector.ControlLimit); ok {
		page := 1
		if p, ok := q.Control(selector.ControlPage); ok {
			page = p.N
		}
		var some []modelMatch
		for i, m := range list {
			if i/max(1, limit.N) == page-1 && limit.N > 0 {
				some = append(some, m)
			}
		}
		list = some
	}
	if _, ok := q.Control(selector.ControlFirst); ok && len(list) > 1 {
		list = list[:1]
	}
	return list
}

// modelInSubtree reports whether a node or something that it is below is selected.
func modelInSubtree(t *testing.T, m modelMatch, keep *selector.Selector) bool {
	plan, err := query.Compile(keep)
	must(t, err)
	result, err := plan.Run(background, m.in)
	must(t, err)
	for id := m.node.ID; id != ""; id = sure.Get(m.in.Parent(id)) {
		if slices.Contains(result.IDs(), id) {
			return true
		}
	}
	return false
}
