package pact_test

import (
	"context"
	"iter"
	"math"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
)

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
	c := create(t, dbtest.Of(s))
	_, err := c.Commit(background, nil)
	must(t, err)
	if _, err := pact.Verify(background, c, nil); fault.CodeOf(err) != fault.Conflict || s.reads != 8 {
		t.Errorf("after %d readings: %v", s.reads, err)
	}
}
