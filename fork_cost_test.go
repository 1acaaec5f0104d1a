package pact_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/testrun"
)

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
	const short, long = 40, 160
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
