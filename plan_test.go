package pact_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// wordCounter counts a word as a token, and how often it is asked.
type wordCounter struct{ asked *int }

func (wordCounter) Name() string { return "words" }

func (w wordCounter) Count(text string) int {
	if w.asked != nil {
		*w.asked++
	}
	return len(strings.Fields(text))
}

// worker edits a context at random: texts, notes that expire, groups, calls and
// their answers, some of them late.
type worker struct {
	*rand.Rand
	*pact.Context
	t     *testing.T
	calls []string // without an answer so far
}

func (w *worker) work() {
	w.t.Helper()
	must(w.t, w.Edit(w.t.Context(), func(b *pact.Batch) error {
		for range 1 + w.IntN(5) {
			if err := w.step(b); err != nil {
				return err
			}
		}
		return nil
	}, nil))
}

func (w *worker) step(b *pact.Batch) error {
	words := strings.Repeat("word ", 1+w.IntN(20))
	s := pact.Spec{Role: choose(w.Rand, "user", "assistant", ""), Kind: "text", Content: words,
		Offset: int64(w.IntN(3) - 1), Priority: int64(w.IntN(3))}
	if w.IntN(3) == 0 {
		s.TTL = pact.TTL(int64(w.IntN(4)))
	}
	if w.IntN(4) == 0 {
		s.Tags = []string{"x"}
	}
	s.Pinned = w.IntN(15) == 0
	switch w.IntN(6) {
	case 0:
		g := b.Add("^ah", pact.Spec{Type: "cont", Offset: 1, Removable: true})
		b.Add(g, s)
		return nil
	case 1:
		b.Add("^sys", s)
		return nil
	case 2:
		s.Role, s.Kind, s.Offset = "assistant", "call", 1
		id := b.Add("^ah", s)
		err := b.Err()
		w.calls = append(w.calls, id)
		return err
	}
	if len(w.calls) > 0 && w.IntN(2) == 0 {
		call := w.calls[0]
		w.calls = w.calls[1:]
		if !b.Has(call) {
			return nil
		}
		b.AddResult(call, pact.Spec{Content: words})
		return nil
	}
	b.Add("^ah", s)
	return nil
}

// policy draws one, of little or much.
func (w *worker) policy() (p lifecycle.Policy) {
	few := func(n, one int) int {
		if w.IntN(one) > 0 {
			return 0
		}
		return 1 + w.IntN(n)
	}
	p = lifecycle.Policy{
		MaxTokens: few(400, 3), MaxBytes: few(5000, 3), MaxNodes: few(50, 4), MaxTurns: few(8, 5), ProtectTurns: few(3, 2),
		Stub: choose(w.Rand, "", "[...]"), Orphans: choose(w.Rand, lifecycle.Keep, lifecycle.Drop, lifecycle.Refuse),
	}
	if w.IntN(2) == 0 {
		p.Parts = []lifecycle.Part{{Kind: choose(w.Rand, "", "text", "result"), Tag: choose(w.Rand, "", "x"),
			Region: choose(w.Rand, "", "^sys", "^seq", "^ah"), MaxTokens: 1 + w.IntN(100)}}
		if w.IntN(3) == 0 {
			p.MinBytes, p.Every = few(500, 1), few(5, 2)
		}
	}
	return p
}

// A plan says exactly what the commit with the same options does, or fails as it
// does, and leaves no trace.
func TestPlanIsWhatTheCommitDoes(t *testing.T) {
	rounds := 60
	if thorough() {
		rounds = 1500
	}
	seen := map[string]int{}
	for seed := range rounds {
		readings := 0
		now := int64(0)
		clock := func() int64 { readings++; now += 10; return now }
		w := &worker{Rand: rand.New(rand.NewPCG(uint64(seed), 5)), t: t}
		w.Context = create(t, store.NewMemory(), pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: clock,
			Counter: wordCounter{}}})
		for range 12 {
			w.work()
			if nodes := slices.Collect(w.Working().Nodes()); w.IntN(4) == 0 {
				release, err := w.Retain(nodes[w.IntN(len(nodes))].ID)
				must(t, err)
				defer release()
			}
			pruning := &pact.Pruning{Policy: w.policy()}
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
func (w *worker) trace() string {
	w.t.Helper()
	log, err := logOf(w.Context)
	must(w.t, err)
	return fmt.Sprint(w.Revision(), len(log), w.Working().Digest(), w.Working().Cycle())
}

// comparePlan commits with the pruning of a plan, and without any pruning in a
// fork.
func (w *worker) comparePlan(seed int, plan *inspect.PrunePlan, planErr error, pruning *pact.Pruning,
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
		older, err = w.At(ctx, pact.Latest)
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
	if got := weigh(w.t, s); got != plan.After {
		w.t.Fatalf("seed %d: the plan foresaw %+v, and it is %+v", seed, plan.After, got)
	}
	if (plan.Cached == nil) != (older == nil) {
		w.t.Fatalf("seed %d: a prefix is said without a snapshot before, or the reverse", seed)
	}
	if older != nil {
		p, err := pact.SharePrefix(ctx, older, s)
		must(w.t, err)
		if p.Bytes != plan.Cached.With || plan.Cached.Lost != max(0, plan.Cached.Without-plan.Cached.With) {
			w.t.Fatalf("seed %d: %d bytes are shared, the plan says %+v", seed, p.Bytes, plan.Cached)
		}
		if plan.Cached.Lost > 0 {
			seen["lost"]++
		}
	}
	if report.Freed != nil {
		seen["pruned"]++
	}
	if report.Waiting != nil {
		seen["waiting"]++
	}
}

// weigh counts a snapshot node by node.
func weigh(t *testing.T, s *pact.Snapshot) (w inspect.Weight) {
	t.Helper()
	for e := range s.Tree().All() {
		switch e.Class() {
		case tree.Turn:
			w.Turns++
		case tree.Container:
			w.Nodes++
		case tree.Block:
			w.Nodes++
			w.Blocks++
			v, err := e.Node().Content.Value(context.Background())
			must(t, err)
			text, _ := v.Text()
			w.Tokens += int64(len(strings.Fields(text)))
		}
	}
	thread, err := s.Thread(t.Context())
	must(t, err)
	w.Bytes = int64(len(thread))
	return w
}
