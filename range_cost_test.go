package pact_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/query"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/sqlite"
	"github.com/contexttree/pact/tree"
)

// pairs is how many neighbours a comparison of sizes goes through: the cost of
// one pair depends a little on where in its run of siblings the new turn falls.
const pairs = 64

// grown returns a context of so many nodes of which none expires. All but the
// last turns come in one piece; the last pairs+1 snapshots are those of commits.
func grown(tb testing.TB, nodes int) *pact.Context {
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
			n.Content = tree.Hold(`"hello"`)
			put(core, n)
		}
	}
	put(root, tree.Node{ID: "ah", Type: "^ah"})
	t, err := tree.Build(cycle, list)
	must(tb, err)
	s := store.NewMemory()
	_, err = s.Create(background, store.Genesis{Name: "grown", Edition: string(pact.V01), Tree: t, Imported: true,
		Stamps: tree.Stamps{Cycle: cycle + 1, LastNS: int64(len(list)), Given: cycle}})
	must(tb, err)
	c, err := pact.Open(background, s, "grown", pact.WithClock(steps()))
	must(tb, err)
	for range pairs + 1 {
		speak(tb, c, 2, 0)
	}
	return c
}

// speak commits a turn of so many blocks that stay and so many notes that are
// in three snapshots.
func speak(tb testing.TB, c *pact.Context, blocks, notes int) {
	tb.Helper()
	_, err := c.Commit(background, pact.WithEdit(func(b *pact.Batch) error {
		for i := range blocks + notes {
			s := pact.Spec{Role: "user", Kind: "text", Content: "hello"}
			if i >= blocks {
				s.TTL = pact.TTL(3)
			}
			if _, err := b.Add("^ah", s); err != nil {
				return err
			}
		}
		return nil
	}))
	must(tb, err)
}

// neighbours compares the last pairs of adjacent snapshots and returns what
// was added in all.
func neighbours(tb testing.TB, c *pact.Context) int {
	added := 0
	for k := range int64(pairs) {
		r, err := c.Diff(background, pact.Back(k+1), pact.Back(k), nil)
		must(tb, err)
		added += len(r.Added)
		if len(r.Removed) != 1 || len(r.Changed) != 0 {
			tb.Fatal(r)
		}
	}
	return added
}

func thousandAndMillion(tb testing.TB) (small, large *pact.Context) {
	tb.Helper()
	small, large = grown(tb, 1_000), grown(tb, 1_000_000)
	for c, want := range map[*pact.Context]int{small: 1_000, large: 1_000_000} {
		if got := c.Working().Tree().Len(); got < want-4 || got > want {
			tb.Fatalf("the context has %d nodes, want about %d", got, want)
		}
	}
	return small, large
}

// A turn brings itself, its core, two blocks and the next active head, and the
// last head goes. Finding that must take as many allocations in a tree of a
// million nodes as in one of a thousand.
func TestAdjacentDiffAllocatesTheSameAtEverySize(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a tree of a million nodes")
	}
	small, large := thousandAndMillion(t)
	allocs := func(c *pact.Context) float64 {
		if added := neighbours(t, c); added != 5*pairs {
			t.Fatalf("%d nodes were added in %d snapshots, want 5 in each", added, pairs)
		}
		return testing.AllocsPerRun(5, func() { neighbours(t, c) }) / pairs
	}
	few, many := allocs(small), allocs(large)
	t.Logf("%.1f allocations for an adjacent diff at 1,000 nodes, %.1f at 1,000,000", few, many)
	if few != many {
		t.Errorf("an adjacent diff allocates %.1f times at 1,000 nodes and %.1f times at 1,000,000", few, many)
	}
}

// The two sizes are measured in turns, so that both meet the same machine, and
// the medians compared, so that what else runs on it counts little.
func BenchmarkAdjacentDiffOfAMillion(b *testing.B) {
	small, large := thousandAndMillion(b)
	var few, many []time.Duration
	for b.Loop() {
		start := time.Now()
		neighbours(b, small)
		between := time.Now()
		neighbours(b, large)
		few, many = append(few, between.Sub(start)), append(many, time.Since(between))
	}
	each := func(d []time.Duration) float64 {
		slices.Sort(d)
		return float64(d[len(d)/2].Nanoseconds()) / pairs
	}
	b.ReportMetric(each(few), "ns/1000-nodes")
	b.ReportMetric(each(many), "ns/1000000-nodes")
	b.ReportMetric(each(many)/each(few), "ratio")
}

