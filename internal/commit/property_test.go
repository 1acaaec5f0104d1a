package commit_test

import (
	"math/rand"
	"testing"

	"pgregory.net/rapid"

	"github.com/contexttree/pact/lifecycle"
)

// A commit removes exactly what the model removes, for the reason it gives,
// seals, and leaves its input as it was; and the order in which a tree was
// built changes no byte of what comes out (002 §7.3).
func TestCommitAgreesWithModel(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewSource(genSeed(rt)))
		for range 20 {
			in, permuted := genInput(rng)
			for range 3 { // and what is left of it, cycle after cycle
				l := &comparison{rt, in, seen}
				got, stamps, report := l.commit()
				if got == nil {
					break
				}
				if permuted.Working != nil {
					l.again(permuted, got, stamps, report)
				}
				in.Before, in.Working, in.Stamps = got, got.WithCycle(stamps.Cycle), stamps
				in.Prune, in.Chosen, in.Idle, permuted.Working = nil, nil, nil, nil
				for _, h := range report.Kept {
					if h.Reason == lifecycle.Cascaded {
						in.Idle = append(in.Idle, h.ID)
					}
				}
				if len(newModel(in).due(in.Stamps.Cycle)) > 12 {
					break
				}
			}
		}
	})
	t.Logf("what happened, how often: %v", seen)
	for _, what := range []string{"expired", "cascade", "pruned", "orphan", "stub", "waiting", "kept", "refused", "budget",
		"lapsed", "left alone"} {
		if seen[what] == 0 && !(what == "left alone" && testing.Short()) { // three times in as few draws, or not at all
			t.Errorf("no commit had to do with: %s", what)
		}
	}
}
