package librarytest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// keep returns an edit that keeps a policy with a context.
func keep(p *lifecycle.Policy) func(*pact.Batch) error {
	return func(b *pact.Batch) error {
		b.KeepPolicy(p)
		return nil
	}
}

func turnIDs(t *testing.T, c *pact.Context) string {
	t.Helper()
	list := ids(t, c, "^seq > *")
	return strings.Join(list, " ")
}

// A kept policy decides as the same policy does if every commit is given it: the snapshots
// differ in the root alone.
func TestKeptPolicyDecidesAsAGivenOne(t *testing.T) {
	for _, edition := range []selector.Edition{selector.V01, selector.Depth, selector.Canonical} {
		for seed := range uint64(8) {
			r := rand.New(rand.NewPCG(seed, 88))
			policy := lifecycle.Policy{MaxNodes: 6 + r.IntN(20), ProtectTurns: r.IntN(3), ProtectTask: r.IntN(2) == 0,
				Ranks: map[string]int64{"result": -4}, MinBytes: r.IntN(2) * 40, Orphans: lifecycle.Drop}
			options := pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: steps()}, Edition: edition}
			given := create(t, pact.NewDB(store.NewMemory()), options)
			options.Clock = steps()
			kept := create(t, pact.NewDB(store.NewMemory()), options)
			must(t, kept.Edit(background, keep(&policy), nil))
			for turn := range 12 {
				edit := func(b *pact.Batch) error {
					for range 1 + turn%3 {
						call := b.Add("^ah", pact.Spec{Role: "assistant", Kind: "call", Offset: 1, Content: turn})
						b.AddResult(call, pact.Spec{Content: fmt.Sprint("result ", turn), Priority: int64(turn % 2)})
					}
					return nil
				}
				want, err := given.Commit(background, &pact.CommitOptions{Edit: edit, Pruning: &pact.Pruning{Policy: policy}})
				must(t, err)
				var pruning *pact.Pruning
				if turn%2 == 0 {
					pruning = &pact.Pruning{}
				}
				got, err := kept.Commit(background, &pact.CommitOptions{Edit: edit, Pruning: pruning})
				must(t, err)
				d, err := pact.Diff(background, want.Snapshot, got.Snapshot, nil)
				must(t, err)
				if len(d.Added)+len(d.Removed) > 0 || len(d.Changed) != 1 || d.Changed[0].ID != "root" ||
					!reflect.DeepEqual(d.Changed[0].Fields, []string{"pact:policy"}) {
					t.Fatalf("%s, seed %d, turn %d: %+v", edition, seed, turn, d)
				}
				if jsonText(t, want.Report) != jsonText(t, got.Report) ||
					thread(t, given, "latest") != thread(t, kept, "latest") {
					t.Fatalf("%s, seed %d, turn %d: the report or the thread differs", edition, seed, turn)
				}
			}
		}
	}
}

func TestAPolicyGivenToACommitComesBeforeTheKeptOne(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()))
	must(t, c.Edit(background, keep(&lifecycle.Policy{MaxTurns: 1}), nil))
	for i, p := range []*pact.Pruning{nil, nil, {WithoutKept: true}, {Policy: lifecycle.Policy{MaxTurns: 5}},
		{Select: []string{"[role='tool']"}}} {
		_, err := c.Commit(background, &pact.CommitOptions{Edit: say("turn"), Pruning: p})
		must(t, err)
		if got, want := len(strings.Fields(turnIDs(t, c))), []int{1, 1, 2, 3, 1}[i]; got != want {
			t.Errorf("after commit %d there are %d turns, want %d", i+1, got, want)
		}
	}
	plan, err := c.PlanPruning(background, "working", nil)
	must(t, err)
	if plan.After.Turns != 1 || plan.Before.Turns != 2 {
		t.Errorf("a plan without a policy has %+v, then %+v", plan.Before, plan.After)
	}
	candidate, err := c.Prepare(background, nil)
	must(t, err)
	published, err := c.Commit(background, nil)
	must(t, err)
	if candidate.Digest() != published.Digest() || len(strings.Fields(turnIDs(t, c))) != 1 {
		t.Error("a prepared candidate does not follow the kept policy")
	}
}

