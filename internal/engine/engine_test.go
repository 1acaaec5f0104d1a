package engine_test

import (
	"context"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/engine/enginetest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/zstd"
	"github.com/contexttree/pact/store"
)

// TestMemory holds an engine of the usual pace to the contract.
func TestMemory(t *testing.T) {
	testrun.OneGoroutine(t)
	enginetest.Run(t, func(t *testing.T) engine.Contexts {
		s := engine.InMemory()
		t.Cleanup(func() { s.Close() })
		return s
	})
}

// hasty is an engine that has joined what it can and has written all checkpoints that are due
// before a change returns.
type hasty struct {
	*engine.Engine
	t *testing.T
}

func (h hasty) Apply(ctx context.Context, key history.Key, g engine.Guard, changes ...engine.Change) error {
	err := h.Engine.Apply(ctx, key, g, changes...)
	if err == nil {
		if err := h.Settle(ctx, key); err != nil {
			h.t.Errorf("settling failed: %v", err)
		}
	}
	return err
}

// TestMemoryWithHaste holds an engine to the contract that joins and writes checkpoints beside what the
// tests do, as soon as it may.
func TestMemoryWithHaste(t *testing.T) {
	enginetest.Run(t, func(t *testing.T) engine.Contexts {
		s := hasty{engine.NewHasty(store.NewMemory(), zstd.Packing), t}
		t.Cleanup(func() {
			// A test that closed its store has no more to check.
			if damage, err := s.CheckAll(background); damage != nil || err != nil && fault.CodeOf(err) != fault.Store {
				t.Errorf("%+v, %v", damage, err)
			}
			s.Close()
		})
		return s
	})
}
