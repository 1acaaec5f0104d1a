package commit_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// old is the working state after so many turns, in each a block with one of 64
// tags, and a group with a block that expires in a cycle of its own, so that one is
// due at every commit.
func old(t *testing.T, turns int) commit.Input {
	t.Helper()
	var nodes []tree.Placed
	put := func(parent int, n tree.Node) int {
		if n.CreatedNS = int64(len(nodes)); n.Expiry == 0 {
			n.Expiry = tree.Never
		}
		nodes = append(nodes, tree.Placed{Node: tree.NewNode(n, nil), Parent: parent})
		return len(nodes) - 1
	}
	root := put(-1, tree.Node{ID: "root", Type: "^root"})
	put(root, tree.Node{ID: "sys", Type: "^sys"})
	seq := put(root, tree.Node{ID: "seq", Type: "^seq"})
	for i := range turns {
		turn := put(seq, tree.Node{ID: fmt.Sprint("turn", i), Type: "seg"})
		put(put(turn, tree.Node{ID: fmt.Sprint("core", i), Type: "cont"}), tree.Node{ID: fmt.Sprint("block", i),
			Type:    "block",
			Headers: []tree.Header{{Name: "tags", Value: canon.Strings([]string{fmt.Sprint("tag", i%64)})}}})
		group := put(turn, tree.Node{ID: fmt.Sprint("group", i), Type: "cont", Offset: 1,
			Headers: []tree.Header{{Name: "removable", Value: "true"}}})
		put(group, tree.Node{ID: fmt.Sprint("note", i), Type: "block", Expiry: int64(turns + 1 + (i+turns/2)%turns)})
	}
	put(root, tree.Node{ID: "ah", Type: "^ah"})
	working, err := tree.Build(int64(turns+1), nodes)
	if err != nil {
		t.Fatal(err)
	}
	return commit.Input{
		Working: working,
		Stamps:  tree.Stamps{Cycle: int64(turns + 1), LastNS: int64(len(nodes)), Given: -1},
		Env:     env(0),
		Policy:  lifecycle.Policy{ProtectTurns: 5},
	}
}

// A rule that keeps nodes and chooses among siblings is asked once about the whole tree, however many
// candidates a limit tries.
func TestARuleThatKeepsIsAskedOnce(t *testing.T) {
	var asked []int
	for _, turns := range []int{20, 40} {
		in := old(t, turns)
		in.Before = in.Working
		in.Policy = lifecycle.Policy{MaxNodes: turns, Rules: []lifecycle.Rule{{Select: ".cb:first", Keep: true}}}
		n := 0
		in.Rules = []commit.CompiledRule{{Find: func(context.Context, *tree.Tree, []string, bool) ([]string, error) {
			n++
			return []string{"block0"}, nil
		}}}
		working, _, report, err := commit.Run(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		if !sure.Get(working.Has("block0")) || len(report.Removed) < turns {
			t.Errorf("the rule keeps block0: %v, and %d nodes went", sure.Get(working.Has("block0")), len(report.Removed))
		}
		asked = append(asked, n)
	}
	if asked[0] != asked[1] {
		t.Errorf("the rule was asked %v times for 20 and 40 turns", asked)
	}
}
