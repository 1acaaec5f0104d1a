package engine_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/store"
)

// hampered is a medium on which the next so many batches that join cycles fail.
type hampered struct {
	store.Store
	tries, fails int
	err          error
}

func (m *hampered) Write(ctx context.Context, b *store.Batch) error {
	if len(b.Cut) > 0 {
		if m.tries++; m.tries <= m.fails {
			return m.err
		}
	}
	return m.Store.Write(ctx, b)
}

// Where another writer is always faster, what joins in the background waits longer before each try, gives up, and is
// no error of the engine.
func TestJoiningWaitsForOtherWriters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &hampered{Store: store.NewMemory(), fails: 1000, err: store.ErrRefused}
		e := engine.NewHasty(m, store.Packing{})
		w, began := begin(t, e, "chat"), time.Now()
		for i := range 4 {
			must(t, w.commit(said(i)))
		}
		e.Idle()
		if took := time.Since(began); m.tries > 12 || took < time.Second/2 || took > 2*time.Second {
			t.Errorf("%d tries in %v", m.tries, took)
		}
		if err := e.Settle(background, w.key); !errors.Is(err, fault.Busy) {
			t.Errorf("settling: %v", err)
		}
		ctx, cancel := context.WithTimeout(background, 20*time.Millisecond)
		defer cancel()
		if err := e.Settle(ctx, w.key); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("settling for 20 ms: %v", err)
		}
		must(t, e.Close())
	})
}

// A join that fails is not tried again with every commit, and closing the engine says why it failed, unless a later
// join succeeded.
func TestAFailedJoinIsReported(t *testing.T) {
	full := fault.New(fault.Store, "the disk is full", "")
	for fails, want := range map[int]error{1: nil, 1000: full} {
		m := &hampered{Store: store.NewMemory(), fails: fails, err: full}
		e := engine.NewHasty(m, store.Packing{})
		w := begin(t, e, "chat")
		for i := range 20 {
			must(t, w.commit(said(i)))
			e.Idle()
		}
		if want != nil && m.tries > 10 {
			t.Errorf("%d tries in 20 commits", m.tries)
		}
		if err := e.Close(); !errors.Is(err, want) {
			t.Errorf("after %d failures: %v", fails, err)
		}
	}
}

// What failed for the last time because the medium was away, and no commit tried again, is joined when the engine is
// closed.
func TestClosingJoinsWhatFailed(t *testing.T) {
	m := &hampered{Store: store.NewMemory(), fails: 1, err: fault.New(fault.Store, "the connection was lost", "")}
	e := engine.NewHasty(m, store.Packing{})
	w := begin(t, e, "chat")
	for i := 0; m.tries == 0; i++ {
		must(t, w.commit(said(i)))
		e.Idle()
	}
	must(t, e.Close())
	if m.tries < 2 {
		t.Error("closing did not try again")
	}
}

// refusals is a medium that counts the batches it refused.
type refusals struct {
	store.Store
	count atomic.Int64
}

func (m *refusals) Write(ctx context.Context, b *store.Batch) error {
	err := m.Store.Write(ctx, b)
	if errors.Is(err, store.ErrRefused) {
		m.count.Add(1)
	}
	return err
}

// Whoever settles a context waits for others of the same engine that do, and what runs in the background is one of
// them: nobody makes a join that another one's refuses.
func TestOneSettlesAtATime(t *testing.T) {
	m := &refusals{Store: store.NewMemory()}
	e := engine.NewHasty(m, store.Packing{})
	w := begin(t, e, "chat")
	for i := range 40 {
		must(t, w.commit(said(i)))
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if err := e.Settle(background, w.key); err != nil {
					t.Errorf("settling: %v", err)
				}
			})
		}
		all.Wait()
	}
	e.Idle()
	if n := m.count.Load(); n > 0 {
		t.Errorf("%d batches were refused", n)
	}
	must(t, e.Close())
}
