package gathered_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/gathered"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/storetest"
)

// unclosed is a medium that stays when what gathers for it is closed.
type unclosed struct{ *store.Memory }

func (unclosed) Close() error { return nil }

// What is gathered reads as what is written at once, before and after it is written.
func TestBytes(t *testing.T) {
	under := map[store.Store]*store.Memory{}
	open := func(m *store.Memory) store.Store {
		s := gathered.New(unclosed{m})
		under[s] = m
		return s
	}
	storetest.Suite{
		Open: func(*testing.T) store.Store { return open(store.NewMemory()) },
		Reopen: func(t *testing.T, s store.Store) store.Store {
			must(t, s.Close())
			return open(under[s])
		},
	}.Run(t)
}

// counted counts what is written.
type counted struct {
	store.Store
	batches, records, pairs int
}

func (c *counted) Write(ctx context.Context, b *store.Batch) error {
	err := c.Store.Write(ctx, b)
	if err == nil {
		c.batches, c.records, c.pairs = c.batches+1, c.records+len(b.Append), c.pairs+len(b.Put)
	}
	return err
}

func begun(t *testing.T) (*counted, *gathered.Store) {
	t.Helper()
	under := &counted{Store: store.NewMemory()}
	s := gathered.New(under)
	write(t, s, store.Batch{Append: []store.Record{{Space: 1, Number: 1}}, Put: []store.Pair{{Key: store.Key{Space: 1, Name: "i"}}}})
	return under, s
}

func write(t *testing.T, s store.Store, b store.Batch) {
	t.Helper()
	must(t, s.Write(t.Context(), &b))
}

// Records that are cut before they are written, and values that others replace, are never written.
func TestWhatIsReplacedIsNeverWritten(t *testing.T) {
	under, s := begun(t)
	for n := int64(2); n <= 1000; n++ {
		b := store.Batch{Expect: []store.Expectation{{Key: store.Key{Space: 1, Name: "i"}, State: store.Equal, Value: []byte{}}},
			Append: []store.Record{{Space: 1, Number: n, Value: []byte(fmt.Sprint(n))}},
			Put:    []store.Pair{{Key: store.Key{Space: 1, Name: "last"}, Value: []byte(fmt.Sprint(n))}}}
		write(t, s, b)
		if n%10 == 0 {
			write(t, s, store.Batch{Cut: []store.Cut{{Space: 1, First: n - 10, Last: n - 1}}})
		}
	}
	must(t, s.Flush(t.Context()))
	if under.batches != 2 || under.records != 3 || under.pairs != 2 {
		t.Errorf("%d batches with %d records and %d pairs were written", under.batches, under.records, under.pairs)
	}
	for r, err := range under.Log(t.Context(), store.Cut{Space: 1, First: 1, Last: store.MaxNumber}, store.Ascending) {
		if err != nil || r.Number != 1000 {
			t.Errorf("the log has %d: %v", r.Number, err)
		}
	}
}

// What is deleted before it is written is never written; what is below it is deleted with what else waits, and a name
// that is put again afterwards is there.
func TestWhatIsDeletedIsNeverWritten(t *testing.T) {
	under, s := begun(t)
	key := func(name string) store.Key { return store.Key{Space: 1, Name: name} }
	write(t, under, store.Batch{Put: []store.Pair{{Key: key("a1")}, {Key: key("a2")}, {Key: key("b")}}})
	under.pairs = 0
	if _, err := s.Get(t.Context(), key("a1")); err != nil { // from now on it knows the last name with an a
		t.Fatal(err)
	}
	write(t, s, store.Batch{Put: []store.Pair{{Key: key("a3")}, {Key: key("a4")}}})
	write(t, s, store.Batch{Delete: []store.Span{{Space: 1, From: "a1", To: "a4"}}, Put: []store.Pair{{Key: key("a2"), Value: []byte("again")}}})
	look := func(in store.Reader) (all string) {
		for p, err := range in.Range(t.Context(), store.Span{Space: 1, From: "a", To: "c"}, store.Descending) {
			must(t, err)
			all += p.Name + string(p.Value) + " "
		}
		for _, name := range []string{"a1", "a3"} {
			if v, err := in.Get(t.Context(), key(name)); v != nil || err != nil {
				t.Errorf("%s is %q, %v", name, v, err)
			}
		}
		return all
	}
	const want = "b a4 a2again "
	if got := look(s); got != want || under.batches != 2 {
		t.Errorf("there is %q after %d batches, want %q after 2", got, under.batches, want)
	}
	must(t, s.Flush(t.Context()))
	if got := look(under); got != want || under.pairs != 2 {
		t.Errorf("%d pairs were written, there is %q, want %q", under.pairs, got, want)
	}
}

// What only a batch expected that was refused may change before the others are written.
func TestARefusedBatchExpectsNothing(t *testing.T) {
	under, s := begun(t)
	i, none := store.Key{Space: 1, Name: "i"}, store.Key{Space: 1, Name: "none"}
	refused := store.Batch{Expect: []store.Expectation{{Key: i, State: store.Equal, Value: []byte{}}, {Key: none}}}
	if err := s.Write(t.Context(), &refused); !errors.Is(err, store.ErrRefused) {
		t.Fatal(err)
	}
	write(t, s, store.Batch{Put: []store.Pair{{Key: none}}})
	write(t, under, store.Batch{Put: []store.Pair{{Key: i, Value: []byte("other")}}})
	must(t, s.Flush(t.Context()))
}

