package history_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/contexttree/pact/history"
)

// The bars of a context are the largest shares of so many neighbours that 60 bars are enough, however
// many calls there are.
func TestCutsAreTheLargestOfNeighbours(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var cuts history.Cuts
	var shares []float64
	for calls := int64(1); calls <= 500; calls++ {
		anew := int64(0)
		if r.IntN(4) == 0 {
			anew = 1 + r.Int64N(1000)
		}
		shares = append(shares, float64(anew)/1000)
		cuts = cuts.WithCall(calls, anew, 1000)
		width := 1
		for (len(shares)+width-1)/width > history.MaxCuts {
			width *= 2
		}
		var want []float64
		for part := range slices.Chunk(shares, width) {
			want = append(want, slices.Max(part))
		}
		if got := cuts.Shares(calls); !slices.Equal(got, want) {
			t.Fatalf("after %d calls %v, want %v", calls, got, want)
		}
	}
	for _, calls := range []int64{-1, 0} {
		if got := history.Cuts("").Shares(calls); got == nil || len(got) > 0 {
			t.Errorf("%d calls have the bars %v", calls, got)
		}
		if got := history.Cuts("").WithCall(calls, 1, 1).Shares(1); !slices.Equal(got, []float64{1}) {
			t.Errorf("after %d calls %v", calls, got)
		}
	}
	if got := history.Cuts("").Shares(1<<63 - 1); len(got) < history.MaxCuts/2 || len(got) > history.MaxCuts {
		t.Errorf("all calls there can be have %d bars", len(got))
	}
	if got := history.Cuts("\xff").Shares(3); !slices.Equal(got, []float64{0, 0, 0}) {
		t.Errorf("bytes that are no cuts read as %v", got)
	}
	if got := history.Cuts("").WithCall(1, 1, 1_000_000).Shares(1); got[0] != 0.001 {
		t.Errorf("a small cut is shown as %v", got)
	}
}
