package commit_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// long is a context of so many turns, in each a question, a call with its result
// and a note, of which the first so many are due at the first commit.
type long struct {
	tb      testing.TB
	tree    *tree.Tree
	stamps  tree.Stamps
	counted int
	in      commit.Input
}

func longContext(tb testing.TB, turns, due int) *long {
	tb.Helper()
	var nodes []tree.Placed
	put := func(parent int, n tree.Node, headers ...tree.Header) int {
		n.CreatedNS, n.Headers = int64(len(nodes)), headers
		if n.Expiry == 0 {
			n.Expiry = tree.Never
		}
		nodes = append(nodes, tree.Placed{Node: tree.NewNode(n, nil), Parent: parent})
		return len(nodes) - 1
	}
	kind := func(k string) tree.Header { return tree.Header{Name: "kind", Value: canon.String(k)} }
	refs := func(id string) tree.Header {
		return tree.Header{Name: "refs", Value: canon.Strings([]string{id})}
	}
	tags := tree.Header{Name: "tags", Value: canon.Strings([]string{"x"})}
	root := put(-1, tree.Node{ID: "root", Type: "^root"})
	put(put(root, tree.Node{ID: "sys", Type: "^sys"}), tree.Node{ID: "rule", Type: "block",
		Content: tree.InMemory(`"be brief"`)})
	seq := put(root, tree.Node{ID: "seq", Type: "^seq"})
	for i := range turns {
		turn := put(seq, tree.Node{ID: fmt.Sprint("turn", i), Type: "seg"})
		put(put(turn, tree.Node{ID: fmt.Sprint("core", i), Type: "cont"}), tree.Node{ID: fmt.Sprint("ask", i), Type: "block",
			Content: tree.InMemory(`"what is it"`)}, kind("text"))
		call, result := fmt.Sprint("call", i), fmt.Sprint("result", i)
		put(turn, tree.Node{ID: call, Type: "block", Offset: 1, Content: tree.InMemory(`"f"`)}, kind("call"), refs(result))
		put(turn, tree.Node{ID: result, Type: "block", Offset: 1, Content: tree.InMemory(`"a b c"`)}, kind("result"), refs(call))
		note := tree.Node{ID: fmt.Sprint("note", i), Type: "block", Offset: 2, Content: tree.InMemory(`"n"`)}
		if i%(turns/10) == 0 && due > 0 { // far from each other
			due--
			note.Expiry = int64(turns + 1)
		}
		put(turn, note, kind("text"), tags)
	}
	put(root, tree.Node{ID: "ah", Type: "^ah"})
	t, err := tree.Build(int64(turns), nodes)
	must(tb, err)
	l := &long{tb: tb, tree: t, stamps: tree.Stamps{Cycle: int64(turns + 1), LastNS: int64(len(nodes)), Given: -1}}
	l.in = commit.Input{Env: env(0), Counter: wordCounter{&l.counted}}
	return l
}

// manyLimits are limits of all sorts that nothing comes near.
func manyLimits() lifecycle.Policy {
	const far = 1 << 40
	p := lifecycle.Policy{MaxTokens: far, MaxBytes: far, MaxNodes: far, MaxTurns: far, ProtectTurns: far, Stub: "[...]"}
	for _, region := range []string{"", "^sys", "^seq", "^ah"} {
		for _, kind := range []string{"", "text", "call", "result"} {
			for _, tag := range []string{"", "x"} {
				if region+kind+tag != "" {
					p.Parts = append(p.Parts, lifecycle.Part{Region: region, Kind: kind, Tag: tag, MaxTokens: far, MaxBytes: far,
						MaxNodes: far})
				}
			}
		}
	}
	return p
}

// turn says something new, with a call and its result, and commits.
func (l *long) turn() lifecycle.Report {
	x := tree.Edit(context.Background(), l.tree.WithCycle(l.stamps.Cycle), l.tree, l.stamps, l.in.Env)
	n := l.stamps.Cycle
	call, result := fmt.Sprint("new call", n), fmt.Sprint("new result", n)
	for _, s := range []tree.Spec{
		{Content: "and what now", Kind: "text"}, {ID: call, Kind: "call", Offset: 1, Refs: []string{result}, Content: "g"},
		{ID: result, Kind: "result", Offset: 1, Refs: []string{call}, Content: "d e f"}, {Kind: "text", Tags: []string{"x"},
			Offset: 2, Content: "m"},
	} {
		if _, err := x.Add("^ah", s); err != nil {
			l.tb.Fatal(err)
		}
	}
	l.in.Before, l.in.Working, l.in.Stamps = l.tree, x.Tree(), x.Stamps
	t, stamps, report, err := commit.Run(context.Background(), l.in)
	if err != nil {
		l.tb.Fatal(err)
	}
	l.tree, l.stamps = t, stamps
	return report
}

// Without a limit in tokens nobody counts any, whatever else is limited, pruned
// or waited for.
func TestNothingIsCountedWithoutALimitInTokens(t *testing.T) {
	l := longContext(t, 100, 10)
	l.in.Policy = manyLimits()
	l.in.Policy.MaxTokens = 0
	l.in.Policy.Parts = slices.DeleteFunc(l.in.Policy.Parts, func(p lifecycle.Part) bool { return p.Region == "" })
	for i := range l.in.Policy.Parts {
		l.in.Policy.Parts[i].MaxTokens = 0
	}
	for _, change := range []func(p *lifecycle.Policy){
		func(p *lifecycle.Policy) {},
		func(p *lifecycle.Policy) { p.MaxNodes, p.ProtectTurns = 300, 3 },
		func(p *lifecycle.Policy) { p.MaxBytes, p.MinBytes = 10_000, 1_000_000 },
		func(p *lifecycle.Policy) { p.MaxTurns, p.MinBytes = 20, 1 },
	} {
		change(&l.in.Policy)
		l.turn()
		if l.counted > 0 {
			t.Fatalf("%d contents were counted under %+v", l.counted, l.in.Policy)
		}
	}
	if l.tree.Region(tree.Seq).Children().Len() > 20 {
		t.Error("nothing was pruned")
	}
}

// What is due costs what it is: ten nodes about ten times one, in a context of
// any length.
func TestCostOfWhatIsDue(t *testing.T) {
	testrun.CountsAllocations(t)
	testrun.Long(t, "builds a long history")
	allocs := map[string]float64{}
	for _, turns := range []int{1_000, 10_000} {
		for _, due := range []int{0, 1, 10} {
			l := longContext(t, turns, due)
			l.in.Policy = manyLimits()
			l.in.Working, l.in.Stamps = l.tree.WithCycle(l.stamps.Cycle), l.stamps
			var report lifecycle.Report
			n := testing.AllocsPerRun(20, func() { // the sums are there from the second on
				var err error
				if _, _, report, err = commit.Run(context.Background(), l.in); err != nil {
					t.Fatal(err)
				}
			})
			equal(t, "removed", len(report.Removed), due)
			t.Logf("%d nodes due after %d turns: %.0f allocations", due, turns, n)
			allocs[fmt.Sprint(turns, " ", due)] = n
		}
	}
	for _, due := range []string{"0", "1", "10"} {
		if few, many := allocs["1000 "+due], allocs["10000 "+due]; many > 1.8*few {
			t.Errorf("%s nodes due: %.0f allocations after 10,000 turns, %.0f after 1,000", due, many, few)
		}
	}
	one, ten := allocs["10000 1"]-allocs["10000 0"], allocs["10000 10"]-allocs["10000 0"]
	if ten > 12*one {
		t.Errorf("ten nodes due cost %.0f allocations more than none, one %.0f", ten, one)
	}
}
