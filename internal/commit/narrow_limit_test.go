package commit_test

import (
	"math/rand"
	"testing"

	"pgregory.net/rapid"

	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/lifecycle"
)

// One limit that is exceeded by a little takes what comes first of all that helps
// it, which the model finds by looking at everything: what ties nodes together, in
// one turn and from turn to turn, and the stubs that are left decide what helps.
func TestANarrowLimitTakesWhatHelpsItFirst(t *testing.T) {
	testrun.OneGoroutine(t)
	seen := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewSource(genSeed(rt)))
		for range 40 {
			in, _ := genInput(rng)
			in.Prune, in.Chosen = nil, nil
			in.Policy = lifecycle.Policy{Orphans: lifecycle.Keep, ProtectTurns: rng.Intn(2)}
			if rng.Intn(3) == 0 {
				in.Policy.Stub = "a b"
			}
			part := lifecycle.Part{
				Region: []string{"", "", "^sys", "^seq", "^ah"}[rng.Intn(5)],
				Kind:   []string{"", "text", "call", "result"}[rng.Intn(4)],
				Tag:    []string{"", "", "x", "y"}[rng.Intn(4)],
			}
			whole := part.Region+part.Kind+part.Tag == ""
			r := newModel(in)
			r.expire()
			over := func(unit string) int { return r.use(modelLimit{unit, 0, part}) - 1 - rng.Intn(3) }
			switch rng.Intn(3) {
			case 0:
				part.MaxTokens = max(1, over("tokens"))
			case 1:
				part.MaxBytes = max(1, over("bytes"))
			default:
				part.MaxNodes = max(1, over("nodes"))
			}
			if whole {
				in.Policy.MaxTurns = max(1, over("turns"))
			} else {
				in.Policy.Parts = []lifecycle.Part{part}
			}
			l := &comparison{rt, in, seen}
			l.commit()
		}
	})
	t.Logf("what happened, how often: %v", seen)
	for _, what := range []string{"pruned", "stub", "budget"} {
		if seen[what] == 0 {
			t.Errorf("no commit had to do with: %s", what)
		}
	}
}
