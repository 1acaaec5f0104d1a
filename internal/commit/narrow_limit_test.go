package commit_test

import (
	"math/rand"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
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

// Few blocks count for a limit in a long history: what references tie to one of them helps the limit as it does in a short
// history, and goes in its order.
func TestWhatReferencesTieToARareKindHelpsItsLimit(t *testing.T) {
	for _, c := range []struct {
		name  string
		kinds [3]string // of what stands in turns 3, 20 and 30; the second counts
		refs  [3][]tree.Header
		want  string
	}{
		{"its result", [3]string{"result", "call", "note"}, [3][]tree.Header{{refs("b20")}, nil, nil}, "b20 b3"},
		{"its call", [3]string{"call", "result", "note"}, [3][]tree.Header{nil, {refs("b3")}, nil}, "b20 b3"},
		{"in a ring", [3]string{"note", "rare", "note"}, [3][]tree.Header{{refs("b20")}, {refs("b30")}, {refs("b3")}}, "b20 b3 b30"},
	} {
		in := loose(t, 40, func(i int) tree.Node {
			switch i {
			case 1: // the oldest that counts
				return tree.Node{Headers: headers(c.kinds[1])}
			case 3:
				return tree.Node{Headers: headers(c.kinds[0], c.refs[0]...), Priority: -1}
			case 20:
				return tree.Node{Headers: headers(c.kinds[1], c.refs[1]...)}
			case 30:
				return tree.Node{Headers: headers(c.kinds[2], c.refs[2]...)}
			}
			return tree.Node{Headers: headers("note")}
		})
		in.Policy = lifecycle.Policy{WholePairs: true, Parts: []lifecycle.Part{{Kind: c.kinds[1], MaxNodes: 1}}}
		_, _, report, err := commit.Run(t.Context(), in)
		must(t, err)
		var gone []string
		for _, r := range report.Removed {
			gone = append(gone, r.ID)
		}
		slices.Sort(gone)
		equal(t, c.name, strings.Join(gone, " "), c.want)
	}
}
