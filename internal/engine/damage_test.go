package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/zstd"
	"github.com/contexttree/pact/store"
)

// flipped is a medium in which a bit of one value is another.
type flipped struct {
	store.Store
	of  []byte // the value
	bit int
}

func (f *flipped) value(v []byte) []byte {
	if len(v) == 0 || !bytes.Equal(v, f.of) {
		return v
	}
	v = slices.Clone(v)
	v[f.bit/8] ^= 1 << (f.bit % 8)
	return v
}

func (f *flipped) View(ctx context.Context, g func(store.Reader) error) error {
	return f.Store.View(ctx, func(r store.Reader) error { return g(flippedReader{r, f}) })
}

func (f *flipped) Get(ctx context.Context, k store.Key) ([]byte, error) {
	return flippedReader{f.Store, f}.Get(ctx, k)
}

func (f *flipped) Range(ctx context.Context, s store.Span, o store.Order) iter.Seq2[store.Pair, error] {
	return flippedReader{f.Store, f}.Range(ctx, s, o)
}

func (f *flipped) Log(ctx context.Context, c store.Cut, o store.Order) iter.Seq2[store.Record, error] {
	return flippedReader{f.Store, f}.Log(ctx, c, o)
}

func (f *flipped) Close() error { return nil }

type flippedReader struct {
	store.Reader
	f *flipped
}

func (r flippedReader) Get(ctx context.Context, k store.Key) ([]byte, error) {
	v, err := r.Reader.Get(ctx, k)
	return r.f.value(v), err
}

func (r flippedReader) Range(ctx context.Context, s store.Span, o store.Order) iter.Seq2[store.Pair, error] {
	return func(yield func(store.Pair, error) bool) {
		for p, err := range r.Reader.Range(ctx, s, o) {
			p.Value = r.f.value(p.Value)
			if !yield(p, err) {
				return
			}
		}
	}
}

func (r flippedReader) Log(ctx context.Context, c store.Cut, o store.Order) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		for x, err := range r.Reader.Log(ctx, c, o) {
			x.Value = r.f.value(x.Value)
			if !yield(x, err) {
				return
			}
		}
	}
}

// TestAFlippedBitIsFound flips bits of every value of a context: whoever reads it gets what was
// written, or an error, and a check finds the damage.
func TestAFlippedBitIsFound(t *testing.T) {
	medium := store.NewMemory()
	defer medium.Close()
	e := engine.NewHasty(shared{medium}, zstd.Packing)
	w := begin(t, e, "one")
	for i := range 12 {
		must(t, w.commit(said(i), "and more"))
		must(t, e.Settle(background, w.key))
	}
	kept, err := e.PutAttempt(background, w.key, attempt(13))
	must(t, err)
	want, err := threads(e, w.key)
	must(t, err)
	wantTexts, err := contents(e, w.key)
	must(t, err)
	must(t, e.Close())
	everything := store.Span{Space: store.Space(w.key), To: "\xff"}
	var values [][]byte
	for p, err := range medium.Range(background, everything, store.Ascending) {
		must(t, err)
		values = append(values, p.Value)
	}
	log := store.Cut{Space: store.Space(w.key), First: 1, Last: store.MaxNumber}
	for x, err := range medium.Log(background, log, store.Ascending) {
		must(t, err)
		values = append(values, x.Value)
	}
	if len(values) < 20 {
		t.Fatalf("only %d values", len(values))
	}
	for _, v := range values {
		for bit := 0; bit < 8*len(v); bit += max(1, len(v)/4)*8/5 + 1 {
			e := engine.New(&flipped{medium, v, bit}, zstd.Packing)
			got, err := threads(e, w.key)
			if err == nil && fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("bit %d of %q: another answer", bit, v)
			}
			if err != nil && !errors.Is(err, fault.Store) {
				t.Errorf("bit %d of %q: %v", bit, v, err)
			}
			texts, err := contents(e, w.key)
			if err == nil && fmt.Sprint(texts) != fmt.Sprint(wantTexts) {
				t.Errorf("bit %d of %q: other contents", bit, v)
			}
			if err != nil && !errors.Is(err, fault.Store) {
				t.Errorf("bit %d of %q: %v", bit, v, err)
			}
			list, err := e.Attempts(background, w.key, 13, 13)
			if err == nil && (len(list) != 1 || list[0].Thread != kept.Thread || list[0].Model != kept.Model) {
				t.Errorf("bit %d of %q: another attempt", bit, v)
			}
			if d, err := e.Check(background, w.key); d == nil && err == nil {
				t.Errorf("bit %d of %d bytes %q: the check finds nothing", bit, len(v), v)
			}
			must(t, e.Close())
		}
	}
}

func attempt(cycle int64) history.Attempt {
	const digest = "00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff"
	return history.Attempt{Cycle: cycle, Status: history.Running, Provider: "p", Model: "m", Params: digest, Thread: digest}
}
