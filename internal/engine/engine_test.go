package engine_test

import (
	"context"
	"math/rand/v2"
	"testing"

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
// tests do, as soon as it may. In the end all contexts are deleted, and nothing of them is left in the medium.
func TestMemoryWithHaste(t *testing.T) {
	media := map[engine.Contexts]store.Store{}
	open := func(t *testing.T, medium store.Store) engine.Contexts {
		s := hasty{engine.NewHasty(shared{medium}, zstd.Packing), t}
		media[s] = medium
		t.Cleanup(func() { s.Close() })
		return s
	}
	enginetest.Suite{
		Open: func(t *testing.T) engine.Contexts {
			medium := store.NewMemory()
			t.Cleanup(func() { leavesNothing(t, medium) })
			return open(t, medium)
		},
		Reopen: func(t *testing.T, s engine.Contexts) engine.Contexts {
			must(t, s.Close())
			return open(t, media[s])
		},
		Beside: func(t *testing.T, s engine.Contexts) engine.Contexts { return open(t, media[s]) },
	}.Run(t)
}

// leavesNothing checks what is in a medium and deletes all of it: no value of a context stays.
func leavesNothing(t *testing.T, medium store.Store) {
	t.Helper()
	e := engine.New(medium, zstd.Packing)
	list, err := e.List(background)
	must(t, err)
	if damage, err := e.CheckAll(background); damage != nil || err != nil {
		t.Errorf("%+v, %v", damage, err)
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	for _, info := range list {
		must(t, e.Delete(background, info.Key))
	}
	e.Idle()
	for space := store.Space(1); space < 64; space++ {
		for p, err := range medium.Range(background, store.Span{Space: space, To: "\xff"}, store.Ascending) {
			must(t, err)
			t.Errorf("%q of line %d is left", p.Name, space)
		}
		for r, err := range medium.Log(background, store.Cut{Space: space, First: 1, Last: store.MaxNumber}, store.Ascending) {
			must(t, err)
			t.Errorf("revision %d of line %d is left", r.Number, space)
		}
	}
}
