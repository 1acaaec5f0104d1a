package librarytest

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// pairs is how many neighbours a comparison of sizes goes through: the cost of
// one pair depends a little on where in its run of siblings the new turn falls.
const pairs = 64

// contextOfSize returns a context of so many nodes of which none expires. All but the
// last turns come in one piece; the last pairs+1 snapshots are those of commits.
func contextOfSize(tb testing.TB, nodes int) *pact.Context {
	tb.Helper()
	const perTurn = 4 // the turn, its core and two blocks
	var list []tree.Placed
	put := func(parent int, n tree.Node) int {
		n.CreatedNS, n.Expiry = int64(len(list)), tree.Never
		list = append(list, tree.Placed{Node: tree.NewNode(n, nil), Parent: parent})
		return len(list) - 1
	}
	root := put(-1, tree.Node{ID: "root", Type: "^root"})
	put(root, tree.Node{ID: "sys", Type: "^sys"})
	seq := put(root, tree.Node{ID: "seq", Type: "^seq"})
	cycle := int64(0)
	for len(list)+1+perTurn*(pairs+1) < nodes {
		cycle++
		named := func(kind string, i int64) tree.Node {
			return tree.Node{ID: fmt.Sprintf("%s:%d-%d", kind, cycle, i), Type: kind, Cycle: cycle, Index: i}
		}
		core := put(put(seq, named("mt", 2)), named("mc", 3))
		for i := range int64(2) {
			n := named("cb", i)
			n.Content = tree.InMemory(`"hello"`)
			put(core, n)
		}
	}
	put(root, tree.Node{ID: "ah", Type: "^ah"})
	t, err := tree.Build(cycle, list)
	must(tb, err)
	contexts := engine.InMemory()
	s := dbtest.Of(contexts)
	_, err = contexts.Create(background, engine.Creation{Name: "grown", Edition: selector.V01, Tree: t, Imported: true,
		Stamps: tree.Stamps{Cycle: cycle + 1, LastNS: int64(len(list)), Given: cycle}})
	must(tb, err)
	c, err := pact.Open(background, s, "grown", &pact.OpenOptions{Clock: steps()})
	must(tb, err)
	for range pairs + 1 {
		commitTurn(tb, c, 2, 0)
	}
	if got := c.Working().Len(); got < nodes-perTurn || got > nodes {
		tb.Fatalf("the context has %d nodes, want about %d", got, nodes)
	}
	return c
}

// commitTurn commits a turn of so many blocks that stay and so many notes that are
// in three snapshots.
func commitTurn(tb testing.TB, c *pact.Context, blocks, notes int) {
	tb.Helper()
	_, err := c.Commit(background, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
		for i := range blocks + notes {
			s := pact.Spec{Role: "user", Kind: "text", Content: "hello"}
			if i >= blocks {
				s.TTL = new(int64(3))
			}
			b.Add("^ah", s)
		}
		return nil
	}})
	must(tb, err)
}

// neighbours compares the last pairs of adjacent snapshots and returns what
// was added in all.
func neighbours(tb testing.TB, c *pact.Context) int {
	added := 0
	last := c.Info().Cycle
	for newer := last; newer > last-pairs; newer-- {
		r, err := c.Diff(background, pact.Cycle(newer-1), pact.Cycle(newer), nil)
		must(tb, err)
		added += len(r.Added)
		if len(r.Removed) != 1 || len(r.Changed) != 0 {
			tb.Fatal(r)
		}
	}
	return added
}

// allocationsOf returns how often f allocates on the average, and how many bytes.
func allocationsOf(f func()) (allocs, bytes float64) {
	const runs = 3
	allocs = testing.AllocsPerRun(runs, f)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		f()
	}
	runtime.ReadMemStats(&after)
	return allocs, float64(after.TotalAlloc-before.TotalAlloc) / runs
}

// BenchmarkAdjacentDiffOfAMillion compares the two sizes.
func BenchmarkAdjacentDiffOfAMillion(b *testing.B) {
	small, large := contextOfSize(b, 1_000), contextOfSize(b, 1_000_000)
	alternately(b, "1000-nodes", "1000000-nodes", pairs, func() { neighbours(b, small) }, func() { neighbours(b, large) })
}

