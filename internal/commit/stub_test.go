package commit_test

import (
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// A turn that counts for no limit is passed over, and taken after all when a stub
// came into it that does.
func TestStubsMakeTurnsCount(t *testing.T) {
	s := beginCycles(t)
	for _, words := range []int{20, 0} {
		s.commit(s.edit(func(x *tree.Editor) error {
			_, err := x.Add("^ah", tree.Spec{Content: strings.Repeat("word ", words)})
			return err
		}), commit.Input{})
	}
	turns := s.tree.Region(tree.Seq).Children()
	second := sure.Get(turns.At(1)).Node().ID
	var nodes []tree.Placed
	at := map[string]int{"": -1}
	for p := range sure.All(s.tree.All()) {
		e, parent := p.Entry, p.Parent
		n := *e.Node()
		if n.ID == second {
			n.Priority = -1 // so it is looked at first
		}
		at[n.ID] = len(nodes)
		nodes = append(nodes, tree.Placed{Node: tree.NewNode(n, nil), Parent: at[parent]})
	}
	working, err := tree.Build(s.stamps.Cycle, nodes)
	if err != nil {
		t.Fatal(err)
	}
	// a stub has three
	policy := lifecycle.Policy{Stub: "left out here", Parts: []lifecycle.Part{{Region: "^seq", MaxTokens: 2}}}
	_, report := s.commit(working, commit.Input{Policy: policy, Counter: wordCounter{}})
	equal(t, "the budget", report.Budget, "")
	equal(t, "whether the second turn is there", sure.Get(s.tree.Has(second)), false)
}

// TestStubsOfTurns: a turn that goes leaves its stub before the next turn that
// stays, with a stamp of its own; that turn takes the stub along and leaves one in
// its turn; and a selector clears the last one away.
func TestStubsOfTurns(t *testing.T) {
	s := history(t)
	first, next := s.name("t1"), s.name("t2")
	working := func() *tree.Tree { return s.tree.WithCycle(s.stamps.Cycle) }
	long := lifecycle.Policy{Stub: "."}
	core := sure.Get(s.tree.Entry(next)).Core().Digest()
	last := s.stamps.LastNS
	_, report := s.commit(working(), commit.Input{Prune: []string{first}, Policy: long})
	equal(t, "stubs", len(report.Stubs), 1)
	equal(t, "whether the turn is gone", sure.Get(s.tree.Has(first)), false)
	stub := sure.Get(s.tree.Node(report.Stubs[0].ID))
	equal(t, "its place", []any{sure.Get(s.tree.Parent(stub.ID)), stub.Offset, stub.Priority}, []any{next, -1, 1<<53 - 1})
	equal(t, "its stamps", []any{stub.Cycle, stub.Index, stub.CreatedNS > last}, []any{4, 0, true})
	equal(t, "whether the core it stands before is as it was", sure.Get(s.tree.Entry(next)).Core().Digest(), core)

	_, report = s.commit(working(), commit.Input{Prune: []string{next}, Policy: long})
	equal(t, "stubs of the next turn", len(report.Stubs), 1)
	equal(t, "whether the first stub went with its turn", sure.Get(s.tree.Has(stub.ID)), false)
	second := report.Stubs[0].ID
	equal(t, "the place of the second", sure.Get(s.tree.Parent(second)), s.name("t3"))

	_, report = s.commit(working(), commit.Input{Chosen: []string{second}})
	equal(t, "held", report.Kept, []lifecycle.Kept(nil))
	equal(t, "whether it is gone, and its turn is not", []bool{sure.Get(s.tree.Has(second)), sure.Get(s.tree.Has(s.name("t3")))},
		[]bool{false, true})
}

// TestStubsGoByTheirOrder: the priority of stubs is all that has them go last.
func TestStubsGoByTheirOrder(t *testing.T) {
	s, working := told(t, "a user text a\nb user text b\nc user text c")
	nodes := []tree.Placed{}
	at := map[string]int{"": -1}
	for p := range sure.All(working.All()) {
		e, parent := p.Entry, p.Parent
		n := *e.Node()
		if n.ID == "c" {
			n.Priority = commit.StubPriority + 1
		}
		at[n.ID] = len(nodes)
		nodes = append(nodes, tree.Placed{Node: tree.NewNode(n, nil), Parent: at[parent]})
	}
	working, err := tree.Build(1, nodes)
	if err != nil {
		t.Fatal(err)
	}
	// Each is 91 bytes and a comma, a stub 60: 277 in all.
	left, report := s.commit(working, commit.Input{Policy: lifecycle.Policy{MaxBytes: 100, Stub: "."}})
	equal(t, "left, where a and b, then both their stubs have to go", left, "c")
	equal(t, "stubs", len(report.Stubs), 0)
}
