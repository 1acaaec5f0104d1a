package record

import (
	"math/rand/v2"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/store"
)

// Whatever cycles a walk comes to, in a row, again or far on, it gets the snapshots that At
// returns.
func TestASnapshotReaderReadsWhatAtReads(t *testing.T) {
	const cycles = 150 // a history reads 64 at once
	c, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "chat", nil)
	if err != nil {
		t.Fatal(err)
	}
	for range cycles {
		if _, err := c.Commit(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	random := rand.New(rand.NewPCG(14, 3))
	inHistory := 0
	for range 20 {
		var r snapshotReader
		cycle := int64(0)
		for cycle < cycles {
			switch random.IntN(12) {
			case 0: // the same again
			case 1:
				cycle += int64(random.IntN(40))
			default:
				cycle++
			}
			cycle = min(max(cycle, 1), cycles)
			got, err := r.read(t.Context(), c, cycle)
			if err != nil {
				t.Fatal(err)
			}
			want, err := c.At(t.Context(), pact.Cycle(cycle))
			if err != nil {
				t.Fatal(err)
			}
			if got.Cycle() != cycle || got.Digest() != want.Digest() {
				t.Fatalf("@c%d: got @c%d with digest %s, not %s", cycle, got.Cycle(), got.Digest(), want.Digest())
			}
			if r.stop != nil {
				inHistory++
			}
		}
		if _, err := r.read(t.Context(), c, cycles+1); err == nil {
			t.Error("there is no snapshot", cycles+1)
		}
		r.end()
	}
	if inHistory == 0 {
		t.Error("no history was read")
	}
}
