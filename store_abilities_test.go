package pact_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/memory"
)

// coreStore is a store that can do what every store can, and nothing else.
type coreStore struct{ store.Store }

// TestStoreWithoutOptionalAbilities works on a context in a store without further powers:
// what it lacks is said, and everything else goes on.
func TestStoreWithoutOptionalAbilities(t *testing.T) {
	c := create(t, coreStore{memory.New()})
	must(t, c.Edit(background, say("hello"), nil))
	_, err := c.Commit(background, nil)
	must(t, err)
	found, err := pact.Verify(background, c, nil)
	if err != nil || !found.Holds() {
		t.Errorf("verified %+v, %v", found, err)
	}
	_, fork := c.Fork(background, pact.Latest(), "fork", nil)
	_, undo := c.Undo(background, nil)
	_, attempts := c.Attempts(background, 1, 1)
	_, erase := c.Erase(background, pact.Erasure{IDs: []string{"block:1-0"}, Reason: "asked for", DryRun: true})
	for name, err := range map[string]error{"fork": fork, "attempts": attempts, "erase": erase} {
		if fault.CodeOf(err) != fault.Store || !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if fault.CodeOf(undo) != fault.SnapshotNotFound { // before a second commit there is nothing to undo
		t.Errorf("undo: %v", undo)
	}
	if _, err := pact.VerifyAll(background, coreStore{memory.New()}, nil); err != nil {
		t.Error(err)
	}
}

// erasedAgain is a store that erases whenever a history is read.
type erasedAgain struct {
	store.Complete
	reads int
}

func (s *erasedAgain) History(context.Context, store.Key, int64, int64) iter.Seq2[*tree.Tree, error] {
	s.reads++
	return func(yield func(*tree.Tree, error) bool) {
		yield(nil, fault.New(fault.Conflict, "something was erased", ""))
	}
}

func (s *erasedAgain) Log(ctx context.Context, key store.Key, from, to int64) ([]store.Entry, error) {
	if to == math.MaxInt64 {
		return []store.Entry{{Revision: from, Kind: store.Erasing}}, nil
	}
	return s.Complete.Log(ctx, key, from, to)
}

// TestVerifyGivesUpBesideEndlessErasures verifies a context in which erasures never end.
func TestVerifyGivesUpBesideEndlessErasures(t *testing.T) {
	s := &erasedAgain{Complete: memory.New()}
	c := create(t, s)
	_, err := c.Commit(background, nil)
	must(t, err)
	if _, err := pact.Verify(background, c, nil); fault.CodeOf(err) != fault.Conflict || s.reads != 8 {
		t.Errorf("after %d readings: %v", s.reads, err)
	}
}
