package pact_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/selector"
)

// A range says what asking every snapshot by itself and comparing neighbours
// would say.
func TestRangeAgreesWithSelectAndDiff(t *testing.T) {
	nonempty := 0
	for seed := range uint64(25) {
		r := rand.New(rand.NewPCG(seed, 7))
		c := genContext(t, r, 12)
		for _, text := range append(genRangeSelectors, ".cb @limit=3", ".cb @first", ".cb[age<2]", "depth(0) .cb",
			"[key='x'], +a", "(d1, *:cb)", "?? {role='user'} @order=bfs") {
			edition := selector.V01
			if !slices.Contains(genRangeSelectors, text) {
				edition = selector.Depth
			}
			got, err := c.RangeDiffLatest(background, selector.MustParse("@c2..@c12 "+text, edition), nil)
			must(t, err)
			for i, block := range got.Diffs {
				newer, older := 12-int64(i), 11-int64(i)
				in := func(cycle int64) []string {
					at := fmt.Sprintf("@c%d ", cycle)
					ids, err := c.Select(background, selector.MustParse(at+text, edition), nil)
					must(t, err)
					return ids
				}
				a, b := in(older), in(newer)
				all, err := c.Diff(background, pact.Cycle(older), pact.Cycle(newer), nil)
				must(t, err)
				var changed []string
				for _, ch := range all.Changed {
					if slices.Contains(a, ch.ID) && slices.Contains(b, ch.ID) {
						changed = append(changed, ch.ID+fmt.Sprint(ch.Fields))
					}
				}
				var gotChanged []string
				for _, ch := range block.Changed {
					gotChanged = append(gotChanged, ch.ID+fmt.Sprint(ch.Fields))
				}
				if !same(block.AddedIDs, without(b, a)) || !same(block.RemovedIDs, without(a, b)) || !slices.Equal(gotChanged,
					changed) {
					t.Fatalf("seed %d, %s, @c%d to @c%d: got +%q -%q ~%q, want +%q -%q ~%q", seed, text, newer, older,
						block.AddedIDs, block.RemovedIDs, gotChanged, without(b, a), without(a, b), changed)
				}
				if block.Stats != (diff.RangeStats{Added: len(block.AddedIDs), Removed: len(block.RemovedIDs),
					Changed: len(changed)}) {
					t.Fatalf("seed %d, %s: stats %+v", seed, text, block.Stats)
				}
				if block.Stats != (diff.RangeStats{}) {
					nonempty++
				}
			}
		}
	}
	if nonempty < 2000 {
		t.Errorf("only %d blocks held a change", nonempty)
	}
}
