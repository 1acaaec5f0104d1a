package commit_test

import (
	"testing"

	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/lifecycle"
)

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
