package tree_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
)

// Costs are counted, never timed: allocations, bytes allocated, calls.

// long is a context of so many sealed turns, each of a core with a block, in
// the cycle after the last.
type long struct {
	tree   *tree.Tree
	stamps tree.Stamps
	env    tree.Env
}

func newLong(t testing.TB, turns int) long {
	t.Helper()
	var nodes []tree.Placed
	ns := int64(0)
	put := func(parent int, n tree.Node) int {
		ns++
		n.CreatedNS, n.Expiry = ns, max(n.Expiry, 0)
		if n.Expiry == 0 {
			n.Expiry = never
		}
		nodes = append(nodes, tree.Placed{Node: tree.NewNode(n, nil), Parent: parent})
		return len(nodes) - 1
	}
	root := put(-1, tree.Node{ID: "root", Type: "^root"})
	sys := put(root, tree.Node{ID: "sys", Type: "^sys"})
	for i := range 5 {
		put(sys, tree.Node{ID: fmt.Sprint("rule", i), Type: "block", Content: tree.InMemory(`"be kind"`)})
	}
	seq := put(root, tree.Node{ID: "seq", Type: "^seq"})
	for i := range turns {
		cycle := int64(i + 1)
		turn := put(seq, tree.Node{ID: fmt.Sprintf("seg:%d-1", cycle), Type: "seg", Cycle: cycle})
		core := put(turn, tree.Node{ID: fmt.Sprintf("cont:%d-2", cycle), Type: "cont", Cycle: cycle})
		put(core, tree.Node{ID: fmt.Sprintf("block:%d-0", cycle), Type: "block", Cycle: cycle, Content: tree.InMemory(`"hello"`)})
	}
	put(root, tree.Node{ID: "ah", Type: "^ah"})
	tr, err := tree.Build(int64(turns), nodes)
	must(t, err)
	return long{tr, tree.Stamps{Cycle: int64(turns + 1), LastNS: ns, Given: -1}, newModelTree().env()}
}

func (l long) edit() *tree.Editor {
	return tree.Edit(background, l.tree.WithCycle(l.stamps.Cycle), l.tree, l.stamps, l.env)
}

// turn adds a block and seals.
func (l long) turn(t testing.TB) long {
	t.Helper()
	x := l.edit()
	_, err := x.Add("^ah", tree.Spec{Content: "hi"})
	must(t, err)
	tr, stamps, err := tree.Seal(x.Tree(), x.Stamps, l.env)
	must(t, err)
	return long{tr, stamps, l.env}
}

// cost is the allocations of f, and their bytes, on the average.
func cost(f func()) (allocs, size float64) {
	const runs = 50
	allocs = testing.AllocsPerRun(runs, f)
	var a, b runtime.MemStats
	runtime.ReadMemStats(&a)
	for range runs {
		f()
	}
	runtime.ReadMemStats(&b)
	return allocs, float64(b.TotalAlloc-a.TotalAlloc) / runs
}

const (
	shortHistory = 1_000
	longHistory  = 30_000
)

