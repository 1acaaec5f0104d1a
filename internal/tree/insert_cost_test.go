package tree_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/contexttree/pact/internal/sure"
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

// A list that is put together at once is the list that single steps make: the
// same order, the same stamps, the same digest.
func TestManyFollowersGetTheStampsOfSingleSteps(t *testing.T) {
	const n = 200
	insert := func() *tree.Editor {
		x := siblings(t, n)
		for _, id := range []string{"before", "group"} { // siblings of other offsets stay where they are
			if _, err := x.Add("^ah", tree.Spec{ID: id, Offset: map[string]int64{"before": -1, "group": 2}[id]}); err != nil {
				t.Fatal(err)
			}
		}
		return x
	}
	x := insert()
	if _, err := x.AddAt(tree.Gap{Parent: "^ah", Edge: tree.Before, N: 2},
		tree.Spec{ID: "new", Content: "hi"}); err != nil {
		t.Fatal(err)
	}
	one := insert()
	if _, err := one.Add("^ah", tree.Spec{ID: "new", Offset: 1, Content: "hi"}); err != nil {
		t.Fatal(err)
	}
	want := []string{"before", "new"}
	for i := range n {
		id := fmt.Sprint("s", i)
		want = append(want, id)
		if err := one.Reorder(id); err != nil { // alone it goes behind all others
			t.Fatal(err)
		}
	}
	want = append(want, "group")
	var got []string
	last := int64(-1)
	for e := range sure.All(x.Tree().Region(tree.Head).Children().All()) {
		got = append(got, e.Node().ID)
		if e.Node().Offset == 1 {
			if e.Node().Index <= last {
				t.Errorf("%s has creation_index %d behind %d", e.Node().ID, e.Node().Index, last)
			}
			last = e.Node().Index
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got the order %v\nwant %v", got, want)
	}
	equal(t, "digest", x.Tree().Digest(), one.Tree().Digest())
	equal(t, "stamps", x.Stamps, one.Stamps)
}