// alternately measures two things in turns, so that both meet the same machine, and
// reports their medians for one unit of what they do: what else runs on the
// machine counts little then.
func alternately(b *testing.B, first, second string, units int, f, g func()) {
	var of [2][]time.Duration
	for b.Loop() {
		start := time.Now()
		f()
		between := time.Now()
		g()
		of[0], of[1] = append(of[0], between.Sub(start)), append(of[1], time.Since(between))
	}
	var median [2]float64
	for i, d := range of {
		slices.Sort(d)
		median[i] = float64(d[len(d)/2].Nanoseconds()) / float64(units)
	}
	b.ReportMetric(median[0], "ns/"+first)
	b.ReportMetric(median[1], "ns/"+second)
	b.ReportMetric(median[1]/median[0], "ratio")
}

// noted returns a context of so many turns of two blocks and a note each.
func noted(tb testing.TB, turns int) *pact.Context {
	tb.Helper()
	c, err := pact.Create(background, pact.NewDB(store.NewMemory()), "noted",
		&pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: steps()}, Edition: selector.V01})
	must(tb, err)
	for range turns {
		commitTurn(tb, c, 2, 1)
	}
	return c
}

// ranges are the selectors of the cost tests. Each snapshot brings two blocks
// and a note, one note goes and the ttl of two runs down: 6 blocks change. In
// the newest three turns the other two blocks of the fourth go as well.
var ranges = []struct {
	selector string
	changes  int // from each snapshot to the next
}{
	{".cb", 6},
	{"^seq .mt:depth(1-3) .cb", 8},
}

// changesIn answers the range of the newest snapshots and counts the nodes
// that its blocks name.
func changesIn(tb testing.TB, c *pact.Context, snapshots int, text string) int {
	r, err := c.RangeDiffLatest(background, fmt.Sprintf("@t-%d..@t0 %s", snapshots-1, text), nil)
	must(tb, err)
	n := 0
	for _, d := range r.Diffs {
		n += d.Stats.Added + d.Stats.Removed + d.Stats.Changed
	}
	return n
}

// The cost of a range must follow what changed in it: neither the length of the
// context nor, for each change, the length of the range.
func TestRangeAllocatesForItsChanges(t *testing.T) {
	testrun.CountsAllocations(t)
	few, many := noted(t, 300), noted(t, 3_000)
	for _, r := range ranges {
		per := func(c *pact.Context, snapshots int) (allocs, bytes float64) {
			changes := changesIn(t, c, snapshots, r.selector)
			if changes != (snapshots-1)*r.changes {
				t.Fatalf("%s: %d changes in %d snapshots, want %d in each but the first", r.selector, changes, snapshots, r.changes)
			}
			allocs, bytes = allocationsOf(func() { changesIn(t, c, snapshots, r.selector) })
			return allocs / float64(changes), bytes / float64(changes)
		}
		allocs, bytes := per(few, 50)
		t.Logf("%s: %.1f allocations of %.0f B a change", r.selector, allocs, bytes)
		for _, snapshots := range []int{50, 500} {
			if a, s := per(many, snapshots); a > 1.5*allocs || s > 1.5*bytes {
				t.Errorf("%s: %.1f allocations of %.0f B a change in %d snapshots of 3,000 turns, %.1f of %.0f B in 50 of 300",
					r.selector, a, s, snapshots, allocs, bytes)
			}
		}
	}
}

// BenchmarkRange measures a change in a range of a short and of a long context;
// loading apart, since a store that is a file reads the whole context once,
// whatever the range.
func BenchmarkRange(b *testing.B) {
	short, long := noted(b, 1_000), noted(b, 10_000)
	for _, r := range ranges {
		for _, snapshots := range []int{100, 1_000} {
			b.Run(fmt.Sprintf("%s/snapshots=%d", r.selector, snapshots), func(b *testing.B) {
				ask := func(c *pact.Context) func() { return func() { changesIn(b, c, snapshots, r.selector) } }
				alternately(b, "1000-turns", "10000-turns", (snapshots-1)*r.changes, ask(short), ask(long))
			})
		}
	}
}
