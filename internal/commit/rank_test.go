package commit_test

import (
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// agentRun is four cycles of an agent: a task, two calls with their results and words, a
// question of the user, and a result that nobody has answered yet. Every content is 20 words.
func agentRun(t *testing.T) (*cycles, *tree.Tree) {
	s := beginCycles(t)
	block := func(id, role, kind string, offset int64, refs ...string) node {
		return node{id: id, into: role + " " + kind, offset: offset, refs: strings.Join(refs, " "), ttl: forever}
	}
	cycle := func(nodes ...node) *tree.Tree {
		return s.edit(func(x *tree.Editor) error {
			for _, n := range nodes {
				role, kind, _ := strings.Cut(n.into, " ")
				s.ids = append(s.ids, n.id)
				spec := tree.Spec{ID: n.id, Role: role, Kind: kind, Offset: n.offset, Refs: strings.Fields(n.refs),
					Content: strings.Repeat("word ", 20)}
				if _, err := x.Add("^ah", spec); err != nil {
					return err
				}
			}
			return nil
		})
	}
	s.commit(cycle(block("task", "user", "text", 0)), commit.Input{})
	s.commit(cycle(block("say1", "assistant", "text", 0), block("call1", "assistant", "call", 1),
		block("res1", "tool", "result", 1, "call1")), commit.Input{})
	s.commit(cycle(block("say2", "assistant", "text", 0), block("call2", "assistant", "call", 1),
		block("res2", "tool", "result", 1, "call2")), commit.Input{})
	s.commit(cycle(block("ask", "user", "text", 0)), commit.Input{})
	return s, cycle(block("say3", "assistant", "text", 0), block("call3", "assistant", "call", 1),
		block("res3", "tool", "result", 1, "call3"))
}

// What a limit takes from an agent's run, with a table and without. Each block has 20 tokens.
func TestRanksDecideWhatLimitsTakeFirst(t *testing.T) {
	ranks := map[string]int64{"result": -40, "call": -30, "assistant": -20, "user": -10}
	for _, c := range []struct {
		rule   string
		policy lifecycle.Policy
		left   string
	}{
		{"without a table the oldest goes first, and that is the task", lifecycle.Policy{MaxTokens: 200},
			"say1 call1 res1 say2 call2 res2 ask say3 call3 res3"},
		{"with one it is the oldest result", lifecycle.Policy{MaxTokens: 200, Ranks: ranks},
			"task say1 call1 say2 call2 res2 ask say3 call3 res3"},
		{"with its call, where pairs are to stay whole", lifecycle.Policy{MaxTokens: 200, Ranks: ranks, WholePairs: true},
			"task say1 say2 call2 res2 ask say3 call3 res3"},
		{"or where no half may stay alone", lifecycle.Policy{MaxTokens: 200, Ranks: ranks, Orphans: lifecycle.Refuse},
			"task say1 say2 call2 res2 ask say3 call3 res3"},
		{"then the next result, though words of the assistant are older",
			lifecycle.Policy{MaxTokens: 160, Ranks: ranks, WholePairs: true},
			"task say1 say2 ask say3 call3 res3"},
		{"then words of the assistant, the oldest first", lifecycle.Policy{MaxTokens: 120, Ranks: ranks},
			"task say2 ask say3 call3 res3"},
		{"then those of the user, whose first message is the oldest", lifecycle.Policy{MaxTokens: 80, Ranks: ranks},
			"ask say3 call3 res3"},
		{"unless that is protected", lifecycle.Policy{MaxTokens: 80, Ranks: ranks, ProtectTask: true},
			"task say3 call3 res3"},
		{"what nobody has answered goes after all that has a rank", lifecycle.Policy{MaxTokens: 60, Ranks: ranks},
			"say3 call3 res3"},
		{"a policy can have another table", lifecycle.Policy{MaxTokens: 180, Ranks: map[string]int64{"text": -10, "call": 1}},
			"say1 call1 res1 say2 call2 res2 say3 call3 res3"},
		{"the task can be protected without a table: a call is older than its turn",
			lifecycle.Policy{MaxTokens: 200, ProtectTask: true, WholePairs: true}, "task say1 say2 call2 res2 ask say3 call3 res3"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s, working := agentRun(t)
			left, report := s.commit(working, commit.Input{Policy: c.policy, Counter: wordCounter{}})
			equal(t, "what is left", left, c.left)
			equal(t, "limits that are exceeded", report.Budget, "")
		})
	}
}

