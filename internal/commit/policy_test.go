package commit_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/lifecycle"
)

// Where stubs stand and where they do not.
func TestStubsStandWhereTheirPolicyAllows(t *testing.T) {
	const three = `
		c1 assistant call f r1
		c2 assistant call f r2
		c3 assistant call f r3
		r1@2 tool result a c1
		r2@2 tool result b c2
		r3@2 tool result c c3`
	for _, c := range []struct {
		rule, lines, named string
		thread             string // of ids, stubs by their roles
	}{
		{"at the offset of the first of a unit, behind what is there", "a user text a\nb user text b\nc@2 user text c", "a",
			"b (user) c"},
		{"not between parallel calls and their results", three, "c2", "c1 c3 r1 r3"},
		{"not before results either", three, "c3", "c1 c2 r1 r2"},
		{"behind results of the same offset", strings.ReplaceAll(three, "@2", ""), "c2", "c1 c3 r1 r3 (assistant)"},
		{"before words that a call follows", "t assistant text a\nc@2 assistant call f r\nr@2 tool result a c", "t",
			"(assistant) c r"},
		{"not between a call and words before its result",
			"c assistant call f r\nt assistant text a\nu@2 assistant text b\nr@2 tool result a c", "t", "c u r"},
		{"between two pairs", "c assistant call f r\nr assistant result a c\nt@2 user text a\n" +
			"d@3 assistant call f s\ns@3 tool result a d", "t", "c r (user) d s"},
		{"of ^sys for the system, though it says no role", "^sys/s - text a\nb user text b", "s", "(system) b"},
		{"of the user for other roles", "a other text a\nb - text b", "a b", "(user) (user)"},
		{"of the assistant for a tool", "a tool text a", "a", "(assistant)"},
		{"none for a stub", "a user stub a", "a", ""},
		{"none for what says nothing", "a user text -", "a", ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s, working := told(t, c.lines)
			s.commit(working, commit.Input{Policy: lifecycle.Policy{Stub: "."}, Prune: strings.Fields(c.named)})
			var thread []string
			for b := range sure.All(s.tree.Blocks(0)) {
				id := b.Node().ID
				if len(commit.StandsFor(b.Node())) > 0 {
					id = "(" + b.Node().Role + ")"
				}
				thread = append(thread, id)
			}
			if got := strings.Join(thread, " "); got != c.thread {
				t.Errorf("got %q, want %q", got, c.thread)
			}
		})
	}
}

// A limit that was kept is not exceeded for the sake of a stub, and a stub goes
// again where its limit cannot be kept otherwise.
func TestStubsKeepToLimits(t *testing.T) {
	const lines = "a user text a\nb user text b" // 91 bytes each, 185 in all; a stub has 60
	for _, c := range []struct {
		rule   string
		policy lifecycle.Policy
		stubs  int
		left   string
	}{
		{"there is room", lifecycle.Policy{MaxBytes: 160}, 1, "b"},
		{"for stubs alone", lifecycle.Policy{MaxBytes: 130}, 2, ""},
		{"for one of them", lifecycle.Policy{MaxBytes: 100}, 1, ""},
		{"for nothing", lifecycle.Policy{MaxBytes: 10}, 0, ""},
		{"of the stubs themselves there may be few", lifecycle.Policy{MaxBytes: 160,
			Parts: []lifecycle.Part{{Kind: "stub", MaxBytes: 20}}}, 0, "b"},
		{"of the stubs themselves there may be more", lifecycle.Policy{MaxBytes: 160,
			Parts: []lifecycle.Part{{Kind: "stub", MaxBytes: 200}}}, 1, "b"},
	} {
		s, working := told(t, lines)
		c.policy.Stub = "."
		left, report := s.commit(working, commit.Input{Policy: c.policy})
		if left != c.left || len(report.Stubs) != c.stubs || report.Budget != "" ||
			len(report.Removed) != 2-len(strings.Fields(left)) {
			t.Errorf("%s: left %q, report %+v", c.rule, left, report)
		}
	}
}