func TestCostDoesNotGrowWithHistory(t *testing.T) {
	testrun.CountsAllocations(t)
	testrun.Long(t, "builds a long history")
	small, large := newLong(t, shortHistory), newLong(t, longHistory)
	smallNext, largeNext := small.turn(t), large.turn(t)
	id := func(l long, part string) string { return fmt.Sprintf(part, l.stamps.Cycle/2) }
	costs := []struct {
		what string
		do   func(l, next long)
		most float64 // allocations, 0 where only the growth matters
	}{
		{"add to ^ah", func(l, _ long) { l.edit().Add("^ah", tree.Spec{Content: "hi"}) }, 0},
		{"add to ^sys", func(l, _ long) { l.edit().Add("^sys", tree.Spec{Content: "hi"}) }, 0},
		{"attach to a turn in the middle", func(l, _ long) { l.edit().Add(id(l, "seg:%d-1"), tree.Spec{Offset: 1}) }, 0},
		{"a whole turn", func(l, _ long) { l.turn(t) }, 0},
		{"remove a turn in the middle", func(l, _ long) { sure.Get(l.tree.Without(id(l, "seg:%d-1"))) }, 0},
		{"compare with the next snapshot", func(l, next long) {
			sure.Done(tree.Compare(l.tree, next.tree,
				func(tree.Difference) bool { return true }))
		}, 20},
		{"shared blocks with the next snapshot", func(l, next long) { tree.SharedBlocks(l.tree, next.tree) }, 20},
		{"size of a prefix", func(l, _ long) { sure.Get2(l.tree.ThreadPrefix(int(l.stamps.Cycle / 2))) }, 5},
		{"the last block", func(l, _ long) {
			blocks, _ := l.tree.ThreadSize()
			sure.Get2(l.tree.BlockAt(blocks - 1))
		}, 60},
		{"path to a block in the middle", func(l, _ long) { sure.Get(l.tree.Path(id(l, "block:%d-0"))) }, 10},
		{"rank", func(l, _ long) { sure.Get(l.tree.Region(tree.Seq).Children().At(int(l.stamps.Cycle / 2))) }, 5},
	}
	for _, c := range costs {
		a, sizeA := cost(func() { c.do(small, smallNext) })
		b, sizeB := cost(func() { c.do(large, largeNext) })
		t.Logf("%-36s %6.0f allocations of %7.0f B at %d turns, %6.0f of %7.0f B at %d", c.what, a, sizeA, shortHistory, b,
			sizeB, longHistory)
		if b > 2*a+2 || sizeB > 3*sizeA+512 {
			t.Errorf("%s: got %.0f allocations of %.0f B after %d turns, want about the %.0f of %.0f B after %d", c.what, b,
				sizeB, longHistory, a, sizeA, shortHistory)
		}
		if c.most > 0 && b > c.most {
			t.Errorf("%s: got %.0f allocations, want at most %.0f", c.what, b, c.most)
		}
	}
	rankLooksAtFewRuns(t, large)
	compareFindsTheTurn(t, large, largeNext)
}

// rankLooksAtFewRuns counts the runs on the way to a turn and to a range.
func rankLooksAtFewRuns(t *testing.T, l long) {
	t.Helper()
	turns := l.tree.Region(tree.Seq).Children()
	most := 0
	for rank := 0; rank < turns.Len(); rank += 997 {
		runs := 0
		for range sure.All(turns.Visit(rank, rank+3, func(*tree.Summary) bool { runs++; return true })) {
		}
		most = max(most, runs)
	}
	t.Logf("three turns by rank among %d: at most %d runs", turns.Len(), most)
	if most > 12 {
		t.Errorf("three turns by rank among %d: got %d runs, want at most 12", turns.Len(), most)
	}
}

// compareFindsTheTurn counts what a comparison reports after one more turn:
// turn, core, block and two heads.
func compareFindsTheTurn(t *testing.T, l, next long) {
	t.Helper()
	calls := 0
	sure.Done(tree.Compare(l.tree, next.tree, func(tree.Difference) bool { calls++; return true }))
	equal(t, "differences after one turn", calls, 5)
	before, _ := l.tree.ThreadSize()
	equal(t, "shared blocks after one turn", tree.SharedBlocks(l.tree, next.tree), before)
}

// siblings begins a batch with so many drafts in ^ah, at one offset.
func siblings(tb testing.TB, n int) *tree.Editor {
	tb.Helper()
	x := newLong(tb, 1).edit()
	for i := range n {
		_, err := x.Add("^ah", tree.Spec{ID: fmt.Sprint("s", i), Offset: 1, Content: "hi"})
		must(tb, err)
	}
	return x
}

// Where few must follow, the siblings before them cost nothing.
func TestAnInsertionCostsThoseThatFollow(t *testing.T) {
	testrun.CountsAllocations(t)
	var bytes []float64
	for _, n := range []int{500, 32_000} {
		x := siblings(t, n)
		_, size := cost(func() {
			there := x.Tree().Region(tree.Head).Children().Len()
			_, before := x.AddAt(tree.Gap{Parent: "^ah", Edge: tree.Before, N: there - 3}, tree.Spec{Content: "hi"})
			_, last := x.AddAt(tree.Gap{Parent: "^ah", Edge: tree.End}, tree.Spec{Content: "hi"})
			if before != nil || last != nil {
				t.Fatal(before, last)
			}
		})
		bytes = append(bytes, size)
	}
	t.Logf("bytes allocated: %.0f", bytes)
	if bytes[1] > 2*bytes[0] {
		t.Errorf("got %.0f bytes among 32,000 siblings, want about the %.0f among 500", bytes[1], bytes[0])
	}
}
