package pact_test

import (
	"context"
	"fmt"
	"iter"
	"sync/atomic"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/store"
)

// failingStore is a store of which one read fails, and every later one: read number from, counted from 1. It
// fails at none while from is 0. Get, Range and Log are a read each, and so is each pair and record
// that they yield.
type failingStore struct {
	store.Store
	from  atomic.Int64
	reads atomic.Int64
}

func (s *failingStore) fails() bool {
	from := s.from.Load()
	return from > 0 && s.reads.Add(1) >= from
}

// failed reports whether any read failed.
func (s *failingStore) failed() bool { return s.reads.Load() >= s.from.Load() }

func (s *failingStore) Get(ctx context.Context, k store.Key) ([]byte, error) {
	return failingReads{s.Store, s}.Get(ctx, k)
}

func (s *failingStore) Range(ctx context.Context, of store.Span, o store.Order) iter.Seq2[store.Pair, error] {
	return failingReads{s.Store, s}.Range(ctx, of, o)
}

func (s *failingStore) Log(ctx context.Context, of store.Cut, o store.Order) iter.Seq2[store.Record, error] {
	return failingReads{s.Store, s}.Log(ctx, of, o)
}

func (s *failingStore) View(ctx context.Context, f func(store.Reader) error) error {
	return s.Store.View(ctx, func(r store.Reader) error { return f(failingReads{r, s}) })
}

type failingReads struct {
	store.Reader
	of *failingStore
}

func (r failingReads) Get(ctx context.Context, k store.Key) ([]byte, error) {
	if r.of.fails() {
		return nil, errUnread
	}
	return r.Reader.Get(ctx, k)
}

func (r failingReads) Range(ctx context.Context, of store.Span, o store.Order) iter.Seq2[store.Pair, error] {
	return failingSeq(r.of, r.Reader.Range(ctx, of, o))
}

func (r failingReads) Log(ctx context.Context, of store.Cut, o store.Order) iter.Seq2[store.Record, error] {
	return failingSeq(r.of, r.Reader.Log(ctx, of, o))
}

func failingSeq[T any](s *failingStore, list iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		if s.fails() {
			yield(none, errUnread)
			return
		}
		for x, err := range list {
			if s.fails() {
				yield(none, errUnread)
				return
			}
			if !yield(x, err) {
				return
			}
		}
	}
}

// settledBytes returns what a store holds of a context whose early turns stand in checkpoints, in
// batches that write it into another store.
func settledBytes(t *testing.T) []*store.Batch {
	t.Helper()
	medium := store.NewMemory()
	db := dbtest.Of(engine.NewHasty(medium, store.Packing{}))
	c := create(t, db)
	for i := range 12 {
		_, err := c.Commit(background, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{ID: fmt.Sprint("hello-", i+1), Role: "user", Content: "hello", Key: "k"})
			call := b.Add("^ah", pact.Spec{ID: fmt.Sprint("call-", i+1), Role: "assistant", Kind: "call", Content: "look"})
			b.AddResult(call, pact.Spec{Content: "seen"})
			return nil
		}})
		must(t, err)
	}
	start(t, c)
	_, err := db.Compact(background)
	must(t, err)
	all, gaps := &store.Batch{}, &store.Batch{}
	for space := range store.Space(8) {
		last := int64(0)
		for p, err := range medium.Range(background, store.Span{Space: space, From: "", To: "\xff"}, store.Ascending) {
			must(t, err)
			all.Put = append(all.Put, p)
		}
		for r, err := range medium.Log(background, store.Cut{Space: space, First: 1, Last: store.MaxNumber}, store.Ascending) {
			must(t, err)
			for last++; last < r.Number; last++ { // a log has gaps where cycles were joined
				all.Append = append(all.Append, store.Record{Space: space, Number: last})
				gaps.Cut = append(gaps.Cut, store.Cut{Space: space, First: last, Last: last})
			}
			r.Decoded = nil
			all.Append = append(all.Append, r)
		}
	}
	return []*store.Batch{all, gaps}
}

// TestEveryReadThatFailsIsAnError makes every exported call on a store of which read n fails, for every
// n: the call returns that error, or what it returns while no read fails. Nothing panics.
func TestEveryReadThatFailsIsAnError(t *testing.T) {
	held := settledBytes(t)
	open := func() (*pact.Context, *pact.Snapshot, *failingStore) {
		medium := store.NewMemory()
		for _, b := range held {
			must(t, medium.Write(background, b))
		}
		s := &failingStore{Store: medium}
		c, err := pact.Open(background, pact.NewDB(s), "c", &pact.OpenOptions{Clock: steps()})
		must(t, err)
		older, err := c.At(background, pact.Cycle(3))
		must(t, err)
		return c, older, s
	}
	_, older, _ := open()
	for name := range callsOfAll(t, older) {
		c, older, _ := open()
		readable := callsOfAll(t, older)[name](c)
		for n := int64(1); ; n++ {
			c, older, s := open()
			s.from.Store(n)
			panicked, got := panicOf(func() error { return callsOfAll(t, older)[name](c) })
			if panicked != nil {
				t.Errorf("%s panics where read %d fails: %v", name, n, panicked)
			} else if s.failed() && fault.CodeOf(got) != fault.Store {
				t.Errorf("%s returns %v where read %d fails, and %v of a store that can be read", name, got, n, readable)
			}
			if !s.failed() {
				break
			}
		}
	}
}

// panicOf calls f and returns its error, or its panic.
func panicOf(f func() error) (panicked any, err error) {
	defer func() { panicked = recover() }()
	return nil, f()
}
