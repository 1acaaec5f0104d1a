package tree_test

import (
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/contexttree/pact/tree"
)

// ttl is what a record shows at a cycle.
func (r *record) ttl(cycle int64) any {
	if r.expiry == never {
		return nil
	}
	return max(0, r.expiry-cycle)
}

// differences compares id by id: what b has and a has not, or not so, in b's
// document order; then what only a has, in the order of a.
func differences(a, b version) (now, gone []string) {
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

// compared is what the package says, written the same way.
func compared(t failer, a, b version) (now, gone []string) {
	t.Helper()
	tree.Compare(a.tree, b.tree, func(d tree.Difference) bool {
		switch {
		case d.New == nil:
			gone = append(gone, fmt.Sprintf("%s from %q to nowhere", d.Old.ID, d.OldParent))
		case d.Old == nil:
			now = append(now, fmt.Sprintf("%s from nowhere to %q", d.New.ID, d.NewParent))
		default:
			now = append(now, fmt.Sprintf("%s from %q to %q", d.New.ID, d.OldParent, d.NewParent))
			if !d.Old.Same(a.tree.Node(d.Old.ID)) || !d.New.Same(b.tree.Node(d.New.ID)) {
				t.Fatalf("%s: the difference holds other versions than the trees", d.New.ID)
			}
		}
		return true
	})
	return now, gone
}

// seat is where a node sits: itself and every node above it, each with what
// decides its order. Two nodes of one id and equal seats are in one place.
func (w *world) seat(id string) string {
	s := ""
	for _, above := range w.path(id) {
		s += fmt.Sprint(w.rank(w.nodes[above]), " ")
	}
	return s
}

// commonBlocks is how many blocks both threads begin with in common, and how
// many of these come before the first that is not in the same place as well.
func commonBlocks(a, b *world) (nodes, places int) {
	x, y := a.blocks(a.root()), b.blocks(b.root())
	same := func(i int) bool {
		p, q := *x[i], *y[i]
		p.parent, q.parent = "", ""
		return reflect.DeepEqual(p, q)
	}
	for nodes < min(len(x), len(y)) && same(nodes) {
		nodes++
	}
	for places < nodes && a.seat(x[places].id) == b.seat(y[places].id) {
		places++
	}
	return nodes, places
}

// later is a version as another cycle sees it.
func (v version) later(cycle int64) version {
	v.tree = v.tree.WithCycle(cycle)
	return v
}

// drawPair draws two versions of one run, each seen from some cycle.
func drawPair(t *rapid.T, r *run) (version, version) {
	one := func(label string) version {
		v := r.versions[below(t, len(r.versions), label)]
		if rapid.Bool().Draw(t, "later") {
			return v.later(v.tree.Cycle() + int64(below(t, 4, "cycles later")))
		}
		return v
	}
	return one("a"), one("b")
}

func TestCompareFindsExactlyWhatDiffers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRun(t)
		for range 15 {
			a, b := drawPair(t, r)
			if rarely(t, 3, "reloaded") {
				b.tree = remade(t, b.tree) // nothing shared but contents
			}
			now, gone := compared(t, a, b)
			wantNow, wantGone := differences(a, b)
			equal(t, "new and changed, in the order of the second", now, wantNow)
			equal(t, "gone, in the order of the first", gone, wantGone)
			equal(t, "equal digests exactly where contents are equal", a.digest == b.digest, reflect.DeepEqual(a.world.nodes,
				b.world.nodes))
		}
	})
}

func TestCompareStopsWhenTold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRun(t)
		a, b := drawPair(t, r)
		now, gone := differences(a, b)
		for stop := 1; stop <= len(now)+len(gone); stop++ {
			calls := 0
			tree.Compare(a.tree, b.tree, func(tree.Difference) bool {
				calls++
				return calls < stop
			})
			equal(t, "calls", calls, stop)
		}
	})
}

// SharedBlocks never promises more than what both threads begin with, and all
// of it up to the first block that sits in another place.
func TestSharedBlocksIsTheCommonPrefixOfNodesInPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRun(t)
		for range 15 {
			a, b := drawPair(t, r)
			nodes, places := commonBlocks(a.world, b.world)
			shared := tree.SharedBlocks(a.tree, b.tree)
			if shared > nodes {
				t.Fatalf("shared blocks: got %d, the threads have only %d in common", shared, nodes)
			}
			equal(t, "shared blocks", shared, places)
		}
	})
}

// Between one snapshot and the next nothing published changes its place, so
// there the number is exact.
func TestSharedBlocksIsExactForAdjacentSnapshots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRun(t)
		r.seal()
		var last *version
		for i := range r.versions {
			v := &r.versions[i]
			if !v.sealed {
				continue
			}
			if last != nil && len(last.world.blocks(last.world.region("^ah"))) == 0 {
				nodes, _ := commonBlocks(last.world, v.world)
				equal(t, "shared blocks", tree.SharedBlocks(last.tree, v.tree), nodes)
			}
			last = v
		}
	})
}

// Delta and Patch are the way back from differences to a tree.
func TestPatchOfTheDeltaIsTheOtherTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRun(t)
		for range 8 {
			a, b := drawPair(t, r)
			if a.world.root() != b.world.root() {
				continue
			}
			gone, born := a.tree.Delta(b.tree)
			got := a.tree.Patch(b.tree.Cycle(), gone, born)
			same(t, got, b.world)
			equal(t, "digest", got.Digest(), b.digest)
			equal(t, "cycle", got.Cycle(), b.tree.Cycle())
		}
	})
}
