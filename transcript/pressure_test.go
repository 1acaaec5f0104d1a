package transcript

import (
	"bytes"
	"fmt"
	"iter"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tokens"
	"github.com/contexttree/pact/tree"
)

// wordCounter counts a word as a token.
type wordCounter struct{}

func (wordCounter) Name() string          { return "words" }
func (wordCounter) Count(text string) int { return len(strings.Fields(text)) }

// thorough takes all that a test has a sample of: PACT_THOROUGH=1.
func thorough() bool { return os.Getenv("PACT_THOROUGH") != "" }

// realConversations are those of the shared files, one in so many, or all.
func realConversations(t *testing.T, one int) (list []*Conversation) {
	t.Helper()
	dir := sharedData(t)
	files, err := filepath.Glob(filepath.Join(dir, "*.traj"))
	if err != nil || len(files) != 2 {
		t.Fatalf("%d runs: %v", len(files), err)
	}
	for _, path := range append(files, filepath.Join(dir, "tau-bench-gpt-4o-airline.json")) {
		read, err := Read(load(t, path))
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range read {
			if c.Shape == ShapeSWESmith {
				c.Name = filepath.Base(path)
			}
			if thorough() || len(read) == 1 || i%one == 0 {
				list = append(list, c)
			}
		}
	}
	return list
}

