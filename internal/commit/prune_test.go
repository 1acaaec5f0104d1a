package commit_test

import (
	"context"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// history is three sealed turns t1 t2 t3 (as the cases call them), each with
// the core block ask1 ask2 ask3 and the block late1 late2 late3 behind it, and
// two rules in ^sys: 2 + 3·3 nodes, and 12 with the core of the turn to come.
func history(t *testing.T) *cycles {
	t.Helper()
	s := beginCycles(t)
	for _, n := range []string{"1", "2", "3"} {
		nodes := []node{{id: "ask" + n, into: "^ah", ttl: forever}, {id: "late" + n, into: "^ah", offset: 1, ttl: forever}}
		if n == "1" {
			nodes = append(nodes, node{id: "rule1", into: "^sys", ttl: forever}, node{id: "rule2", into: "^sys", ttl: forever})
		}
		s.commit(s.add(nodes), commit.Input{})
	}
	return s
}

// A commit that cannot be made is not made at all.
func TestFailedCommitLeavesNothingBehind(t *testing.T) {
	for _, c := range []struct {
		rule, named string
		taken       error
		code        fault.Code
		node        string
	}{
		{"pruning nobody", "late1 nobody", nil, fault.NodeNotFound, "nobody"},
		{"pruning a core", "late1 CORE", nil, fault.PlacementInvalid, "CORE"},
		{"pruning part of a core", "ask1", nil, fault.PlacementInvalid, "ask1"},
		{"pruning a region", "sys", nil, fault.PlacementInvalid, "sys"},
		{"pruning the root", "root", nil, fault.PlacementInvalid, "root"},
		{"pruning a group", "group", nil, fault.PlacementInvalid, "group"},
		{"a history that cannot be asked", "late1", fault.New(fault.Store, "away", ""), fault.Store, ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s := history(t)
			working := s.add([]node{{id: "x", into: "^ah", ttl: 0}, {id: "group", into: "^sys", group: true, ttl: forever}})
			core := sure.Get(s.tree.Parent("ask1"))
			in := commit.Input{Working: working, Stamps: s.stamps, Env: s.env,
				Prune: strings.Fields(strings.ReplaceAll(c.named, "CORE", core))}
			in.Stamps.Given = 99
			in.Env.Taken = func(string) (bool, error) { return false, c.taken }
			before := working.Digest()
			tr, stamps, report, err := commit.Run(context.Background(), in)
			e, _ := err.(*fault.Error)
			if e == nil || e.Code != c.code || e.Node != strings.ReplaceAll(c.node, "CORE", core) {
				t.Errorf("got %v\nwant %s on node %q", err, c.code, c.node)
			}
			if tr != nil || len(report.Removed) > 0 || len(report.Kept) > 0 {
				t.Errorf("a tree %v and a report %+v came with the error", tr != nil, report)
			}
			equal(t, "stamps", stamps, in.Stamps)
			equal(t, "digest of the input", working.Digest(), before)
		})
	}
}

func TestStubsAreText(t *testing.T) {
	policy := lifecycle.Policy{MaxNodes: 1, Stub: "caf\xe9"}
	if err := policy.Check(); fault.CodeOf(err) != fault.DocumentInvalid {
		t.Errorf("a stub that is no UTF-8: %v", err)
	}
}

// A pair of which one half is in a core goes by name where its turn is named, too.
func TestNamesTakeNoTurnsAlong(t *testing.T) {
	for _, withTurn := range []bool{false, true} {
		s, working := told(t, "c@0 assistant call f r\nr tool result a c\nq user text a")
		s.commit(working, commit.Input{})
		turn := sure.Get(s.tree.Path("r"))[2].Node().ID
		in := commit.Input{Prune: []string{"r"}}
		want := "c r q"
		if withTurn {
			in.Prune, want = append(in.Prune, turn), ""
		}
		left, report := s.commit(s.tree.WithCycle(s.stamps.Cycle), in)
		equal(t, "left", left, want)
		if !withTurn {
			equal(t, "held", report.Kept, []lifecycle.Kept{{ID: "r", Reason: lifecycle.Pruned, Why: lifecycle.PartOfTurn, By: turn}})
		}
	}
}

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
