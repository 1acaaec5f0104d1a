package query_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// conversation is a tree of n sealed turns with a core and a user and an
// assistant block each.
func conversation(tb testing.TB, n int) *tree.Tree {
	tb.Helper()
	var nodes []tree.Placed
	add := func(parent int, id, kind, role string) int {
		node := tree.Node{ID: id, Type: kind, CreatedNS: int64(len(nodes)), Index: int64(len(nodes)), Expiry: tree.Never}
		if role != "" {
			node.Headers = []tree.Header{{Name: "kind", Value: `"text"`}, {Name: "role", Value: canon.String(role)}}
			node.Content = tree.InMemory(`"hello"`)
		}
		nodes = append(nodes, tree.Placed{Node: tree.NewNode(node, nil), Parent: parent})
		return len(nodes) - 1
	}
	root := add(-1, "root", "^root", "")
	add(root, "sys", "^sys", "")
	seq := add(root, "seq", "^seq", "")
	for i := range n {
		turn := add(seq, fmt.Sprintf("mt:%d", i), "mt", "")
		core := add(turn, fmt.Sprintf("mc:%d", i), "mc", "")
		add(core, fmt.Sprintf("u:%d", i), "cb", "user")
		add(core, fmt.Sprintf("a:%d", i), "cb", "assistant")
	}
	add(root, "ah", "^ah", "")
	t, err := tree.Build(int64(n), nodes)
	must(tb, err)
	return t
}

func run(tb testing.TB, t *tree.Tree, text string) query.Result {
	tb.Helper()
	plan, err := query.Compile(selector.MustParse(text, selector.Depth))
	must(tb, err)
	r, err := plan.Run(context.Background(), t)
	must(tb, err)
	return r
}

// What depth and id look at must not depend on the length of the history.
func TestDepthAndIDVisitTheSameNumberOfNodesAtEverySize(t *testing.T) {
	small, large := conversation(t, 1_000), conversation(t, 100_000)
	for _, c := range []struct{ small, large string }{
		{"^seq .mt:depth(1-3)", ""},
		{".mt:depth(1-3) .cb[role='user']", ""},
		{"^seq .mt:depth(2) .mc > .cb", ""},
		{"#u:500", "#u:50000"},
		{"^seq .mt .cb#u:500", "^seq .mt .cb#u:50000"},
		{"[id='a:7']", ""},
		{"#mt:500 .cb[role='user']", "#mt:50000 .cb[role='user']"},
	} {
		if c.large == "" {
			c.large = c.small
		}
		a, b := run(t, small, c.small), run(t, large, c.large)
		if a.Visited != b.Visited || len(a.IDs()) != len(b.IDs()) || len(a.IDs()) == 0 {
			t.Errorf("%s: visited %d of 1,000 turns and %d of 100,000, selected %d and %d", c.small, a.Visited, b.Visited,
				len(a.IDs()), len(b.IDs()))
		}
		if a.Visited > 20 {
			t.Errorf("%s: visited %d nodes", c.small, a.Visited)
		}
	}
}

func TestSummariesSkipWhatCannotMatch(t *testing.T) {
	large := conversation(t, 10_000)
	if r := run(t, large, ".cb[kind='no such kind']"); r.Visited > 10 {
		t.Errorf("a kind that does not occur: visited %d nodes", r.Visited)
	}
	if r := run(t, large, ".cb[role='user']"); len(r.IDs()) != 10_000 || r.Visited > 4*10_000+10 {
		t.Errorf("selected %d, visited %d", len(r.IDs()), r.Visited)
	}
}

// A step that asks for a class takes and leaves the items of a list without a
// look at those of another class.
func TestListsKnowClasses(t *testing.T) {
	tr := mixed(t, 100) // 50 cores, 50 turns without; 4 blocks a turn
	for text, want := range map[string]struct{ visited, found int }{
		"@t0 ^seq > .mt > .cb":       {2 + 100 + 250, 250},
		"@t0 ^seq > .mt > .mt":       {2 + 100, 0},
		"@t0 ^seq > .mt > .cb:first": {2 + 100 + 100, 100},
		"@t0 ^seq > .mt > .cb:last":  {2 + 100 + 100, 100},
	} {
		r := run(t, tr, text)
		if len(r.Nodes) != want.found || r.Visited != want.visited {
			t.Errorf("%s: found %d and visited %d, want %d and %d", text, len(r.Nodes), r.Visited, want.found, want.visited)
		}
	}
}

// mixed is a conversation of n turns, every other one with an elided core, with
// one block in all of them that has the kind once.
func mixed(tb testing.TB, n int) *tree.Tree {
	var b strings.Builder
	b.WriteString("^root root\n ^sys sys\n  block policy kind=once\n ^seq seq\n")
	for i := range n {
		indent := "   "
		fmt.Fprintf(&b, "  mt turn%d cycle=%d\n   cb p%d offset=-1 role=system tags=x\n", i, i, i)
		if i%2 == 0 {
			fmt.Fprintf(&b, "   mc c%d\n", i)
			indent = "    "
		}
		for _, role := range []string{"user", "assistant", "tool"} {
			fmt.Fprintf(&b, "%scb %s%d role=%s priority=%d\n", indent, role[:1], i, role, i%10)
		}
	}
	b.WriteString(" ^ah ah\n")
	return plant(tb, int64(n), b.String())
}
