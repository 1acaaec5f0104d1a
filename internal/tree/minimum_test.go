package tree_test

import (
	"context"
	"slices"
	"testing"

	"github.com/contexttree/pact/internal/tree"
)

// Turns that are due far in the future are asked once, however many there are, and after a commit what it added. One
// that is due now is found.
func TestMinimumPassesOverWhatIsNotWanted(t *testing.T) {
	const now, later = 1_000_000, 2_000_000
	for _, turns := range []int{500, 8_000} {
		asked := 0
		first := &tree.Minimum{
			Name: "due",
			Of: func(_ context.Context, turn *tree.Entry) (int64, error) {
				if asked++; turn.Node().ID == "seg:300-1" {
					return now, nil
				}
				return later + turn.Node().Cycle, nil
			},
		}
		due := func(l long, at int64) (ids []string) {
			for item, err := range first.Items(background, l.tree.Region(tree.Seq).Children(), at) {
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
		l = l.turn(t)
		equal(t, "due after a commit", len(due(l, now-1)), 0)
		equal(t, "turns asked after a commit", asked, turns+1)
		if ids := due(l, now); !slices.Equal(ids, []string{"seg:300-1"}) {
			t.Errorf("%d turns: %v are due", turns, ids)
		}
	}
}
