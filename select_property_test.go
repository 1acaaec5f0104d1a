package pact_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/selector"
)

// TestSelectAgreesWithModel compares what Context.Select gives for an
// address with a plain merging of what the selector gives on each snapshot.
func TestSelectAgreesWithModel(t *testing.T) {
	merged, missing := map[string]int{}, 0
	for seed := range testrun.Size[uint64](t, 18, 90, 900) {
		e := []selector.Edition{selector.V01, selector.Depth, selector.Canonical}[seed%3]
		c := genHistory(t, seed, e)
		for range 80 {
			a := c.genAddress(e != selector.V01)
			text := a.text + choose(c.Rand, genSelectors[0]...)
			if e != selector.V01 && a.text != "" && c.IntN(4) == 0 {
				text = a.text + choose(c.Rand, genSelectors[1]...)
			}
			if e != selector.V01 && c.IntN(3) == 0 {
				text = a.text + choose(c.Rand, genSelectors[2]...)
			}
			if e != selector.V01 {
				text += choose(c.Rand, genWindows...)
			}
			if a.merge == "union" || a.merge == "latest" {
				text += " @mode=" + a.merge
			}
			q, err := selector.Parse(text, e)
			must(t, err)
			o, after := c.genOptions(e)
			o.Edition = e
			got, err := c.context.Select(background, text, &o)
			if a.names == nil {
				if !errors.Is(err, fault.SnapshotNotFound) {
					t.Fatalf("seed %d: %s: %v", seed, text, err)
				}
				missing++
				continue
			}
			must(t, err)
			want := after(modelMerge(t, q, a))
			if !slices.Equal(got.IDs, want) {
				t.Fatalf("seed %d, %s: %s\n got %q\nwant %q", seed, e, text, got.IDs, want)
			}
			if len(want) > 0 {
				merged[a.merge]++
			}
		}
	}
	if missing < 10 || merged[""] < 100 || merged["all"] < 100 || merged["union"] < 20 || merged["latest"] < 20 {
		t.Errorf("%d addresses name nothing; answers by way of merging: %v", missing, merged)
	}
}