// noted returns a context of so many turns of two blocks and a note each.
func noted(tb testing.TB, turns int) *pact.Context {
	tb.Helper()
	c, err := pact.Create(background, store.NewMemory(), "noted", pact.WithEdition(pact.V01), pact.WithClock(steps()))
	must(tb, err)
	for range turns {
		speak(tb, c, 2, 1)
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
func changesIn(tb testing.TB, c *pact.Context, snapshots int, selector string) int {
	q, err := c.Parse(fmt.Sprintf("@t-%d..@t0 %s", snapshots-1, selector))
	must(tb, err)
	r, err := c.RangeDiffLatest(background, q)
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
	long := 10_000
	if testing.Short() {
		long = 4_000
	}
	few, many := noted(t, 1_000), noted(t, long)
	for _, r := range ranges {
		allocs := func(c *pact.Context, snapshots int) float64 {
			changes := changesIn(t, c, snapshots, r.selector)
			if changes != (snapshots-1)*r.changes {
				t.Fatalf("%s: %d changes in %d snapshots, want %d in each but the first", r.selector, changes, snapshots, r.changes)
			}
			return testing.AllocsPerRun(2, func() { changesIn(t, c, snapshots, r.selector) }) / float64(changes)
		}
		base, longer, wider := allocs(few, 100), allocs(many, 100), allocs(many, 1_000)
		t.Logf("%-24s %.1f allocations a change at 1,000 turns, %.1f at %d, %.1f in 1,000 snapshots", r.selector, base, longer, long, wider)
		if longer > 1.5*base || wider > 1.5*base {
			t.Errorf("%s: %.1f allocations a change in 100 snapshots of 1,000 turns, %.1f of %d turns, %.1f in 1,000 snapshots",
				r.selector, base, longer, long, wider)
		}
	}
}

// What allocates nothing is counted: the nodes that the selector is put to in
// the newest snapshots, as a range puts it.
func TestRangeVisitsTheSameAtEverySize(t *testing.T) {
	for _, r := range ranges {
		var visited [2]int
		for i, turns := range []int{200, 3_000} {
			c := noted(t, turns)
			q, err := c.Parse(r.selector)
			must(t, err)
			plan, err := query.Compile(q)
			must(t, err)
			visited[i] = visits(t, plan, c)
		}
		t.Logf("%-24s %d nodes visited in 100 snapshots of 200 turns, %d of 3,000", r.selector, visited[0], visited[1])
		if visited[0] != visited[1] {
			t.Errorf("%s: a range of 100 snapshots visits %d nodes at 200 turns, %d at 3,000", r.selector, visited[0], visited[1])
		}
	}
}

func visits(t *testing.T, plan *query.Plan, c *pact.Context) int {
	t.Helper()
	n := 0
	var last *tree.Tree
	for s, err := range c.History(background, pact.Back(99), pact.Latest) {
		must(t, err)
		now := s.Tree()
		if !plan.Local() {
			r, err := plan.Run(background, now)
			must(t, err)
			n += r.Visited
			continue
		}
		if last != nil {
			var ids []string
			tree.Compare(last, now, func(d tree.Difference) bool {
				if d.New != nil {
					ids = append(ids, d.New.ID)
				}
				return true
			})
			r, err := plan.Among(background, now, ids)
			must(t, err)
			n += r.Visited
		}
		last = now
	}
	return n
}

// BenchmarkRange measures a change in a range; loading apart, since a store
// that is a file reads the whole context once, whatever the range.
func BenchmarkRange(b *testing.B) {
	for _, turns := range []int{1_000, 10_000} {
		c := noted(b, turns)
		for _, r := range ranges {
			for _, snapshots := range []int{100, 1_000} {
				b.Run(fmt.Sprintf("%s/turns=%d/snapshots=%d", r.selector, turns, snapshots), func(b *testing.B) {
					changes := 0
					for b.Loop() {
						changes += changesIn(b, c, snapshots, r.selector)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(changes), "ns/change")
				})
			}
		}
	}
}

// BenchmarkLoadRange measures what a store takes to bring 1,000 snapshots.
func BenchmarkLoadRange(b *testing.B) {
	for _, turns := range []int{1_000, 10_000} {
		inMemory := noted(b, turns)
		file, err := sqlite.Open(background, filepath.Join(b.TempDir(), "noted.db"))
		must(b, err)
		b.Cleanup(func() { file.Close() })
		inFile, err := inMemory.Copy(background, file, "noted")
		must(b, err)
		for name, c := range map[string]*pact.Context{"memory": inMemory, "sqlite": inFile} {
			for _, snapshots := range []int64{2, 100, 1_000} {
				b.Run(fmt.Sprintf("%s/turns=%d/snapshots=%d", name, turns, snapshots), func(b *testing.B) {
					for b.Loop() {
						n := int64(0)
						for _, err := range c.History(background, pact.Back(snapshots-1), pact.Latest) {
							must(b, err)
							n++
						}
						if n != snapshots {
							b.Fatal(n)
						}
					}
				})
			}
		}
	}
}
