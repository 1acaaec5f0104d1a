package commit_test

import (
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// What refers to each other in a ring is one unit; what is around a block holds it,
// and never has it take its turn along; and by name nothing takes a turn that was
// not named. history has eleven nodes, and 12 with the core to come.
func TestUnitsOfPruning(t *testing.T) {
	ring := []node{
		{id: "a", into: "^ah", offset: 1, ttl: forever, priority: -1, refs: "b"},
		{id: "b", into: "^ah", offset: 1, ttl: forever, refs: "c"}, {id: "c", into: "^ah", offset: 1, ttl: forever,
			refs: "a"},
	}
	group := func(removable bool, more ...node) []node {
		return append([]node{{id: "g", into: "t1", offset: 2, group: true, ttl: forever, removable: removable, refs: "x"},
			{id: "x", into: "g", ttl: forever, priority: -1, refs: "g"}}, more...)
	}
	for _, c := range []struct {
		rule   string
		nodes  []node
		budget int
		named  string
		gone   string
		held   string
	}{
		{"a ring of three goes at the place of its first", ring, 12, "", "a b c", ""},
		{"by any of them", ring, 0, "b", "a b c", ""},
		{"not in part: its last is pinned", append(append([]node{}, ring[:2]...), node{id: "c", into: "^ah", offset: 1,
			ttl: forever, refs: "a", pinned: true}), 14, "", "late1", ""},
		{"a ring across turns leaves the turns", []node{
			{id: "a", into: "t1", offset: 2, ttl: forever, priority: -1, refs: "b"}, {id: "b", into: "t2", offset: 2,
				ttl: forever, refs: "c"}, {id: "c", into: "t1", offset: 2, ttl: forever, refs: "a"},
		}, 14, "", "a b c", ""},
		{"a group that refers to its block holds it", group(false), 0, "x", "", "x"},
		{"also from a limit, which takes what is next", group(false), 13, "", "late1", ""},
		{"until it takes the turn", group(false), 9, "", "ask1 g late1 x", ""},
		{"a removable group goes with its last block", group(true), 0, "x", "g x", ""},
		{"by a limit too", group(true), 12, "", "g x", ""},
		{"but not while it holds another", group(true, node{id: "y", into: "g", ttl: forever}), 0, "x", "", "x"},
		{"a group above a group", []node{
			{id: "g", into: "t1", offset: 2, group: true, ttl: forever, removable: true, refs: "x"},
			{id: "h", into: "g", group: true, ttl: forever}, {id: "x", into: "h", ttl: forever, refs: "g"},
		}, 0, "x", "", "x"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s := history(t)
			for i := range c.nodes {
				c.nodes[i].into = s.name(c.nodes[i].into)
			}
			working := s.add(c.nodes)
			turns := s.tree.Region(tree.Seq).Children().Len()
			_, report := s.commit(working, commit.Input{Policy: lifecycle.Policy{MaxNodes: c.budget},
				Prune: strings.Fields(c.named)})
			var gone, held []string
			for _, id := range s.ids {
				if !sure.Get(s.tree.Has(id)) {
					gone = append(gone, id)
				}
			}
			for _, h := range report.Kept {
				held = append(held, h.ID)
			}
			equal(t, "gone", strings.Join(sorted(gone), " "), c.gone)
			if c.named != "" {
				equal(t, "held", strings.Join(held, " "), c.held)
				equal(t, "turns", s.tree.Region(tree.Seq).Children().Len(), turns+1)
			}
		})
	}
}

// A pair of which one half is in a core goes by name where its turn is named, too.
func TestNamesTakeNoTurnsAlong(t *testing.T) {
	for _, withTurn := range []bool{false, true} {
		s, working := told(t, "c@0 assistant call f r\nr tool result a c\nq user text a")
		s.commit(working, commit.Input{})
		turn := sure.Get(s.tree.Path("r"))[2].Node().ID
		in := commit.Input{Prune: []string{"r"}}
		want := "c r q"
		if withTurn {
			in.Prune, want = append(in.Prune, turn), ""
		}
		left, report := s.commit(s.tree.WithCycle(s.stamps.Cycle), in)
		equal(t, "left", left, want)
		if !withTurn {
			equal(t, "held", report.Kept, []lifecycle.Kept{{ID: "r", Reason: lifecycle.Pruned, Why: lifecycle.PartOfTurn, By: turn}})
		}
	}
}