// What is reported is what is so in the end.
func TestReportOfPruning(t *testing.T) {
	s, working := told(t, "a user text a\nb user text b a\nc user text c")
	everything := commit.Input{Policy: lifecycle.Policy{MaxBytes: 1, MinBytes: 1 << 20}, Prune: []string{"a"},
		Chosen: []string{"ah", "ah"}}
	_, report := s.commit(working, everything)
	equal(t, "held, once each, with what was found last", report.Kept, []lifecycle.Kept{
		{ID: "ah", Reason: lifecycle.Pruned, Why: lifecycle.PartOfTurn}, {ID: "b", Reason: lifecycle.Pruned,
			Why: lifecycle.PruningWaits},
		{ID: "a", Reason: lifecycle.Pruned, Why: lifecycle.PruningWaits}, {ID: "c", Reason: lifecycle.Pruned,
			Why: lifecycle.PruningWaits},
	})

	s, working = told(t, "")
	_, report = s.commit(working, commit.Input{Policy: lifecycle.Policy{MaxBytes: 1}})
	if report.Budget != "max_bytes 1 is exceeded by 1: everything else is protected or part of a core" {
		t.Errorf("of a thread of two brackets it is said: %q", report.Budget)
	}

	s, working = told(t, "c assistant call f")
	before := s.tree
	_, report = s.commit(working, commit.Input{Before: before, Policy: lifecycle.Policy{MaxNodes: 1,
		Orphans: lifecycle.Drop}, Retained: func(string) bool { return false }})
	equal(t, "the budget when the orphan went", report.Budget, "")
}

// A turn that is taken out because it was rewritten goes although it is recent,
// and leaves nothing.
func TestRewritten(t *testing.T) {
	s := history(t)
	working := s.tree.WithCycle(s.stamps.Cycle)
	left, report := s.commit(working, commit.Input{Policy: lifecycle.Policy{ProtectTurns: 1, Stub: "."},
		Rewrite: []string{s.name("t3")}, Prune: []string{"late2"}})
	equal(t, "left", left, "ask1 late1 rule1 rule2 ask2 late2")
	equal(t, "the rule", report.Removed[0].Rule, "rewritten")
	equal(t, "held", report.Kept, []lifecycle.Kept{{ID: "late2", Reason: lifecycle.Pruned, Why: lifecycle.Recent}})
	equal(t, "stubs", len(report.Stubs), 0)

	s, working = told(t, "call assistant call f\nresult tool result g call")
	s.commit(working, commit.Input{})
	left, _ = s.commit(s.tree.WithCycle(s.stamps.Cycle), commit.Input{Rewrite: []string{"result"},
		Policy: lifecycle.Policy{ProtectTurns: 1, WholePairs: true}})
	equal(t, "left of a pair of which the conversation has the call alone", left, "call")
}

// A policy that means nothing, or that cannot be followed, is refused.
func TestPoliciesThatAreRefused(t *testing.T) {
	far := slices.Repeat([]lifecycle.Part{{MaxNodes: 1}}, 65)
	for _, p := range []lifecycle.Policy{
		{MaxNodes: -1}, {MaxTokens: -1}, {MaxBytes: -1}, {MaxTurns: -1}, {ProtectTurns: -1}, {MaxNodes: 1, MinTokens: -1},
		{MaxNodes: 1, MinBytes: -1}, {MaxNodes: 1, Every: -1},
		{Orphans: "maybe"}, {Parts: far}, {Parts: []lifecycle.Part{{}}}, {Parts: []lifecycle.Part{{Kind: "x"}}},
		{Parts: []lifecycle.Part{{MaxNodes: -1}}},
		{Parts: []lifecycle.Part{{Region: "^root", MaxNodes: 1}}}, {Parts: []lifecycle.Part{{Kind: "x", MaxTurns: 1}}},
		{Parts: []lifecycle.Part{{Region: "^ah", MaxTurns: 1}}},
		{MinBytes: 1}, {Every: 3}, {MaxTokens: 1}, {MaxNodes: 1, MinTokens: 1}, {Parts: []lifecycle.Part{{MaxTokens: 1}}},
	} {
		s, working := told(t, "a user text a")
		_, _, _, err := commit.Run(context.Background(), commit.Input{Working: working, Stamps: s.stamps, Env: s.env,
			Policy: p})
		if e, _ := err.(*fault.Error); e == nil || e.Code != fault.DocumentInvalid {
			t.Errorf("%+v: got %v", p, err)
		}
	}
	s, working := told(t, "a user text a")
	in := commit.Input{Working: working, Stamps: s.stamps, Env: s.env, Counter: wordCounter{},
		Policy: lifecycle.Policy{MaxTokens: 5, Tokenizer: "others"}}
	if _, _, _, err := commit.Run(context.Background(), in); err == nil {
		t.Error("a policy by another tokenizer was followed")
	}
}
