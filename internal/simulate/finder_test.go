package simulate

import (
	"math"
	"testing"

	"github.com/contexttree/pact/record"
)

// What a break costs is paid at the price of the whole request, whose length decides it, not of the tokens sent again alone.
func TestABreakCostsByTheLengthOfItsRequest(t *testing.T) {
	prices := &record.Prices{Models: []record.Price{{Model: "m", Input: 1, CacheRead: 0.1, CacheWrite: 1, UpTo: 1000},
		{Model: "m", Input: 2, CacheRead: 0.2, CacheWrite: 2}}}
	f := finder{run: &run{prices: prices, model: "m"}}
	for sent, want := range map[int64]float64{1000: 100 * 0.9, 1001: 100 * 1.8} {
		got := f.extra(sent, 100)
		if got == nil {
			t.Fatalf("100 of %d tokens sent again have no price", sent)
		}
		if math.Abs(*got*record.Million-want) > 1e-6 {
			t.Errorf("100 of %d tokens sent again cost %g, want %g millionths", sent, *got*record.Million, want)
		}
	}
}
