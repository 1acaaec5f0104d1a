package transcript

import (
	"bytes"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

// Under whatever policy a real conversation is replayed: no snapshot has a call
// without its result or a result without its call, both providers would take
// every thread, what is protected is there, limits are kept or it is said why
// not, and the context holds.
func TestRealConversationsUnderPressure(t *testing.T) {
	testrun.OneGoroutine(t)
	done := map[string]int{}
	for i, c := range realConversations(t, 10) {
		rng := rand.New(rand.NewSource(int64(i)))
		whole, err := Import(t.Context(), pact.NewDB(store.NewMemory()), "whole", c, nil)
		if err != nil {
			t.Fatal(err)
		}
		for round := range testrun.Size(t, 1, 2, 6) {
			policy := genPolicy(rng, whole)
			p := pressure{t, fmt.Sprintf("%s %s, round %d, under %+v", c.Shape(), c.Name, round, policy), policy, wordCounter{},
				done, false}
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
	for _, what := range []string{"snapshots", "pruned", "stubs", "waiting", "exceeded", "protected"} {
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
	expires bool // protection is from pruning alone
}

func (p *pressure) context(c *pact.Context) {
	p.Helper()
	before := (*pact.Snapshot)(nil)
	log, err := logOf(c.Log(p.Context(), 0))
	if err != nil {
		p.Fatal(err)
	}
	reports := reportsOf(p.T, log)
	for s, err := range c.History(p.Context(), pact.Cycle(1), pact.Latest()) {
		if err != nil {
			p.Fatal(err)
		}
		what := fmt.Sprintf("%s, snapshot %d", p.what, s.Cycle())
		text, err := OpenAI(p.Context(), s)
		if err != nil {
			p.Fatal(err)
		}
		if faults := pairingFaults(p.T, text); len(faults) > 0 {
			p.Fatalf("%s: %q\n%s", what, faults, snapshotText(s))
		}
		p.pairs(what, s)
		p.protected(what, before, s)
		p.limits(what, s, reports[s.Cycle()])
		p.done["snapshots"]++
		before = s
	}
	p.holds(c)
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

// protected: the last turns of the snapshot before are there in full, and ^sys,
// unless a limit is for it.
func (p *pressure) protected(what string, before, s *pact.Snapshot) {
	p.Helper()
	if before == nil || p.expires {
		return
	}
	turns := slices.Collect(sure.All(tree.Of(before).Region(tree.Seq).Children().All()))
	kept := turns[max(0, len(turns)-p.policy.ProtectTurns):]
	if !slices.ContainsFunc(p.policy.Parts, func(part lifecycle.Part) bool { return part.Region == "^sys" }) {
		kept = append(kept, tree.Of(before).Region(tree.Sys))
	}
	for _, e := range kept {
		now := sure.Get(tree.Of(s).Entry(e.Node().ID))
		if now != nil { // but for the stubs of what stood before it
			var stubs []string
			for k := range sure.All(now.Children().All()) {
				if k.Node().Offset < 0 && len(commit.StandsFor(k.Node())) > 0 && !sure.Get(tree.Of(before).Has(k.Node().ID)) {
					stubs = append(stubs, k.Node().ID)
				}
			}
			now = sure.Get(sure.Get(tree.Of(s).Without(stubs...)).Entry(e.Node().ID))
		}
		if now == nil || now.Digest() != e.Digest() {
			p.Fatalf("%s: the protected %s is not as it was\n%s", what, e.Node().ID, snapshotText(s))
		}
		p.done["protected"]++
	}
}

// holds verifies a context and sends it round through every form of export.
func (p *pressure) holds(c *pact.Context) {
	p.Helper()
	report, err := pact.Verify(p.Context(), c, nil)
	if err != nil || report.Defect != nil {
		p.Fatalf("%s: %v %+v", p.what, err, report)
	}
	var lines bytes.Buffer
	if err := c.ExportSnapshots(p.Context(), &lines, pact.Cycle(1), pact.Latest()); err != nil {
		p.Fatal(err)
	}
	var backup bytes.Buffer
	if err := c.Export(p.Context(), &backup); err != nil {
		p.Fatal(err)
	}
	for _, form := range []*bytes.Buffer{bytes.NewBuffer(slices.Clone(lines.Bytes())), &backup} {
		again, findings, err := pact.ImportHistory(p.Context(), pact.NewDB(store.NewMemory()), "again", form, nil)
		if err != nil || len(findings) > 0 {
			p.Fatalf("%s: %v %v", p.what, err, findings)
		}
		var same bytes.Buffer
		if err := again.ExportSnapshots(p.Context(), &same, pact.Cycle(1), pact.Latest()); err != nil {
			p.Fatal(err)
		}
		if !bytes.Equal(same.Bytes(), lines.Bytes()) {
			p.Fatalf("%s: export and import gave other bytes", p.what)
		}
	}
}
