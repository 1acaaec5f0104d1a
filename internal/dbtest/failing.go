package dbtest

import (
	"context"
	"iter"
	"sync/atomic"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/store"
)

var errUnread = fault.New(fault.Store, "the disk does not answer", "check the disk")

// Failing is a store of which read From, counted from 1, fails and every later one; none while From is 0. Get,
// Range and Log are a read each, and so is each pair and record that they yield.
type Failing struct {
	store.Store
	From  atomic.Int64
	reads atomic.Int64
}

func (s *Failing) fails() bool {
	from := s.From.Load()
	return from > 0 && s.reads.Add(1) >= from
}

// Reads returns how many reads were counted while From was not 0.
func (s *Failing) Reads() int64 { return s.reads.Load() }

// Failed reports whether any read failed.
func (s *Failing) Failed() bool { return s.reads.Load() >= s.From.Load() }

// Get implements [store.Reader].
func (s *Failing) Get(ctx context.Context, k store.Key) ([]byte, error) {
	return failingReader{s.Store, s}.Get(ctx, k)
}

// Range implements [store.Reader].
func (s *Failing) Range(ctx context.Context, of store.Span, o store.Order) iter.Seq2[store.Pair, error] {
	return failingReader{s.Store, s}.Range(ctx, of, o)
}

// Log implements [store.Reader].
func (s *Failing) Log(ctx context.Context, of store.Cut, o store.Order) iter.Seq2[store.Record, error] {
	return failingReader{s.Store, s}.Log(ctx, of, o)
}

// View implements [store.Store].
func (s *Failing) View(ctx context.Context, f func(store.Reader) error) error {
	return s.Store.View(ctx, func(r store.Reader) error { return f(failingReader{r, s}) })
}

type failingReader struct {
	store.Reader
	of *Failing
}

func (r failingReader) Get(ctx context.Context, k store.Key) ([]byte, error) {
	if r.of.fails() {
		return nil, errUnread
	}
	return r.Reader.Get(ctx, k)
}

func (r failingReader) Range(ctx context.Context, of store.Span, o store.Order) iter.Seq2[store.Pair, error] {
	return failingSeq(r.of, r.Reader.Range(ctx, of, o))
}

func (r failingReader) Log(ctx context.Context, of store.Cut, o store.Order) iter.Seq2[store.Record, error] {
	return failingSeq(r.of, r.Reader.Log(ctx, of, o))
}

func failingSeq[T any](s *Failing, list iter.Seq2[T, error]) iter.Seq2[T, error] {
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

// EveryRead asks contexts what fill left in their store, once where nothing fails and then where read n fails, for
// every n: the answer is the same, or ask returns E_STORE. The store has segments and checkpoints.
func EveryRead(t *testing.T, fill func(*pact.DB) error, ask func(*pact.DB) (string, error)) {
	t.Helper()
	medium := store.NewMemory()
	filled := Of(engine.NewHasty(medium, store.Packing{}))
	err := fill(filled)
	if err == nil {
		_, err = filled.Compact(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	want, err := ask(pact.NewDB(&Failing{Store: medium}))
	if err != nil || want == "" {
		t.Fatalf("%q, %v where nothing fails", want, err)
	}
	for n := int64(1); ; n++ {
		s := &Failing{Store: medium}
		s.From.Store(n)
		got, err := ask(pact.NewDB(s))
		switch {
		case err != nil && (fault.CodeOf(err) != fault.Store || !s.Failed()), err == nil && got != want:
			t.Fatalf("%q, %v where read %d fails, want %q", got, err, n, want)
		case !s.Failed():
			return
		}
	}
}