// Where another process changed the same meanwhile, nothing of what was gathered is written, and every later call says
// so.
func TestAnotherWriterIsFaster(t *testing.T) {
	i := store.Key{Space: 1, Name: "i"}
	for name, other := range map[string]store.Batch{
		"a record": {Append: []store.Record{{Space: 1, Number: 2}}},
		"a value":  {Put: []store.Pair{{Key: i, Value: []byte("other")}}},
	} {
		under, s := begun(t)
		write(t, s, store.Batch{Expect: []store.Expectation{{Key: i, State: store.Equal, Value: []byte{}}},
			Append: []store.Record{{Space: 1, Number: 2}, {Space: 1, Number: 3}}})
		write(t, s, store.Batch{Cut: []store.Cut{{Space: 1, First: 1, Last: 2}}})
		write(t, under, other)
		for range 2 {
			if err := s.Flush(t.Context()); !errors.Is(err, fault.Conflict) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := s.Write(t.Context(), &store.Batch{Put: []store.Pair{{Key: i}}}); !errors.Is(err, fault.Conflict) {
			t.Errorf("%s: a later batch: %v", name, err)
		}
		if r := under.records; r != 1+len(other.Append) {
			t.Errorf("%s: %d records were written", name, r)
		}
	}
}

// What is read of a store and of one that gathers is the same, whatever was put, deleted, appended and cut before, in whatever
// part of it was written.
func TestGatheringAgreesWithAStore(t *testing.T) {
	const a, b = store.Space(1), store.Space(2)
	for seed := range testrun.Size[uint64](t, 40, 100, 2000) {
		r := rand.New(rand.NewPCG(seed, 9))
		model := store.NewMemory()
		s := gathered.New(store.NewMemory())
		name := func() string { return fmt.Sprintf("%c%d", 'a'+r.IntN(2), r.IntN(6)) }
		logs := map[store.Space]int64{}
		for range 50 {
			batch, at := store.Batch{}, a+store.Space(r.IntN(2))
			if put := name(); r.IntN(2) == 0 {
				batch.Put = []store.Pair{{Key: store.Key{Space: at, Name: put}, Value: fmt.Append(nil, r.Uint32())}}
			}
			for range r.IntN(3) {
				batch.Delete = append(batch.Delete, store.Span{Space: at, From: []string{"a", name()}[r.IntN(2)], To: []string{"b", "c", name()}[r.IntN(3)]})
			}
			if key := (store.Key{Space: at, Name: name()}); r.IntN(2) == 0 {
				value, err := model.Get(t.Context(), key)
				must(t, err)
				batch.Expect = []store.Expectation{{Key: key, State: store.State(r.IntN(3)), Value: value}}
			}
			switch last := logs[at]; {
			case r.IntN(2) == 0:
				batch.Append = []store.Record{{Space: at, Number: last + 1, Value: fmt.Append(nil, r.Uint32())}}
			case last > 2: // mostly as a join, which leaves the last record
				first := 1 + r.Int64N(last-1)
				batch.Cut = []store.Cut{{Space: at, First: first, Last: first + r.Int64N(last-first)}}
				if r.IntN(8) == 0 {
					batch.Cut[0].Last = last
				}
			}
			want, got := model.Write(t.Context(), &batch), s.Write(t.Context(), &batch)
			if !errors.Is(got, want) {
				t.Fatalf("seed %d: %+v: %v, want %v", seed, batch, got, want)
			}
			if want == nil && batch.Append != nil {
				logs[at]++
			}
			if r.IntN(6) == 0 {
				if err := s.Flush(t.Context()); err != nil {
					t.Fatal(seed, err)
				}
			}
			for _, at := range []store.Space{a, b} {
				for _, o := range []store.Order{store.Ascending, store.Descending} {
					if want, got := everything(t, model, at, o), everything(t, s, at, o); want != got {
						t.Fatalf("seed %d: after %+v there is\n%s, want\n%s", seed, batch, got, want)
					}
				}
			}
		}
	}
}

// everything returns what a reader has of a space.
func everything(t *testing.T, from store.Reader, at store.Space, o store.Order) (all string) {
	t.Helper()
	for _, in := range []store.Span{{Space: at, From: "a", To: "c"}, {Space: at, From: "a2", To: "b3"}, {Space: at, From: "b", To: "b4"}} {
		for p, err := range from.Range(t.Context(), in, o) {
			value, failed := from.Get(t.Context(), p.Key)
			all += fmt.Sprintf("%s %s %s %v ", p.Name, p.Value, value, errors.Join(err, failed))
		}
		all += "\n"
	}
	for _, name := range []string{"a0", "a5", "b0", "b5"} {
		value, err := from.Get(t.Context(), store.Key{Space: at, Name: name})
		all += fmt.Sprint(value != nil, err, " ")
	}
	for x, err := range from.Log(t.Context(), store.Cut{Space: at, First: 1, Last: store.MaxNumber}, o) {
		all += fmt.Sprintf("%d %s %v ", x.Number, x.Value, err)
	}
	return all
}

var must = testrun.Must
