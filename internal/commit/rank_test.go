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
