package pact_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

// A plan says exactly what the commit with the same options does, or fails as it
// does, and leaves no trace.
func TestPlanPruningForeseesTheCommit(t *testing.T) {
	testrun.OneGoroutine(t)
	seen := map[string]int{}
	for seed := range testrun.Size(t, 60, 60, 1500) {
		readings := 0
		now := int64(0)
		clock := func() int64 { readings++; now += 10; return now }
		w := &randomEditor{Rand: rand.New(rand.NewPCG(uint64(seed), 5)), t: t}
		w.Context = create(t, pact.NewDB(store.NewMemory()), pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: clock,
			Counter: wordCounter{}}})
		for range 12 {
			w.editAtRandom()
			var nodes []pact.Node
			for n, err := range w.Working().Nodes() {
				must(t, err)
				nodes = append(nodes, n)
			}
			if w.IntN(4) == 0 {
				release, err := w.Retain(nodes[w.IntN(len(nodes))].ID)
				must(t, err)
				defer release()
			}
			pruning := &pact.Pruning{Policy: w.genPolicy()}
			if w.IntN(3) == 0 {
				pruning.Select = []string{"[tag='x']"}
			}
			before, planned := w.trace(), readings
			plan, planErr := w.PlanPruning(t.Context(), pruning)
			if after := w.trace(); after != before || readings != planned {
				t.Fatalf("seed %d: the plan changed the context, or read the clock\n%s\n%s", seed, before, after)
			}
			w.comparePlan(seed, plan, planErr, pruning, seen)
		}
	}
	t.Logf("what was seen, how often: %v", seen)
	for _, what := range []string{"refused", "pruned", "waiting", "lost"} {
		if seen[what] == 0 {
			t.Errorf("no plan had to do with: %s", what)
		}
	}
}

// trace is all that a plan could have changed.
func (w *randomEditor) trace() string {
	w.t.Helper()
	log, err := logOf(w.Context)
	must(w.t, err)
	return fmt.Sprint(w.Revision(), len(log), w.Working().Digest(), w.Working().Cycle())
}

// comparePlan commits with the pruning of a plan, and without any pruning in a
// fork.
func (w *randomEditor) comparePlan(seed int, plan *inspect.PrunePlan, planErr error, pruning *pact.Pruning,
	seen map[string]int) {
	w.t.Helper()
	ctx := w.t.Context()
	if planErr != nil {
		if _, err := w.Commit(ctx, &pact.CommitOptions{Pruning: pruning}); err == nil || err.Error() != planErr.Error() {
			w.t.Fatalf("seed %d: the plan failed with %v, the commit with %v", seed, planErr, err)
		}
		seen["refused"]++
		pruning = &pact.Pruning{Policy: lifecycle.Policy{Orphans: lifecycle.Keep}}
		var err error
		plan, err = w.PlanPruning(ctx, pruning)
		must(w.t, err)
	}
	first, last := w.Cycles()
	var older *pact.Snapshot
	if first <= last {
		var err error
		older, err = w.At(ctx, pact.Latest())
		must(w.t, err)
	}
	plain, err := w.PlanPruning(ctx, &pact.Pruning{Policy: lifecycle.Policy{Orphans: lifecycle.Keep}})
	must(w.t, err)
	if plain.After != plan.Before || older != nil && plain.Cached.With != plan.Cached.Without {
		w.t.Fatalf("seed %d: without pruning %+v, and a plan without it says %+v", seed, plan.Before, plain.After)
	}
	s, err := w.Commit(ctx, &pact.CommitOptions{Pruning: pruning})
	must(w.t, err)
	said, err := json.Marshal(plan.Report)
	must(w.t, err)
	report := *s.Report
	did, err := json.Marshal(report)
	must(w.t, err)
	if string(said) != string(did) || plan.Cycle != s.Cycle() {
		w.t.Fatalf("seed %d, cycle %d of %d:\nthe plan   %s\nthe commit %s", seed, plan.Cycle, s.Cycle(), said, did)
	}
	if got := modelWeight(w.t, s.Snapshot); got != plan.After {
		w.t.Fatalf("seed %d: the plan foresaw %+v, and it is %+v", seed, plan.After, got)
	}
	if (plan.Cached == nil) != (older == nil) {
		w.t.Fatalf("seed %d: a prefix is said without a snapshot before, or the reverse", seed)
	}
	if older != nil {
		p, err := pact.SharePrefix(ctx, older, s.Snapshot)
		must(w.t, err)
		if p.Bytes != plan.Cached.With || plan.Cached.Lost != max(0, plan.Cached.Without-plan.Cached.With) {
			w.t.Fatalf("seed %d: %d bytes are shared, the plan says %+v", seed, p.Bytes, plan.Cached)
		}
		if plan.Cached.Lost > 0 {
			seen["lost"]++
		}
	}
	if report.Savings != nil {
		seen["pruned"]++
	}
	if report.Postponed != nil {
		seen["waiting"]++
	}
}
