package verify_test

import (
	"context"
	"crypto/sha256"
	"iter"
	"math"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
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
		found, err := pact.Verify(background, dbtest.Of(engine.New(medium, store.Packing{})), c.Info().Name, nil)
		if err != nil || found.Holds() || found.Defect.Cycle != 2 {
			t.Errorf("%d: %+v, %v", far, found.Defect, err)
		}
	}
}

// erasedAgain is a store in which somebody erases whenever a history is read.
type erasedAgain struct {
	engine.Contexts
	reads int
}

func (s *erasedAgain) History(context.Context, history.Key, int64, int64) iter.Seq2[*tree.Tree, error] {
	s.reads++
	return func(yield func(*tree.Tree, error) bool) {
		yield(nil, fault.New(fault.Conflict, "something was erased", ""))
	}
}

func (s *erasedAgain) Log(ctx context.Context, key history.Key, from, to int64) ([]history.Entry, error) {
	if to == math.MaxInt64 {
		return []history.Entry{{Revision: from, Kind: history.Erasing}}, nil
	}
	return s.Contexts.Log(ctx, key, from, to)
}

// TestVerifyGivesUpBesideEndlessErasures verifies a context in which erasures never end.
func TestVerifyGivesUpBesideEndlessErasures(t *testing.T) {
	s := &erasedAgain{Contexts: engine.InMemory()}
	db := dbtest.Of(s)
	_, err := create(t, db).Commit(background, nil)
	must(t, err)
	if _, err := pact.Verify(background, db, "c", nil); fault.CodeOf(err) != fault.Conflict || s.reads != 8 {
		t.Errorf("after %d readings: %v", s.reads, err)
	}
}
