package tree

import (
	"fmt"
	"testing"

	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
)

// forgetSharedLists empties every run that two trees share: whoever looks into one finds
// nothing there or falls over it.
func forgetSharedLists(a, b *Tree) (shared, own int) {
	one, two := map[*List]bool{}, map[*List]bool{}
	listsOf(a.root.kids, one)
	listsOf(b.root.kids, two)
	for l := range two {
		if one[l] {
			l.held = listBody{}
			shared++
		} else {
			own++
		}
	}
	return shared, own
}

// What two snapshots share is never looked into, so that comparing them costs
// the runs they do not share, and these are few however long the history.
func TestCompareLooksIntoNothingShared(t *testing.T) {
	testrun.OneGoroutine(t)
	cases := []struct {
		what  string
		edit  func(x *Editor) error
		diffs int
	}{
		{"one more turn", func(x *Editor) error { _, err := x.Add("^ah", Spec{}); return err }, 5},
		{"a block attached to an old turn", func(x *Editor) error { _, err := x.Add("turn500", Spec{Offset: 1}); return err },
			5},
		{"a new rule", func(x *Editor) error { _, err := x.Add("^sys", Spec{}); return err }, 5},
	}
	for _, c := range cases {
		for _, count := range []int{1_000, 20_000} {
			t.Run(fmt.Sprint(c.what, " after ", count), func(t *testing.T) {
				before, x, env := contextOfTurns(t, count)
				if err := c.edit(x); err != nil {
					t.Fatal(err)
				}
				after, _, err := Seal(x.Tree(), x.Stamps, env)
				if err != nil {
					t.Fatal(err)
				}
				want := SharedBlocks(before, after)
				shared, own := forgetSharedLists(before, after)
				if shared < count || own > 20 {
					t.Errorf("runs: got %d shared and %d new, want at least %d and at most 20", shared, own, count)
				}
				diffs := 0
				sure.Done(Compare(before, after, func(Difference) bool { diffs++; return true }))
				if diffs != c.diffs {
					t.Errorf("differences: got %d, want %d", diffs, c.diffs)
				}
				if got := SharedBlocks(before, after); got != want {
					t.Errorf("shared blocks: got %d, want %d", got, want)
				}
			})
		}
	}
}

// SharedBlocks is blocksInPlace where no two versions count as the same.
func SharedBlocks(a, b *Tree) int {
	return sure.Get(blocksInPlace(a, b, func(*Node, *Node) (bool, error) { return false, nil }))
}
