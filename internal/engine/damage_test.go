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

// TestAFlippedBitIsFound flips bits of every value of a store: whoever reads it gets what was written, or an error, and
// a check finds the damage. What a checkpoint says is not trusted: readers get the same from the revisions.
func TestAFlippedBitIsFound(t *testing.T) {
	medium := store.NewMemory()
	defer medium.Close()
	e := engine.NewHasty(shared{medium}, zstd.Packing)
	w := begin(t, e, "one")
	for i := range 12 {
		if i < 10 { // those of the last cycles are not joined
			a, err := e.PutAttempt(background, w.key, attempt(int64(i+1)))
			must(t, err)
			_, err = e.PutAttempt(background, w.key, history.Attempt{ID: a.ID, Status: history.Completed})
			must(t, err)
		}
		must(t, w.commit(said(i), "and more"))
		must(t, e.Settle(background, w.key))
	}
	kept, err := e.PutAttempt(background, w.key, attempt(13))
	must(t, err)
	must(t, e.AddToken(background, history.AccessToken{Name: "a", Pattern: "mine", Hash: [32]byte{1}}))
	want := answers(t, e, w.key)
	must(t, e.Close())
	var values []store.Pair
	for _, space := range []store.Space{0, store.Space(w.key)} {
		for p, err := range medium.Range(background, store.Span{Space: space, To: "\xff"}, store.Ascending) {
			must(t, err)
			if space > 0 || p.Name[0] == 't' {
				values = append(values, p)
			}
		}
	}
	log := store.Cut{Space: store.Space(w.key), First: 1, Last: store.MaxNumber}
	for x, err := range medium.Log(background, log, store.Ascending) {
		must(t, err)
		values = append(values, store.Pair{Key: store.Key{Name: "log"}, Value: x.Value})
	}
	joined := func(p store.Pair) bool { return p.Name[0] == 'j' } // attempts of joined cycles
	if len(values) < 20 || !slices.ContainsFunc(values, joined) {
		t.Fatalf("only %d values", len(values))
	}
	for _, p := range values {
		v := p.Value
		for bit := 0; bit < 8*len(v); bit += max(1, len(v)/4)*8/5 + 1 {
			e := engine.New(&flipped{medium, v, bit}, zstd.Packing)
			derived := p.Space > 0 && (p.Name[0] == 'c' || p.Name[0] == 'p') // of a checkpoint
			for question, answer := range answers(t, e, w.key) {
				if answer != want[question] && (answer != "" || derived) {
					t.Errorf("bit %d of %q: %s is %q", bit, p.Name, question, answer)
				}
			}
			d, err := e.Check(background, w.key)
			if p.Name[0] == 't' {
				d, err = e.CheckAll(background)
			}
			if err != nil || d == nil || d.Derived != derived {
				t.Errorf("bit %d of %d bytes %q: the check finds %+v, %v", bit, len(v), p.Name, d, err)
			}
			if p.Space > 0 && p.Name[0] == 'a' { // what is written then would hide the damage
				end := history.Attempt{ID: kept.ID, Status: history.Completed}
				if _, err := e.PutAttempt(background, w.key, end); !errors.Is(err, fault.Store) {
					t.Errorf("ended a damaged attempt: %v", err)
				}
			}
			must(t, e.Close())
		}
	}
}

// answers are what an engine says of a context, "" where that is an error of the store.
func answers(t *testing.T, e *engine.Engine, key history.Key) map[string]string {
	t.Helper()
	list := map[string]string{}
	say := func(question string, answer any, err error) {
		if list[question] = fmt.Sprint(answer); err != nil {
			list[question] = ""
		}
		if err != nil && !errors.Is(err, fault.Store) {
			t.Errorf("%s: %v", question, err)
		}
	}
	threads, err := threads(e, key)
	say("threads", threads, err)
	texts, err := contents(e, key)
	say("contents", texts, err)
	attempts, err := e.Attempts(background, key, 1, 13)
	say("attempts", attempts, err)
	tokens, err := e.Tokens(background)
	say("tokens", tokens, err)
	return list
}

// TestWritingHidesNoDamage damages a record before an engine joins it that did not write it, or erases something else:
// the damage is found as before.
func TestWritingHidesNoDamage(t *testing.T) {
	for _, cut := range []bool{false, true} {
		medium := store.NewMemory()
		e := engine.NewIdle(medium, store.Packing{})
		w := begin(t, e, "one")
		for i := range 4 {
			must(t, w.commit(said(i)))
		}
		for r, err := range medium.Log(background, store.Cut{Space: 1, First: 3, Last: 3}, store.Ascending) {
			must(t, err)
			r.Value = slices.Clone(r.Value)
			if r.Value[30] ^= 9; cut {
				r.Value = r.Value[:len(r.Value)-1]
			}
			must(t, medium.Write(background, &store.Batch{Replace: []store.Record{r}}))
		}
		var damage *history.Damage
		info, err := engine.New(medium, store.Packing{}).Find(background, "one")
		must(t, err)
		if _, err := engine.NewIdle(medium, store.Packing{}).Erase(background, w.key, engine.Erase{Texts: []string{said(3)},
			Salt: make([]byte, engine.SaltSize), Entry: history.Entry{Message: "asked for"},
			Guard: engine.Guard{Cycle: info.Cycle, Revision: info.Revision}}); err != nil && !errors.As(err, &damage) {
			t.Errorf("erasing beside what is damaged: %v", err)
		}
		if err := engine.NewHasty(medium, store.Packing{}).SettleAll(background); !errors.As(err, &damage) {
			t.Errorf("joining what is damaged: %v", err)
		}
		if damage, err := engine.New(medium, store.Packing{}).Check(background, w.key); err != nil || damage == nil {
			t.Errorf("%+v, %v", damage, err)
		}
	}
}

func attempt(cycle int64) history.Attempt {
	const digest = "00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff"
	request, err := history.PackRequest(`{"parameters":{"temperature":0.` + fmt.Sprint(cycle) + `},"path":"/v1/messages"}`)
	if err != nil {
		panic(err) // it is short
	}
	return history.Attempt{Cycle: cycle, Status: history.Running, Provider: "p", Model: "m", Params: digest, Thread: digest,
		Request: request}
}
