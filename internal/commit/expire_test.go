package commit_test

import (
	"testing"

	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/sure"
)

// 03 §8.1: three blocks born in cycle 10.
func TestTTLOfNodesBornInCycleTen(t *testing.T) {
	for _, c := range []struct {
		rule string
		ttl  int
		in   []int64 // the snapshots among 10 to 14 that have the node
	}{
		{"ttl 0 never reaches a snapshot", 0, nil},
		{"ttl 1 is in its own", 1, []int64{10}},
		{"ttl 2 goes at commit 12", 2, []int64{10, 11}},
		{"ttl null stays", forever, []int64{10, 11, 12, 13, 14}},
	} {
		for _, into := range []string{"^ah", "^sys"} {
			t.Run(c.rule+" in "+into, func(t *testing.T) {
				s := beginCycles(t)
				s.passUntil(10)
				working := s.add([]node{{id: "x", into: into, ttl: c.ttl}})
				var got []int64
				for cycle := int64(10); cycle <= 14; cycle++ {
					if left, _ := s.commit(working, commit.Input{}); left == "x" {
						got = append(got, cycle)
						ttl, finite := sure.Get(s.tree.Node("x")).TTL(s.tree.Cycle())
						if want := max(0, 10+int64(c.ttl)-cycle); finite && ttl != want {
							t.Errorf("ttl shown in cycle %d: got %d, want %d", cycle, ttl, want)
						}
					}
					working = s.tree.WithCycle(s.stamps.Cycle)
				}
				equal(t, "snapshots with the node", got, c.in)
			})
		}
	}
}
