package commit_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// loose is a working state with so many turns, each with an empty core and a block
// outside it that is described by a function.
func loose(tb testing.TB, turns int, block func(i int) tree.Node, sys ...tree.Node) commit.Input {
	tb.Helper()
	var nodes []tree.Placed
	put := func(parent int, n tree.Node) int {
		n.CreatedNS, n.Expiry = int64(len(nodes)), tree.Never
		nodes = append(nodes, tree.Placed{Node: tree.NewNode(n, nil), Parent: parent})
		return len(nodes) - 1
	}
	root := put(-1, tree.Node{ID: "root", Type: "^root"})
	region := put(root, tree.Node{ID: "sys", Type: "^sys"})
	for _, n := range sys {
		put(region, n)
	}
	seq := put(root, tree.Node{ID: "seq", Type: "^seq"})
	for i := range turns {
		turn := put(seq, tree.Node{ID: fmt.Sprint("turn", i), Type: "seg"})
		put(turn, tree.Node{ID: fmt.Sprint("core", i), Type: "cont"})
		n := block(i)
		n.ID, n.Type, n.Offset = fmt.Sprint("b", i), "block", 1
		put(turn, n)
	}
	put(root, tree.Node{ID: "ah", Type: "^ah"})
	working, err := tree.Build(2, nodes)
	must(tb, err)
	return commit.Input{Working: working, Stamps: tree.Stamps{Cycle: 2, LastNS: int64(len(nodes)), Given: -1},
		Env: env(0), Counter: letters{}}
}

func headers(kind string, more ...tree.Header) []tree.Header {
	return append([]tree.Header{{Name: "kind", Value: canon.String(kind)}}, more...)
}

func refs(ids ...string) tree.Header {
	return tree.Header{Name: "refs", Value: canon.Strings(ids)}
}

// Four times as much to look at costs about four times as much, whatever ties it
// together or holds it.
func TestCostOfPruningGrowsWithWhatItLooksAt(t *testing.T) {
	testrun.CountsAllocations(t)
	testrun.Long(t, "builds long histories")
	id := func(i int) string { return fmt.Sprint("b", i) }
	everything := lifecycle.Policy{MaxNodes: 1}
	for _, c := range []struct {
		what string
		of   func(n int) commit.Input
	}{
		{"a mutual chain with a pinned end", func(n int) commit.Input {
			return loose(t, n, func(i int) tree.Node {
				node := tree.Node{Headers: headers("note", refs(id((i+n-1)%n), id((i+1)%n)))}
				if i == n-1 {
					node.Headers = append(node.Headers, tree.Header{Name: "pinned", Value: canon.True})
				}
				return node
			})
		}},
		{"a ring", func(n int) commit.Input {
			return loose(t, n, func(i int) tree.Node { return tree.Node{Headers: headers("note", refs(id((i+1)%n)))} })
		}},
		{"one call with all the results", func(n int) commit.Input {
			var all []string
			for i := range n - 1 {
				all = append(all, id(i+1))
			}
			return loose(t, n, func(i int) tree.Node {
				if i == 0 {
					return tree.Node{Headers: headers("call", refs(all...))}
				}
				return tree.Node{Headers: headers("result", refs(id(0)))}
			})
		}},
		{"a limit with 64 parts", func(n int) commit.Input {
			in := loose(t, n, func(i int) tree.Node {
				return tree.Node{Content: tree.InMemory(`"t"`),
					Headers: headers("note", tree.Header{Name: "tags",
						Value: canon.Strings([]string{fmt.Sprint("tag", i%64)})})}
			})
			for i := range 64 { // a quarter of each stays
				in.Policy.Parts = append(in.Policy.Parts, lifecycle.Part{Tag: fmt.Sprint("tag", i), MaxTokens: n / 256})
			}
			return in
		}},
		{"stubs", func(n int) commit.Input {
			in := loose(t, n, func(i int) tree.Node {
				return tree.Node{Content: tree.InMemory(canon.String(fmt.Sprintf("%0200d", i)))}
			})
			in.Policy = lifecycle.Policy{MaxBytes: 1, Stub: "."}
			return in
		}},
	} {
		t.Run(c.what, func(t *testing.T) {
			var allocs []float64
			for _, n := range []int{512, 2048} {
				in := c.of(n)
				if in.Policy.Empty() {
					in.Policy = everything
				}
				allocs = append(allocs, testing.AllocsPerRun(1, func() {
					if _, _, _, err := commit.Run(context.Background(), in); err != nil {
						t.Fatal(err)
					}
				}))
			}
			t.Logf("%.0f allocations, then %.0f: %.2f times", allocs[0], allocs[1], allocs[1]/allocs[0])
			if allocs[1] > 4.5*allocs[0] {
				t.Errorf("four times as many nodes made %.2f times as many allocations", allocs[1]/allocs[0])
			}
		})
	}
}