// A protected task is named as the reason why a limit cannot be kept, and goes when asked
// for.
func TestTheTaskStaysUnlessSomebodyNamesIt(t *testing.T) {
	s, working := agentRun(t)
	turn := sure.Get(s.tree.Parent(sure.Get(s.tree.Parent("task"))))
	left, report := s.commit(working, commit.Input{Policy: lifecycle.Policy{MaxTokens: 1, ProtectTask: true},
		Counter: wordCounter{}})
	equal(t, "what is left", left, "task say3")
	var kept []lifecycle.Kept
	for _, h := range report.Kept {
		if h.ID == turn {
			kept = append(kept, h)
		}
	}
	equal(t, "held", kept, []lifecycle.Kept{{ID: turn, Reason: lifecycle.Pruned, Why: lifecycle.FirstMessage, By: "task"}})

	s, working = agentRun(t)
	left, _ = s.commit(working, commit.Input{Policy: lifecycle.Policy{ProtectTask: true},
		Prune: []string{sure.Get(s.tree.Parent(sure.Get(s.tree.Parent("task"))))}})
	equal(t, "what is left", left, "say1 call1 res1 say2 call2 res2 ask say3 call3 res3")
}

// A turn goes by the highest priority of its blocks with their ranks, its stubs aside, or
// by its own.
func TestTurnsGoByTheHighestOfTheirBlocks(t *testing.T) {
	ranks := map[string]int64{"note": -40, "assistant": -20, "user": -10}
	note := tree.Spec{Role: "user", Kind: "note"}
	answer := tree.Spec{Role: "assistant", Kind: "text"}
	question := tree.Spec{Role: "user", Kind: "text"}
	stub := tree.Spec{Role: "user", Kind: "stub", Priority: commit.StubPriority}
	dear := func(s tree.Spec, priority int64) tree.Spec { s.Priority = priority; return s }
	for _, c := range []struct {
		rule          string
		first, second []tree.Spec
		goes          string // of the two
	}{
		{"the rank of the kind before that of the role", []tree.Spec{answer}, []tree.Spec{note}, "second"},
		{"the highest counts", []tree.Spec{answer}, []tree.Spec{note, note, question}, "first"},
		{"equal ranks leave it to the age", []tree.Spec{question}, []tree.Spec{question}, "first"},
		{"a priority is added", []tree.Spec{dear(note, 21)}, []tree.Spec{answer}, "second"},
		{"and can be too little", []tree.Spec{dear(note, 19)}, []tree.Spec{answer}, "first"},
		{"a stub beside words does not count", []tree.Spec{answer}, []tree.Spec{note, stub}, "second"},
		{"a stub alone counts by its role", []tree.Spec{answer}, []tree.Spec{stub}, "first"},
		{"a turn without blocks has the priority 0", []tree.Spec{answer}, nil, "first"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s := beginCycles(t)
			var turns []string
			for _, specs := range [][]tree.Spec{c.first, c.second} {
				s.commit(s.edit(func(x *tree.Editor) error {
					for _, spec := range specs {
						if _, err := x.Add("^ah", spec); err != nil {
							return err
						}
					}
					return nil
				}), commit.Input{})
				all := s.tree.Region(tree.Seq).Children()
				turns = append(turns, sure.Get(all.At(all.Len()-1)).Node().ID)
			}
			s.commit(s.tree.WithCycle(s.stamps.Cycle), commit.Input{Policy: lifecycle.Policy{MaxTurns: 2, Ranks: ranks}})
			goes := ""
			for i, id := range turns {
				if !sure.Get(s.tree.Has(id)) {
					goes += []string{"first", "second"}[i]
				}
			}
			equal(t, "the turn that goes", goes, c.goes)
		})
	}
}