// Under whatever policy a real conversation is replayed: no snapshot has a call
// without its result or a result without its call, both providers would take
// every thread, what is protected is there, limits are kept or it is said why
// not, and the context holds.
func TestRealConversationsUnderPressure(t *testing.T) {
	done := map[string]int{}
	for i, c := range realConversations(t, 10) {
		rng := rand.New(rand.NewSource(int64(i)))
		whole, err := Import(t.Context(), store.NewMemory(), "whole", c, nil)
		if err != nil {
			t.Fatal(err)
		}
		rounds := 2
		if thorough() {
			rounds = 6
		}
		for round := range rounds {
			policy := drawPolicy(rng, whole)
			p := pressure{t, fmt.Sprintf("%s %s, round %d, under %+v", c.Shape, c.Name, round, policy), policy, wordCounter{},
				done, false}
			made, err := Import(t.Context(), store.NewMemory(), "pruned", c,
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

// The same with the tokens that OpenAI counts.
func TestRealConversationsUnderTokens(t *testing.T) {
	counter, err := tokens.Named("o200k_base")
	if err != nil {
		t.Fatal(err)
	}
	done := map[string]int{}
	for _, c := range realConversations(t, 40) {
		policy := lifecycle.Policy{MaxTokens: 3000, ProtectTurns: 2, MinTokens: 500, Every: 8,
			Stub: "[earlier messages left out]", Parts: []lifecycle.Part{{Kind: "result", MaxTokens: 1000}}}
		made, err := Import(t.Context(), store.NewMemory(), "pruned", c,
			&ImportOptions{CreateOptions: pact.CreateOptions{OpenOptions: pact.OpenOptions{Counter: counter}}, Policy: policy})
		if err != nil {
			t.Fatal(err)
		}
		p := pressure{t, c.Shape + " " + c.Name, policy, counter, done, false}
		p.context(made)
	}
	if done["pruned"] == 0 {
		t.Error("nothing was pruned")
	}
}

// drawPolicy draws a policy whose limits are some part of what a conversation
// has in the end.
func drawPolicy(rng *rand.Rand, whole *pact.Context) (p lifecycle.Policy) {
	tr := whole.Working().Tree()
	sum := tr.Root().Summary()
	_, size := tr.ThreadSize()
	words := 0
	for entry := range whole.Working().Tree().All() {
		n := entry.Node()
		words += len(strings.Fields(string(contentOfNode(n))))
	}
	some := func(of, one int) int {
		if rng.Intn(one) > 0 {
			return 0
		}
		return 1 + of*(5+rng.Intn(85))/100
	}
	pick := func(list ...string) string { return list[rng.Intn(len(list))] }
	p.MaxBytes, p.MaxTokens, p.MaxNodes, p.MaxTurns = some(int(size), 2), some(words, 2), some(sum.Nodes, 3),
		some(tr.Region(tree.Seq).Children().Len(), 4)
	for range rng.Intn(3) {
		part := lifecycle.Part{Kind: pick("result", "text", "call", "stub", ""), Region: pick("", "^seq", "^ah", "^sys")}
		if rng.Intn(2) == 0 {
			part.MaxTokens = 1 + words*rng.Intn(50)/100
		} else {
			part.MaxNodes = 1 + sum.Nodes*rng.Intn(50)/100
		}
		p.Parts = append(p.Parts, part)
	}
	p.ProtectTurns = rng.Intn(5)
	if rng.Intn(2) == 0 {
		p.Stub = pick("[...]", "[earlier messages were left out to save space]")
	}
	if rng.Intn(3) == 0 && (len(p.Parts) > 0 || p.MaxBytes+p.MaxTokens+p.MaxNodes+p.MaxTurns > 0) {
		p.MinTokens, p.MinBytes, p.Every = some(words/2, 2), some(int(size)/2, 2), some(9, 2)
	}
	p.Orphans = []lifecycle.Orphans{"", lifecycle.Keep, lifecycle.Refuse, lifecycle.Drop}[rng.Intn(4)]
	return p
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
	log, err := logOf(c.Log(p.Context()))
	if err != nil {
		p.Fatal(err)
	}
	reports := reportsOf(p.T, log)
	for s, err := range c.History(p.Context(), pact.Cycle(1), pact.Latest) {
		if err != nil {
			p.Fatal(err)
		}
		what := fmt.Sprintf("%s, snapshot %d", p.what, s.Cycle())
		text, err := OpenAI(p.Context(), s)
		if err != nil {
			p.Fatal(err)
		}
		if faults := pairingFaults(p.T, text); len(faults) > 0 {
			p.Fatalf("%s: %q\n%s", what, faults, drawing(s))
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
	for entry := range s.Tree().All() {
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
			p.Fatalf("%s: the %s %s is alone\n%s", what, kind, id, drawing(s))
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
	turns := slices.Collect(before.Tree().Region(tree.Seq).Children().All())
	kept := turns[max(0, len(turns)-p.policy.ProtectTurns):]
	if !slices.ContainsFunc(p.policy.Parts, func(part lifecycle.Part) bool { return part.Region == "^sys" }) {
		kept = append(kept, before.Tree().Region(tree.Sys))
	}
	for _, e := range kept {
		now := s.Tree().Entry(e.Node().ID)
		if now != nil { // but for the stubs of what stood before it
			var stubs []string
			for k := range now.Children().All() {
				if k.Node().Offset < 0 && len(lifecycle.StandsFor(k.Node())) > 0 && !before.Tree().Has(k.Node().ID) {
					stubs = append(stubs, k.Node().ID)
				}
			}
			now = s.Tree().Without(stubs...).Entry(e.Node().ID)
		}
		if now == nil || now.Digest() != e.Digest() {
			p.Fatalf("%s: the protected %s is not as it was\n%s", what, e.Node().ID, drawing(s))
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
	if err := c.ExportHistory(p.Context(), &lines, pact.Cycle(1), pact.Latest); err != nil {
		p.Fatal(err)
	}
	var backup bytes.Buffer
	if err := c.Backup(p.Context(), &backup); err != nil {
		p.Fatal(err)
	}
	for _, form := range []*bytes.Buffer{bytes.NewBuffer(slices.Clone(lines.Bytes())), &backup} {
		again, findings, err := pact.ImportHistory(p.Context(), store.NewMemory(), "again", form, nil)
		if err != nil || len(findings) > 0 {
			p.Fatalf("%s: %v %v", p.what, err, findings)
		}
		var same bytes.Buffer
		if err := again.ExportHistory(p.Context(), &same, pact.Cycle(1), pact.Latest); err != nil {
			p.Fatal(err)
		}
		if !bytes.Equal(same.Bytes(), lines.Bytes()) {
			p.Fatalf("%s: export and import gave other bytes", p.what)
		}
	}
}

// logOf collects a log.
func logOf(entries iter.Seq2[store.Entry, error]) (list []store.Entry, err error) {
	for e, failed := range entries {
		if failed != nil {
			return nil, failed
		}
		list = append(list, e)
	}
	return list, nil
}
