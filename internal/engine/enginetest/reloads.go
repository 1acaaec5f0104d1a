package enginetest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/contexttree/pact/internal/engine"
)

// testReloads reads contexts again and again while they are edited, committed, forked, deleted
// and erased from, and holds what it read before, as a program does that follows others. A
// store may go on from what it has in memory; it must show what a first look shows.
func testReloads(t *testing.T, s Suite) {
	for seed := range s.seeds(t, 1, 2, 60) {
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 71))
			family := []*genHistory{{drive(t, s, "0"), rnd}}
			held := make([]any, 12)
			hold := func(v any) { held[rnd.IntN(len(held))] = v }
			for i := range 150 {
				family, _ = mutate(family, i, 15)
				r := family[rnd.IntN(len(family))]
				st, err := r.store.Load(background, r.state.Key)
				must(t, err)
				hold(st)
				same(t, r.state.Head, st.Head)
				same(t, r.state.Working, st.Working)
				if len(r.snapshots) == 0 {
					continue
				}
				from := r.state.First + rnd.Int64N(int64(len(r.snapshots)))
				to := min(r.state.Cycle, from+rnd.Int64N(3))
				list, err := engine.Collect(r.store.History(background, r.state.Key, from, to))
				must(t, err)
				hold(list)
				for k, got := range list {
					same(t, r.snapshots[from+int64(k)], got)
				}
			}
		})
	}
}
