// Package benchmarks measures selectors against the query languages that a
// program would use instead, on the same tree in their own form. It is a
// module of its own so that their dependencies are not ours.
//
//	go test -bench . -benchmem          prints the fastest call of each row
//	go test -short -bench . -benchmem   leaves the large tree out
package benchmarks

import (
	"fmt"
	"hash/fnv"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
)

const (
	small = 40_000
	large = 1_000_000
)

func sizes() []int {
	if testing.Short() {
		return []int{small}
	}
	return []int{small, large}
}

// Nothing is timed before everybody gives the same answers.
func TestContestantsAgree(t *testing.T) {
	answers := make(map[string][]string)
	for _, c := range contestants {
		p := c.open(small)
		for _, r := range rows {
			text := c.text(r)
			if text == "" {
				continue
			}
			ids := r.ask(p, text, small).ids()
			slices.Sort(ids)
			want, others := answers[r.name]
			if !others {
				answers[r.name] = ids
			} else if !slices.Equal(ids, want) {
				t.Errorf("%s: %s finds %d nodes, %s %d", r.name, c.name, len(ids), contestants[0].name, len(want))
			}
			if len(ids) == 0 && !strings.HasSuffix(r.name, "keeps nothing") {
				t.Errorf("%s: %s finds nothing", r.name, c.name)
			}
		}
	}
}

func BenchmarkQueries(b *testing.B) {
	type cell struct {
		nodes int
		row   string
	}
	answers := make(map[cell]answer)
	for _, n := range sizes() {
		for _, c := range contestants {
			b.Run(fmt.Sprintf("nodes=%d/%s", n, c.name), func(b *testing.B) {
				p := c.open(n)
				runtime.GC()
				for _, r := range rows {
					if c.text(r) == "" {
						continue
					}
					q := r.ask(p, c.text(r), n)
					got := answerOf(q)
					if want, others := answers[cell{n, r.name}]; others && got != want {
						b.Fatalf("%s: %s gives another answer, %d nodes instead of %d", r.name, c.name, got.count, want.count)
					}
					answers[cell{n, r.name}] = got
					measure(b, r.name, func() {
						if q.run() != got.count {
							b.Fatal("the results change")
						}
					})
				}
			})
			runtime.GC()
		}
	}
}

// answer stands for a set of ids.
type answer struct {
	count int
	sum   uint64 // of hashes, so that the order makes no difference
}

func answerOf(q asked) answer {
	var a answer
	for _, id := range q.ids() {
		h := fnv.New64a()
		h.Write([]byte(id))
		a.count, a.sum = a.count+1, a.sum+h.Sum64()
	}
	return a
}

// BenchmarkScan puts the scans beside the same loop written by hand.
func BenchmarkScan(b *testing.B) {
	for _, n := range sizes() {
		t := buildPact(n)
		runtime.GC()
		for _, s := range scans {
			q := pactOver(t)(s.pact, false)
			if got, want := q.run(), len(bareLoop(t, s.keep)); got != want {
				b.Fatalf("%s finds %d nodes, the loop %d", s.pact, got, want)
			}
			b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
				measure(b, s.pact+"/pact", func() { q.run() })
				measure(b, s.pact+"/loop", func() { bareLoop(t, s.keep) })
			})
		}
	}
}

// scans are selectors that no summary can narrow, with the test of the loop.
var scans = []struct {
	pact string
	keep func(*tree.Node) bool
}{
	{`[priority<0]`, func(n *tree.Node) bool { return n.Priority < 0 }},
	{`[priority>5]`, func(n *tree.Node) bool { return n.Priority > 5 }},
	{`[priority>=0]`, func(n *tree.Node) bool { return n.Priority >= 0 }},
	{`[role!='tool']`, func(n *tree.Node) bool { return n.Role != "tool" }},
}

// measure is one benchmark. Its time is that of the fastest call: other work on the machine only ever adds to it.
func measure(b *testing.B, name string, f func()) {
	b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
		fastest := time.Duration(math.MaxInt64)
		for b.Loop() {
			start := time.Now()
			f()
			fastest = min(fastest, time.Since(start))
		}
		b.ReportMetric(float64(fastest), "ns/fastest")
	})
}

// What is allocated must follow the results, not the nodes that were visited.
func TestNothingIsAllocatedPerNodeVisited(t *testing.T) {
	testrun.CountsAllocations(t)
	p := openPact(small)
	for _, r := range rows {
		q := r.ask(p, r.pact, small)
		results := q.run()
		if allocs := testing.AllocsPerRun(3, func() { q.run() }); allocs > 100 {
			t.Errorf("%s: %.0f allocations in a tree of %d nodes, for %d results", r.pact, allocs, small, results)
		}
	}
}
