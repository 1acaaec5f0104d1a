package transcript

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

// Under whatever policy a real conversation is replayed: no snapshot has a call
// without its result or a result without its call, and both providers would take
// every thread.
func TestRealConversationsUnderPressure(t *testing.T) {
	testrun.OneGoroutine(t)
	done := map[string]int{}
	for i, c := range realConversations(t, 10) {
		rng := rand.New(rand.NewSource(int64(i)))
		whole, err := Import(t.Context(), pact.NewDB(store.NewMemory()), "whole", c, nil)
		must(t, err)
		for round := range testrun.Size(t, 1, 2, 6) {
			policy := genPolicy(rng, whole)
			p := pressure{t, fmt.Sprintf("%s %s, round %d, under %+v", c.Shape(), c.Name, round, policy), policy, wordCounter{}, done}
			made, err := Import(t.Context(), pact.NewDB(store.NewMemory()), "pruned", c,
				&ImportOptions{CreateOptions: pact.CreateOptions{OpenOptions: pact.OpenOptions{Counter: p.counter}},
					Policy: policy})
			if err != nil {
				t.Fatalf("%s: %v", p.what, err)
			}
			p.context(made)
		}
		done["conversations"]++
	}
	t.Logf("what was seen, how often: %v", done)
	for _, what := range []string{"snapshots", "pruned", "stubs"} {
		if done[what] == 0 {
			t.Errorf("the policies never made a snapshot of this kind: %s", what)
		}
	}
}

// pressure holds contexts that were pruned to what was promised.
type pressure struct {
	*testing.T
	what    string
	policy  lifecycle.Policy
	counter tree.Counter
	done    map[string]int
}

func (p *pressure) context(c *pact.Context) {
	p.Helper()
	log, err := logOf(c.Log(p.Context(), 0))
	must(p, err)
	reports := reportsOf(p.T, log)
	for s, err := range c.History(p.Context(), pact.Cycle(1), "latest") {
		must(p, err)
		what := fmt.Sprintf("%s, snapshot %d", p.what, s.Cycle())
		text, err := OpenAI(p.Context(), s)
		must(p, err)
		if faults := pairingFaults(p.T, text); len(faults) > 0 {
			p.Fatalf("%s: %q\n%s", what, faults, snapshotText(s))
		}
		p.pairs(what, s)
		p.done["snapshots"]++
		p.done["pruned"] += len(reports[s.Cycle()].Removed)
		p.done["stubs"] += len(reports[s.Cycle()].Stubs)
	}
}

// pairs: no call without a result behind it, no result without a call before.
func (p *pressure) pairs(what string, s *pact.Snapshot) {
	p.Helper()
	kinds, at := map[string]string{}, map[string]int{}
	refs := map[string][]string{}
	for entry := range sure.All(tree.Of(s).All()) {
		n := entry.Node()
		at[n.ID], kinds[n.ID] = len(at), n.Kind
		for _, to := range n.Refs {
			refs[n.ID] = append(refs[n.ID], to)
			refs[to] = append(refs[to], n.ID)
		}
	}
	for id, kind := range kinds {
		if kind != "call" && kind != "result" {
			continue
		}
		if !slices.ContainsFunc(refs[id], func(other string) bool {
			return kind == "call" && kinds[other] == "result" && at[other] > at[id] || kind == "result" &&
				kinds[other] == "call" && at[other] < at[id]
		}) {
			p.Fatalf("%s: the %s %s is alone\n%s", what, kind, id, snapshotText(s))
		}
	}
}
