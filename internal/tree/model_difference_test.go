package tree_test

import (
	"fmt"
	"reflect"

	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// ttl returns the ttl that a node of the model shows at a cycle.
func (r *modelNode) ttl(cycle int64) any {
	if r.expiry == never {
		return nil
	}
	return max(0, r.expiry-cycle)
}

// modelDifferences compares id by id: what b has and a has not, or not so, in b's
// document order; then what only a has, in the order of a.
func modelDifferences(a, b version) (now, gone []string) {
	from, to := a.world.nodes, b.world.nodes
	for _, r := range b.world.document() {
		old := from[r.id]
		switch {
		case old == nil:
			now = append(now, fmt.Sprintf("%s from nowhere to %q", r.id, r.parent))
		case !reflect.DeepEqual(old, r), old.ttl(a.tree.Cycle()) != r.ttl(b.tree.Cycle()):
			now = append(now, fmt.Sprintf("%s from %q to %q", r.id, old.parent, r.parent))
		}
	}
	for _, r := range a.world.document() {
		if to[r.id] == nil {
			gone = append(gone, fmt.Sprintf("%s from %q to nowhere", r.id, r.parent))
		}
	}
	return now, gone
}

// differencesOf returns the answer of the package, written the same way.
func differencesOf(t failer, a, b version) (now, gone []string) {
	t.Helper()
	sure.Done(tree.Compare(a.tree, b.tree, func(d tree.Difference) bool {
		switch {
		case d.New == nil:
			gone = append(gone, fmt.Sprintf("%s from %q to nowhere", d.Old.ID, d.OldParent))
		case d.Old == nil:
			now = append(now, fmt.Sprintf("%s from nowhere to %q", d.New.ID, d.NewParent))
		default:
			now = append(now, fmt.Sprintf("%s from %q to %q", d.New.ID, d.OldParent, d.NewParent))
			if !d.Old.Equal(sure.Get(a.tree.Node(d.Old.ID))) || !d.New.Equal(sure.Get(b.tree.Node(d.New.ID))) {
				t.Fatalf("%s: the difference holds other versions than the trees", d.New.ID)
			}
		}
		return true
	}))
	return now, gone
}

// position is where a node sits: itself and every node above it, each with what
// decides its order. Two nodes of one id and equal seats are in one place.
func (w *modelTree) position(id string) string {
	s := ""
	for _, above := range w.path(id) {
		s += fmt.Sprint(w.rank(w.nodes[above]), " ")
	}
	return s
}

// modelSharedBlocks is how many blocks both threads begin with in common, and how
// many of these come before the first that is not in the same place as well.
func modelSharedBlocks(a, b *modelTree) (nodes, places int) {
	x, y := a.blocks(a.root()), b.blocks(b.root())
	same := func(i int) bool {
		p, q := *x[i], *y[i]
		p.parent, q.parent = "", ""
		return reflect.DeepEqual(p, q)
	}
	for nodes < min(len(x), len(y)) && same(nodes) {
		nodes++
	}
	for places < nodes && a.position(x[places].id) == b.position(y[places].id) {
		places++
	}
	return nodes, places
}
