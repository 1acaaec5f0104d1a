package page_test

import (
	"math/rand/v2"
	"testing"

	"github.com/contexttree/pact/store/internal/page"
)

// Whatever the bytes are, reading them gives rows or a damage, and no more of either
// than a page may have.
func FuzzDecode(f *testing.F) {
	for seed := range uint64(4) {
		p := built(drawn(rand.New(rand.NewPCG(seed, 3)), 8))
		f.Add(p.Head)
		for _, stored := range p.Blocks {
			f.Add(stored)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var x page.Index
		if err := x.Decode(data); err != nil {
			checkDamage(t, err)
			return
		}
		if len(x.Rows) > page.MaxRows || len(x.Blocks) > len(data)/32 {
			t.Fatalf("%d rows and %d blocks in %d bytes", len(x.Rows), len(x.Blocks), len(data))
		}
		for _, r := range x.Rows {
			if r.Size > 0 && (r.Block >= len(x.Blocks) || r.At+r.Size > x.Blocks[r.Block].Size) {
				t.Fatalf("a content lies outside of its block: %+v", r)
			}
		}
	})
}

// What is drawn from any seed is read as it was written.
func FuzzRoundTrip(f *testing.F) {
	f.Add(uint64(1), uint64(40))
	f.Fuzz(func(t *testing.T, seed, n uint64) {
		list := drawn(rand.New(rand.NewPCG(seed, 9)), int(n%300))
		checkPage(t, built(list), list)
	})
}
