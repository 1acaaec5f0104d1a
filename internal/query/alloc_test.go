package query_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

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

// A run allocates what it needs to walk and its result; nothing for a node that
// it visits and does not select.
func TestNothingIsAllocatedForNodesThatAreVisited(t *testing.T) {
	testrun.CountsAllocations(t)
	small, large := mixed(t, 50), mixed(t, 5_000)
	for _, text := range []string{
		"@t0 .cb[role=nobody]",
		"@t0 *[priority<0], .cb[priority>50]",
		"@t0 [role!=user][cycle=-1]",
		"@t0 [content_hash='x'], [content_hash>'x'], [created_at_iso='x'], [created_at_iso<'1']",
		"@t0 [age<-1], [sdepth>9], [depth=null][sdepth=2]",
		"@t0 +none, [data_x=5], [refs=r], [role~'^nobody$']",
		"@t0 .cb[role>'user'][ttl=1]",
		"@t0 [nodeType=[mt,mc]][key=none]",
		"@t0 ^seq > .mt > .mc > .cb[priority=11]",
		"@t0 .mt :pre > .cb[priority=11], .mt :core .cb[priority=11]",
		"@t0 .cb:nth(3)[role=system]",
		"@t0 ^seq > .mt > *:last[priority=11], .mc:first > .cb:first[role=tool]",
		"@t0 (seg, 0, *:block{role=none}), (seg, cont, *:block):last[role=none]",
		"@t0 within(depth(>0)) ?? {type=block, priority>50}",
	} {
		var allocs [2]float64
		for i, tr := range []*tree.Tree{small, large} {
			plan, err := query.Compile(selector.MustParse(text, canonical))
			if err != nil {
				t.Fatal(err)
			}
			allocs[i] = testing.AllocsPerRun(5, func() {
				if r, err := plan.Run(context.Background(), tr); err != nil || len(r.Nodes) > 0 {
					t.Fatalf("%s: got %v, %v, want nothing", text, r.IDs(), err)
				}
			})
		}
		if allocs[1] > allocs[0]+1 {
			t.Errorf("%s: got %.0f allocations with 5,000 turns and %.0f with 50", text, allocs[1], allocs[0])
		}
	}
}