func TestKeptPolicyThatCannotBeFollowed(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()))
	err := c.Edit(background, keep(&lifecycle.Policy{MaxTurns: -1}), nil)
	if fault.CodeOf(err) != fault.DocumentInvalid {
		t.Errorf("keeping a policy with a negative limit gives %v", err)
	}
	must(t, c.Edit(background, keep(&lifecycle.Policy{MaxTokens: 9}), nil))
	if _, err := c.Commit(background, nil); fault.CodeOf(err) != fault.DocumentInvalid {
		t.Errorf("a commit without a counter gives %v", err)
	}
	foreign := create(t, pact.NewDB(store.NewMemory()), pact.CreateOptions{Attrs: map[string]any{"pact:policy": "less, please"}})
	_, err = foreign.Working().Policy()
	if _, commit := foreign.Commit(background, nil); fault.CodeOf(err) != fault.DocumentInvalid || commit == nil {
		t.Errorf("an attribute that is no policy gives %v, and a commit %v", err, commit)
	}
	must(t, foreign.Edit(background, keep(nil), nil))
	_, err = foreign.Commit(background, nil)
	must(t, err)
}

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
			plan, planErr := w.PlanPruning(t.Context(), "working", pruning)
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
	return fmt.Sprint(w.Info().Revision, len(log), w.Working().Digest(), w.Working().Cycle())
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
		plan, err = w.PlanPruning(ctx, "working", pruning)
		must(w.t, err)
	}
	first, last := w.Info().First, w.Info().Cycle
	var older *pact.Snapshot
	if first <= last {
		var err error
		older, err = w.At(ctx, "latest")
		must(w.t, err)
	}
	plain, err := w.PlanPruning(ctx, "working", &pact.Pruning{Policy: lifecycle.Policy{Orphans: lifecycle.Keep}})
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
		if p.Bytes != plan.Cached.With || plan.Cached.LostBytes != max(0, plan.Cached.Without-plan.Cached.With) {
			w.t.Fatalf("seed %d: %d bytes are shared, the plan says %+v", seed, p.Bytes, plan.Cached)
		}
		if plan.Cached.LostBytes > 0 {
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

// randomEditor edits a context at random: texts, notes that expire, groups, calls and
// their answers, some of them late.
type randomEditor struct {
	*rand.Rand
	*pact.Context
	t     *testing.T
	calls []string // without an answer so far
}

func (w *randomEditor) editAtRandom() {
	w.t.Helper()
	must(w.t, w.Edit(w.t.Context(), func(b *pact.Batch) error {
		for range 1 + w.IntN(5) {
			if err := w.addAtRandom(b); err != nil {
				return err
			}
		}
		return nil
	}, nil))
}

func (w *randomEditor) addAtRandom(b *pact.Batch) error {
	words := strings.Repeat("word ", 1+w.IntN(20))
	s := pact.Spec{Role: choose(w.Rand, "user", "assistant", ""), Kind: "text", Content: words,
		Offset: int64(w.IntN(3) - 1), Priority: int64(w.IntN(3))}
	if w.IntN(3) == 0 {
		s.TTL = new(int64(w.IntN(4)))
	}
	if w.IntN(4) == 0 {
		s.Tags = []string{"x"}
	}
	s.Pinned = w.IntN(15) == 0
	switch w.IntN(6) {
	case 0:
		g := b.Add("^ah", pact.Spec{NodeType: "cont", Offset: 1, Removable: true})
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

// genPolicy draws one, of little or much.
func (w *randomEditor) genPolicy() (p lifecycle.Policy) {
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

// modelWeight counts a snapshot node by node.
func modelWeight(t *testing.T, s *pact.Snapshot) (w inspect.Weight) {
	t.Helper()
	for e := range sure.All(tree.Of(s).All()) {
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
