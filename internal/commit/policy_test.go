package commit_test

import (
	"context"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/lifecycle"
)

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

// A commit refuses a policy that cannot be followed, or not here: there is no counter, or another one.
func TestPoliciesThatAreRefused(t *testing.T) {
	for _, p := range []lifecycle.Policy{{MaxNodes: -1}, {MaxTokens: 1}, {MaxNodes: 1, MinTokens: 1},
		{Parts: []lifecycle.Part{{MaxTokens: 1}}}} {
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
