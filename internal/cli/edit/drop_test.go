package edit

import (
	"math"
	"testing"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/record"
)

// The sums are derived by hand from prices for a million tokens: up to 200,000 tokens 10 for input, 1 read, 12 written, 20
// written for an hour, and twice that above. A request of 1,000 bytes loses 100 of the 400 behind the cut.
func TestPriceOfACut(t *testing.T) {
	list := &record.Prices{AsOf: "2026-11-01", Currency: "USD", Models: []record.Price{
		{Model: "m", Input: 10, CacheRead: 1, CacheWrite: 12, CacheWrite1h: 20, UpTo: 200_000},
		{Model: "m", Input: 20, CacheRead: 2, CacheWrite: 24, CacheWrite1h: 40},
		{Model: "free", Input: 10, CacheRead: 0, CacheWrite: 10, CacheWrite1h: 10}}}
	n := func(n int64) *int64 { return &n }
	for what, c := range map[string]struct {
		model        string
		told         inspect.ProviderCache
		tokens, anew int64
		costs, saves float64
		pays         int64
	}{
		// 100,000 tokens, all in the cache: 30,000 are written at 12 in place of read at 1; 10,000 are not read at 1.
		"written":  {"m", inspect.ProviderCache{In: n(100_000), Read: n(90_000), Written: n(10_000)}, 10_000, 30_000, 0.33, 0.01, 33},
		"for 1h":   {"m", inspect.ProviderCache{In: n(100_000), Read: n(90_000), Written: n(10_000), Written1h: n(10_000)}, 10_000, 30_000, 0.57, 0.01, 57},
		"half 1h":  {"m", inspect.ProviderCache{In: n(100_000), Read: n(90_000), Written: n(10_000), Written1h: n(5_000)}, 10_000, 30_000, 0.45, 0.01, 45},
		"not told": {"m", inspect.ProviderCache{In: n(100_000), Read: n(90_000)}, 10_000, 30_000, 0.27, 0.01, 27},
		// Of the 40,000 behind the cut the cache has 20,000, of which 10,000 go.
		"in part": {"m", inspect.ProviderCache{In: n(100_000), Read: n(80_000), Written: n(0)}, 10_000, 10_000, 0.11, 0.01, 11},
		// Nothing is in the cache: 10,000 less at 10.
		"no cache": {"m", inspect.ProviderCache{In: n(100_000), Read: n(0), Written: n(0)}, 10_000, 0, 0, 0.1, 0},
		// 400,000 tokens: 120,000 written at 24 in place of 2; 40,000 less at 2.
		"long": {"m", inspect.ProviderCache{In: n(400_000), Read: n(390_000), Written: n(10_000)}, 40_000, 120_000, 2.64, 0.08, 33},
		// 210,000 tokens become 189,000, which are cheaper: 63,000 written at 12 in place of 1, and 0.42 becomes 0.189.
		"into a lower tier": {"m", inspect.ProviderCache{In: n(210_000), Read: n(200_000), Written: n(10_000)}, 21_000, 63_000, 0.693, 0.231, 3},
		"free to read":      {"free", inspect.ProviderCache{In: n(100_000), Read: n(90_000), Written: n(10_000)}, 10_000, 30_000, 0.3, 0, 0},
	} {
		p := priceOf(&record.DecidedByHand{Bytes: 100, Behind: 400, Of: 1000, Model: c.model, Counted: &c.told}, list)
		if p == nil || p.Tokens != c.tokens || p.Anew != c.anew || p.Pays != c.pays ||
			math.Abs(p.Costs-c.costs) > 1e-9 || math.Abs(p.Saves-c.saves) > 1e-9 {
			t.Errorf("%s: %+v, not %+v", what, p, c)
		}
	}
	for what, h := range map[string]record.DecidedByHand{"not counted": {Bytes: 100, Behind: 400, Of: 1000, Model: "m"},
		"no price": {Bytes: 100, Behind: 400, Of: 1000, Model: "x", Counted: &inspect.ProviderCache{In: n(9), Read: n(0)}},
		"longer":   {Bytes: -1, Behind: 400, Of: 1000, Model: "m", Counted: &inspect.ProviderCache{In: n(9), Read: n(0)}}} {
		if p := priceOf(&h, list); p != nil {
			t.Errorf("%s: %+v", what, p)
		}
	}
}
