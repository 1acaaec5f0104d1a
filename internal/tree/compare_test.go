package tree_test

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

func TestCompareAgreesWithModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := genRun(t)
		for range 15 {
			a, b := genPair(t, r)
			if rarely(t, 3, "reloaded") {
				b.tree = remade(t, b.tree) // nothing shared but contents
			}
			now, gone := differencesOf(t, a, b)
			wantNow, wantGone := modelDifferences(a, b)
			equal(t, "new and changed, in the order of the second", now, wantNow)
			equal(t, "gone, in the order of the first", gone, wantGone)
			equal(t, "equal digests exactly where contents are equal", a.digest == b.digest, reflect.DeepEqual(a.world.nodes,
				b.world.nodes))
		}
	})
}

func TestCompareStopsWhenTold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := genRun(t)
		a, b := genPair(t, r)
		now, gone := modelDifferences(a, b)
		for stop := 1; stop <= len(now)+len(gone); stop++ {
			calls := 0
			sure.Done(tree.Compare(a.tree, b.tree, func(tree.Difference) bool {
				calls++
				return calls < stop
			}))
			equal(t, "calls", calls, stop)
		}
	})
}

// SharedBlocks never promises more than what both threads begin with, and all
// of it up to the first block that sits in another place. CommonBlocks is what both render to the same bytes.
func TestSharedBlocksIsTheCommonPrefixOfNodesInPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := genRun(t)
		for range 15 {
			a, b := genPair(t, r)
			nodes, places := modelSharedBlocks(a.world, b.world)
			shared := tree.SharedBlocks(a.tree, b.tree)
			if shared > nodes {
				t.Fatalf("shared blocks: got %d, the threads have only %d in common", shared, nodes)
			}
			equal(t, "shared blocks", shared, places)
			was, is, same := a.world.thread(), b.world.thread(), 0
			for same < min(len(was), len(is)) && was[same] == is[same] {
				same++
			}
			common, err := tree.CommonBlocks(background, a.tree, b.tree)
			must(t, err)
			equal(t, "blocks that render alike", common, same)
		}
	})
}

// Delta and Patch are the way back from differences to a tree.
func TestPatchOfTheDeltaIsTheOtherTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := genRun(t)
		for range 8 {
			a, b := genPair(t, r)
			if a.world.root() != b.world.root() {
				continue
			}
			gone, born := sure.Get2(a.tree.Delta(b.tree))
			got := sure.Get(a.tree.Patch(b.tree.Cycle(), gone, born))
			same(t, got, b.world)
			equal(t, "digest", got.Digest(), b.digest)
			equal(t, "cycle", got.Cycle(), b.tree.Cycle())
		}
	})
}
