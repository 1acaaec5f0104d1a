package librarytest

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"
)

// Four times as many forks of the fork before, or commits that are taken back, cost four times as much, with a little more
// for the longer names: none looks at the lines before it.
func TestForksAndUndosCostTheirNumber(t *testing.T) {
	testrun.CountsAllocations(t)
	for what, do := range map[string]func(c *pact.Context, i int) *pact.Context{
		"a fork of the fork before": func(c *pact.Context, i int) *pact.Context {
			fork, err := c.Fork(background, pact.Latest(), fmt.Sprint("fork", i), nil)
			must(t, err)
			commitTurn(t, fork, 2, 0)
			return fork
		},
		"a commit and its undo": func(c *pact.Context, _ int) *pact.Context {
			commitTurn(t, c, 2, 0)
			_, err := c.Undo(background, nil)
			must(t, err)
			return c
		},
	} {
		cost := func(n int) float64 {
			c := create(t, pact.NewDB(store.NewMemory()))
			commitTurn(t, c, 2, 0)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for i := range n {
				c = do(c, i)
			}
			runtime.ReadMemStats(&after)
			return float64(after.Mallocs - before.Mallocs)
		}
		const n = 300 // some forks write a checkpoint, of which a page has up to 256 turns
		few, many := cost(n), cost(4*n)
		if many > 4.6*few {
			t.Errorf("%s: %.0f allocations for %d, %.1f times as many for %d", what, few, n, many/few, 4*n)
		}
	}
}
