package engine_test

import (
	"context"
	"testing"

	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/engine/zstd"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/kv"
	"github.com/contexttree/pact/store/storetest"
)

func TestMemory(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		s := engine.New(kv.NewMemory(), engine.Packing{})
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

func (h hasty) Apply(ctx context.Context, key store.Key, g store.Guard, changes ...store.Change) error {
	err := h.Engine.Apply(ctx, key, g, changes...)
	if err == nil {
		if err := h.Settle(ctx, key); err != nil {
			h.t.Errorf("settling failed: %v", err)
		}
	}
	return err
}

func TestMemoryWithHaste(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		s := hasty{engine.NewHasty(kv.NewMemory(), zstd.Packing), t}
		t.Cleanup(func() { s.Close() })
		return s
	})
}
