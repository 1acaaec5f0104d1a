package tree_test

import (
	"context"
	"slices"
	"testing"

	"github.com/contexttree/pact/internal/tree"
)

// Turns that are due far in the future cost one look at the first of them all, however many there are, and after a
// commit one at what it added. One that is due now is found in a few runs.
func TestMinimumPassesOverWhatIsNotWanted(t *testing.T) {
	const now, later = 1_000_000, 2_000_000
	for _, turns := range []int{500, 8_000} {
		asked, looked := 0, 0
		first := &tree.Minimum{
			Name: "due",
			Of: func(_ context.Context, turn *tree.Entry) (*tree.Node, error) {
				asked++
				n := &tree.Node{ID: turn.Node().ID, Expiry: later + turn.Node().Cycle}
				if n.ID == "seg:300-1" {
					n.Expiry = now
				}
				return n, nil
			},
			Less: func(a, b *tree.Node) (bool, error) { return a.Expiry < b.Expiry, nil },
		}
		due := func(l long, at int64) (ids []string) {
			looked = 0
			wanted := func(n *tree.Node) bool { looked++; return n.Expiry <= at }
			for item, err := range first.Items(background, l.tree.Region(tree.Seq).Children(), wanted) {
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, item.Node().ID)
			}
			return ids
		}
		l := newLong(t, turns)
		equal(t, "due before all", len(due(l, now-1)), 0)
		equal(t, "turns asked for what they offer", asked, turns)
		equal(t, "nodes looked at", looked, 1)
		l = l.turn(t)
		equal(t, "due after a commit", len(due(l, now-1)), 0)
		equal(t, "turns asked after a commit", asked, turns+1)
		equal(t, "nodes looked at after a commit", looked, 1)
		if ids := due(l, now); !slices.Equal(ids, []string{"seg:300-1"}) || looked > 200 {
			t.Errorf("%d turns: %v are due, %d nodes looked at", turns, ids, looked)
		}
	}
}
