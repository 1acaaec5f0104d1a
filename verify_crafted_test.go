package pact_test

import (
	"crypto/sha256"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/store"
)

// TestVerifyACraftedCycle gives a revision another latest cycle than its own, with the sums that such a revision
// would have: that is a defect of the cycle whose snapshot is not there.
func TestVerifyACraftedCycle(t *testing.T) {
	for _, far := range []byte{2 * 60, 2*60 - 1, 2 * 1} { // signed numbers: 60, -60 and 1 cycles from its own
		medium := store.NewMemory()
		db := dbtest.Of(engine.New(medium, store.Packing{}))
		c := create(t, db)
		for range 3 {
			_, err := c.Commit(background, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
				b.Add("^ah", pact.Spec{Content: "hello"})
				return nil
			}})
			must(t, err)
		}
		var third store.Record
		for r, err := range medium.Log(background, store.Cut{Space: 1, First: 3, Last: 3}, store.Ascending) {
			must(t, err)
			third = r
		}
		const sum, latest = 16, 4 // after the format, the kind, the revision and the cycle, of a byte each
		value, rest := slices.Clone(third.Value), slices.Clone(third.Rest)
		if value[2] != 2*3 || value[3] != 2*2 || value[latest] != 0 {
			t.Fatalf("revision 3 begins with % x", value[:8])
		}
		value[latest] = far
		of := sha256.Sum256(value[:len(value)-sum])
		copy(value[len(value)-sum:], of[:])
		if contents := len(rest) - sum; contents >= 0 {
			of = sha256.Sum256(slices.Concat(of[:sum], rest[:contents]))
			copy(rest[contents:], of[:])
		}
		must(t, medium.Write(background, &store.Batch{Replace: []store.Record{
			{Space: 1, Number: 3, Value: value, Rest: rest}}}))
		found, err := pact.VerifyNamed(background, dbtest.Of(engine.New(medium, store.Packing{})), c.Name(), nil)
		if err != nil || found.Holds() || found.Defect.Cycle != 2 {
			t.Errorf("%d: %+v, %v", far, found.Defect, err)
		}
	}
}
