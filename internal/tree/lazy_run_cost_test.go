package tree_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
)

// What a tree answers about turns that are in a store costs the runs that hold
// them: as many at 100,000 turns as at 1,000, but for one more level.
func TestAnswersLoadWhatTheyAreAbout(t *testing.T) {
	testrun.Long(t, "builds a long history")
	for _, turns := range [...]int{shortHistory, longHistory} {
		eager := newLong(t, turns)
		next := eager.turn(t)
		cases := []struct {
			what string
			most int // loads
			do   func(l long)
		}{
			{"sums and digests", 0, func(l long) {
				equal(t, "digest", l.tree.Digest(), eager.tree.Digest())
				equal(t, "thread digest", l.tree.ThreadDigest(), eager.tree.ThreadDigest())
				equal(t, "nodes", l.tree.Len(), eager.tree.Len())
				_, size := l.tree.ThreadSize()
				_, want := eager.tree.ThreadSize()
				equal(t, "bytes", size, want)
			}},
			{"an id of the cycle to come", 0, func(l long) { sure.Get(l.tree.Has(fmt.Sprintf("block:%d-0", turns+1))) }},
			{"a region", 0, func(l long) { sure.Get(l.tree.Entry("ah")) }},
			{"one node", 2, func(l long) {
				id := fmt.Sprintf("block:%d-0", turns/2)
				equal(t, "path", len(sure.Get(l.tree.Path(id))), 5)
				sure.Get(l.tree.Node(id))
			}},
			{"the last three turns", 3, func(l long) {
				kids := l.tree.Region(tree.Seq).Children()
				for k := range 3 {
					equal(t, "turn", sure.Get(kids.At(turns-1-k)).Node().ID, fmt.Sprintf("seg:%d-1", turns-k))
				}
			}},
			{"a commit at the end", 2, func(l long) {
				equal(t, "digest", l.turn(t).tree.Digest(), next.tree.Digest())
				equal(t, "thread digest", l.turn(t).tree.ThreadDigest(), next.tree.ThreadDigest())
			}},
			{"a commit, and what it changed", 2, func(l long) {
				equal(t, "differences", len(sure.Get(tree.Differences(l.tree, l.turn(t).tree))), 5) // turn, core, block, ^ah new and old
			}},
			{"what another snapshot changed", 2, func(l long) {
				equal(t, "differences", len(sure.Get(tree.Differences(l.tree, next.tree))), 5)
			}},
			{"a run without what is looked for", 0, func(l long) {
				m := &tree.Measure{Name: "none", Want: tree.Marks{Roles: tree.Mark("tool")}}
				if sum, err := m.Sum(background, l.tree.Root()); sum != 0 || err != nil {
					t.Error(sum, err)
				}
			}},
		}
		for _, c := range cases {
			tr, s := onShelf(t, eager.tree, byTwoLevels)
			l := eager
			l.tree = tr
			c.do(l)
			t.Logf("%d turns, %s: %d loads", turns, c.what, s.loads)
			if s.loads > c.most {
				t.Errorf("%d turns, %s: %d loads, at most %d were to be", turns, c.what, s.loads, c.most)
			}
		}
	}
}

// A run is loaded once, however often it is asked for, and readers may ask at once.
func TestReadersLoadARunOnce(t *testing.T) {
	eager := newLong(t, 600)
	tr, s := onShelf(t, eager.tree, func(_ tree.LazyRun, above uint8) bool { return above == topmost })
	done := make(chan error)
	for range 8 {
		go func() {
			for i := range 600 {
				sure.Get(tr.Path(fmt.Sprintf("block:%d-0", i+1)))
			}
			done <- tr.WriteThread(background, io.Discard)
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	equal(t, "loads", s.loads, 1)
}
