package simulate

import (
	"crypto/sha256"

	"github.com/contexttree/pact/internal/record/manage"
)

type hash = [sha256.Size]byte

// meter says how many tokens the provider counts of the parts of a run: it divides what the provider counted of a call
// among them as a recorder that manages does, by what a counter counts of them. Without counts of the provider the
// counter's count.
type meter struct {
	*manage.Counting
	ratio float64 // tokens of the provider for one of the counter, in the last call that it counted
	told  bool    // the provider counted a call
}

func newMeter() *meter { return &meter{Counting: manage.NewCounting(0), ratio: 1} }

// perToken has a token of the counter count as one for four bytes.
const perToken = 4

// of returns, in the memory of a list, the tokens of the parts of a call; their sizes are what the counter counts, by perToken. told is nil if the
// provider did not count the call.
func (m *meter) of(list []float64, parts []manage.Sized, told *int64) []float64 {
	if told != nil {
		if !m.told { // from here on as a ledger does: a part that comes again has the tokens of its first call for good
			m.Counting = manage.NewCounting(manage.Each)
		}
		m.Learn(parts, float64(*told), false)
	}
	list = m.Add(list, parts)
	sum, all := 0.0, 0.0
	for i, n := range list {
		sum, all = sum+n, all+float64(parts[i].Size)/perToken
	}
	if told != nil && sum > 0 && all > 0 { // a call without anything new, or with less than before
		m.ratio, m.told = float64(*told)/all, true
		for i := range list {
			list[i] *= float64(*told) / sum
		}
	}
	return list
}
