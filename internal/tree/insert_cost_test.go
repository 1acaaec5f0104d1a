package tree_test

import (
	"fmt"
	"testing"

	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
)

// siblings begins a batch with so many drafts in ^ah, at one offset.
func siblings(tb testing.TB, n int) *tree.Editor {
	tb.Helper()
	x := newLong(tb, 1).edit()
	for i := range n {
		if _, err := x.Add("^ah", tree.Spec{ID: fmt.Sprint("s", i), Offset: 1, Content: "hi"}); err != nil {
			tb.Fatal(err)
		}
	}
	return x
}

// allocationsOf counts those of one call.
func allocationsOf(tb testing.TB, f func() error) float64 {
	tb.Helper()
	return testing.AllocsPerRun(5, func() {
		if err := f(); err != nil {
			tb.Fatal(err)
		}
	})
}

// An insertion gives every sibling that must follow a new stamp (docs/decisions,
// 010): that many stamps are the rule's. What a stamp costs is not to depend on
// how many siblings there are: a version, an entry, a place in the index, and
// its share of one list.
func TestAStampOfAFollowerCostsTheSameAmongManySiblings(t *testing.T) {
	testrun.CountsAllocations(t)
	const most = 5 // allocations
	for _, n := range []int{500, 4_000} {
		x := siblings(t, n)
		front := allocationsOf(t, func() error {
			_, err := x.AddAt(tree.Gap{Parent: "^ah", Edge: tree.Start}, tree.Spec{Content: "hi"})
			return err
		})
		middle := allocationsOf(t, func() error {
			_, err := x.AddAt(tree.Gap{Parent: "^ah", Edge: tree.Before, N: n / 2}, tree.Spec{Content: "hi"})
			return err
		})
		ids := make([]string, n)
		for i := range ids {
			ids[i] = fmt.Sprint("s", n-1-i)
		}
		reorder := allocationsOf(t, func() error { return x.Reorder(ids...) })
		t.Logf("%d siblings: %.2f allocations a follower in front, %.2f in the middle, %.2f of a node that is reordered",
			n, front/float64(n), middle/float64(n)*2, reorder/float64(n))
		for what, each := range map[string]float64{"in front": front / float64(n), "in the middle": middle / float64(n) * 2,
			"reordered": reorder / float64(n)} {
			if each > most {
				t.Errorf("%d siblings, %s: got %.2f allocations for every node with a new stamp, want at most %d", n, what, each,
					most)
			}
		}
	}
}

// Where few must follow, the siblings before them cost nothing.
func TestAnInsertionCostsThoseThatFollow(t *testing.T) {
	testrun.CountsAllocations(t)
	var bytes []float64
	for _, n := range []int{500, 32_000} {
		x := siblings(t, n)
		_, size := cost(func() {
			there := x.Tree().Region(tree.Head).Children().Len()
			_, before := x.AddAt(tree.Gap{Parent: "^ah", Edge: tree.Before, N: there - 3}, tree.Spec{Content: "hi"})
			_, last := x.AddAt(tree.Gap{Parent: "^ah", Edge: tree.End}, tree.Spec{Content: "hi"})
			if before != nil || last != nil {
				t.Fatal(before, last)
			}
		})
		bytes = append(bytes, size)
	}
	t.Logf("bytes allocated: %.0f", bytes)
	if bytes[1] > 2*bytes[0] {
		t.Errorf("got %.0f bytes among 32,000 siblings, want about the %.0f among 500", bytes[1], bytes[0])
	}
}
