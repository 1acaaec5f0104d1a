package view

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/contexttree/pact"
)

// The trees of one state after another, in any order, have the rows that each has alone, and as many bytes are said to be the
// same as in the text before as are.
func TestTreesAreWrittenOneAfterAnother(t *testing.T) {
	repeated := 0
	for seed := range uint64(10) {
		random := rand.New(rand.NewPCG(seed, 8))
		c := randomContext(t, random, 12)
		var of TreeText
		var before []byte
		for step := range 20 {
			at := pact.Cycle(int64(min(step, 11) + 1)) // as a page does
			switch {
			case step == 12:
				at = "working"
			case step > 12:
				at = pact.Cycle(1 + random.Int64N(12))
			}
			s, err := c.At(t.Context(), at)
			must(t, err)
			v := &State{Snapshot: s}
			page, err := v.Tree(t.Context(), "", 0, math.MaxInt)
			must(t, err)
			parts, same, err := of.Of(t.Context(), v)
			must(t, err)
			want, err := json.Marshal(page.Items)
			if got := bytes.Join(parts[:], nil); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("seed %d, %s: %s, want %s, %v", seed, at, got, want, err)
			}
			if same > len(before) || !bytes.Equal(parts[1][:same], before[:same]) {
				t.Fatalf("seed %d, %s: the first %d bytes are not the same", seed, at, same)
			}
			before = bytes.Clone(parts[1])
			repeated += same
		}
	}
	if repeated == 0 {
		t.Error("nothing was the same")
	}
}
