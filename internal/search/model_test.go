package search

import (
	"context"
	"slices"
	"testing"

	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// modelFound is the id of a node that was found, and the cycle of the snapshot.
type modelFound struct {
	id    string
	cycle int64
}

// modelRun puts a selector to the whole of one snapshot.
func modelRun(t testing.TB, q *selector.Selector, in *tree.Tree) (*query.Plan, []*tree.Entry) {
	t.Helper()
	plan, err := query.Compile(q)
	must(t, err)
	r, err := plan.Run(context.Background(), in)
	must(t, err)
	return plan, r.Nodes
}

// modelFind puts a selector to each snapshot, newest first, and merges the answers by hand:
// each id once; with latest a key only from the newest snapshot that has it. The controls of
// the selector apply to what @* gave in all, else to each snapshot. Then come the windows.
func modelFind(t testing.TB, q *selector.Selector, o Options, mode string, trees []*tree.Tree) (list []modelFound) {
	t.Helper()
	all := q.Time != nil && q.Time.Kind == selector.All
	in := map[*tree.Entry]*tree.Tree{}
	var merged []*tree.Entry
	var plan *query.Plan
	for _, snapshot := range trees {
		var here []*tree.Entry
		if plan, here = modelRun(t, q, snapshot); !all {
			here = plan.Window(here)
		}
		older := len(merged)
		for _, e := range here {
			known := func(x *tree.Entry) bool { return x.Node().ID == e.Node().ID }
			newer := func(x *tree.Entry) bool { return x.Node().KeyFacet() == e.Node().KeyFacet() }
			if slices.ContainsFunc(merged[:older], known) ||
				mode == "latest" && slices.ContainsFunc(merged[:older], newer) {
				continue
			}
			in[e] = snapshot
			merged = append(merged, e)
		}
	}
	if all && plan != nil {
		merged = plan.Window(merged)
	}
	for _, e := range merged {
		if o.Where == nil || modelBelow(t, o.Where, in[e], e.Node().ID) {
			list = append(list, modelFound{e.Node().ID, in[e].Cycle()})
		}
	}
	list = list[min(o.Skip, len(list)):]
	if o.Limit > 0 {
		list = list[:min(o.Limit, len(list))]
	}
	return list
}

// modelBelow reports whether a selector matches a node or an ancestor of it.
func modelBelow(t testing.TB, where *selector.Selector, in *tree.Tree, id string) bool {
	t.Helper()
	_, kept := modelRun(t, where, in)
	return slices.ContainsFunc(sure.Get(in.Path(id)), func(e *tree.Entry) bool {
		return slices.ContainsFunc(kept, func(k *tree.Entry) bool { return k.Node().ID == e.Node().ID })
	})
}

// modelChange is the answer of a selector to one snapshot after another: ids in document order.
type modelChange struct{ added, removed, changed []string }

// modelDiff compares the nodes that a selector selects in two snapshots, one by one. An added
// or removed id is selected on one side only; a changed one is another node on both sides.
func modelDiff(t testing.TB, q *selector.Selector, older, newer *tree.Tree) (c modelChange) {
	t.Helper()
	selected := func(in *tree.Tree) map[string]bool {
		plan, nodes := modelRun(t, q, in)
		ids := map[string]bool{}
		for _, e := range plan.Window(nodes) {
			ids[e.Node().ID] = true
		}
		return ids
	}
	was, is := selected(older), selected(newer)
	c = modelChange{[]string{}, []string{}, []string{}}
	for e := range sure.All(newer.All()) {
		switch id := e.Node().ID; {
		case is[id] && !was[id]:
			c.added = append(c.added, id)
		case is[id] && modelDiffers(older, newer, id):
			c.changed = append(c.changed, id)
		}
	}
	for e := range sure.All(older.All()) {
		if id := e.Node().ID; was[id] && !is[id] {
			c.removed = append(c.removed, id)
		}
	}
	return c
}

// modelDiffers reports whether a node differs between two snapshots in a field that a diff
// has: what the generator changes, and the ttl, which is counted from the snapshot.
func modelDiffers(older, newer *tree.Tree, id string) bool {
	a, b := sure.Get(older.Node(id)), sure.Get(newer.Node(id))
	return a.Role != b.Role || a.Kind != b.Kind || a.Key != b.Key || sure.Get(older.Parent(id)) != sure.Get(newer.Parent(id)) ||
		a.Expiry != b.Expiry || a.Expiry != tree.Never || a.CreatedNS != b.CreatedNS || a.Offset != b.Offset
}
