package librarytest

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// changingHistory makes a context of so many turns in which sealed turns go on changing:
// notes expire in them, others are attached later and removed again, and some
// turns are pruned.
func changingHistory(t *testing.T, turns int) *pact.Context {
	t.Helper()
	c := create(t, pact.NewDB(store.NewMemory()), pact.CreateOptions{Edition: selector.Canonical})
	var sealed, notes []string
	for i := range turns {
		must(t, c.Edit(background, func(b *pact.Batch) error {
			for _, s := range []pact.Spec{
				{Content: fmt.Sprint("hello ", i), Role: "user"},
				{Content: "expires", Offset: 1, TTL: int64(1 + i%5)},
			} {
				b.Add("^ah", s)
			}
			if at := i / 2; i%4 == 3 && b.Has(sealed[at]) {
				id := b.Add(sealed[at], pact.Spec{Content: "late", Offset: 2})
				notes = append(notes, id)
			}
			if i%8 == 7 && b.Has(notes[len(notes)/2]) {
				b.Remove(notes[len(notes)/2])
			}
			return nil
		}, nil))
		var pruning pact.Pruning
		if i%16 == 15 {
			pruning.IDs = []string{sealed[i/3]}
		}
		s, err := c.Commit(background, &pact.CommitOptions{Pruning: &pruning})
		must(t, err)
		list := tree.Of(s).Region(tree.Seq).Children()
		sealed = append(sealed, sure.Get(list.At(list.Len()-1)).Node().ID)
	}
	return c
}

// A history is the canonical documents of its snapshots, whatever is kept from
// one to the next.
func TestExportedHistoryIsItsSnapshots(t *testing.T) {
	c := changingHistory(t, 300)
	var out bytes.Buffer
	must(t, c.ExportSnapshots(background, &out, pact.Cycle(1), pact.Latest()))
	lines := bytes.Split(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n"))
	if len(lines) != 300 {
		t.Fatalf("got %d lines, want 300", len(lines))
	}
	for i, line := range lines {
		want, err := documentOf(background, snapshotAt(t, c, pact.Cycle(int64(i+1))))
		must(t, err)
		if !bytes.Equal(line, want) {
			t.Fatalf("line %d is not the document of its snapshot", i+1)
		}
	}
}

// A history renders each turn once, and those in which something expires as
// long as they show it: four times the turns, about four times the work, though
// the bytes grow by sixteen.
func TestExportedHistoryRendersWhatChanged(t *testing.T) {
	testrun.CountsAllocations(t)
	var allocations, written []float64
	for _, turns := range []int{100, 400} {
		c := changingHistory(t, turns)
		var n counting
		allocations = append(allocations, testing.AllocsPerRun(3, func() {
			n = 0
			must(t, c.ExportSnapshots(background, &n, pact.Cycle(1), pact.Latest()))
		}))
		written = append(written, float64(n))
	}
	t.Logf("allocations %.0f, bytes %.0f", allocations, written)
	if allocations[1] > 6*allocations[0] || written[1] < 12*written[0] {
		t.Errorf("400 turns: %.0f allocations for %.0f bytes; 100 turns: %.0f for %.0f", allocations[1], written[1],
			allocations[0], written[0])
	}
}

// counting counts what is written to it.
type counting int64

var _ io.Writer = new(counting)

func (c *counting) Write(p []byte) (int, error) {
	*c += counting(len(p))
	return len(p), nil
}

// allocated counts the allocations of f. Every row and every statement takes some.
func allocated(f func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs - before.Mallocs)
}

// TestChainsOfForksCostTheirLength makes chains of forks of forks, and undos in a
// row, of two lengths. What they cost grows as they do.
func TestChainsOfForksCostTheirLength(t *testing.T) {
	testrun.CountsAllocations(t)
	const short, long = 20, 80
	costs := map[string][2]float64{}
	for i, n := range [...]int{short, long} {
		for name, s := range stores(t) {
			measure := func(what string, f func()) {
				cost := costs[name+": "+what]
				cost[i] = allocated(f)
				costs[name+": "+what] = cost
			}
			c := create(t, s)
			must(t, c.Edit(background, say("the first"), nil))
			must(t, c.Edit(background, func(b *pact.Batch) error {
				b.Add("^sys", pact.Spec{ID: "said", Content: "the second"})
				return nil
			}, nil))
			commit := func() {
				must(t, c.Edit(background, say("and on"), nil))
				_, err := c.Commit(background, nil)
				must(t, err)
			}
			measure("forks of forks", func() {
				for k := range n {
					commit()
					var err error
					c, err = c.Fork(background, pact.Latest(), fmt.Sprint("fork ", k), nil)
					must(t, err)
				}
			})
			measure("reading the last", func() {
				var err error
				c, err = pact.Open(background, s, c.Name(), &pact.OpenOptions{Clock: steps()})
				must(t, err)
			})
			for what, e := range map[string]pact.Erasure{
				"erasing a text": {Texts: []string{"the first"}, Reason: "asked for", Random: chance()},
				"erasing by id":  erasure("said"),
			} {
				if name == "memory" {
					continue // which keeps the snapshots of each fork in a list of its own
				}
				measure(what, func() {
					of, err := c.Erase(background, e)
					if err != nil || of.Versions != 1 || len(of.Contexts) != n+1 {
						t.Fatalf("erased %+v, %v", of, err)
					}
				})
			}
			var err error
			c, err = pact.Create(background, s, "undone", &pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: steps()}})
			must(t, err)
			for range n {
				commit()
			}
			again, err := pact.Create(background, s, "again", &pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: steps()}})
			must(t, err)
			must(t, again.Edit(background, say("the first"), nil))
			if _, err := again.Commit(background, nil); err != nil {
				t.Fatal(err)
			}
			measure("a commit and its undo, again and again", func() {
				for k := range n {
					_, err := again.Commit(background, nil)
					must(t, err)
					want := fmt.Sprint("again~c2~", k+1)
					if k == 0 {
						want = "again~c2"
					}
					if undone, err := again.Undo(background, nil); err != nil || undone != want {
						t.Fatalf("undone is %q, %v, want %q", undone, err, want)
					}
				}
			})
			measure("undos in a row", func() {
				for range n - 1 {
					_, err := c.Undo(background, nil)
					must(t, err)
				}
			})
		}
	}
	for what, cost := range costs {
		t.Logf("%s: %.0f and %.0f allocations, a factor of %.2f", what, cost[0], cost[1], cost[1]/cost[0])
		if cost[1] > 4.5*cost[0] {
			t.Errorf("%s: four times the length costs %.2f times as much", what, cost[1]/cost[0])
		}
	}
}
