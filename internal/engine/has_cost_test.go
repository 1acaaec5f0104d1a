package engine_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/store"
)

// metered is a medium that counts the records that its views read, and the bytes.
type metered struct {
	*store.Memory
	records, bytes int
}

type meteredView struct {
	store.Reader
	of *metered
}

func (m *metered) View(ctx context.Context, f func(store.Reader) error) error {
	return m.Memory.View(ctx, func(r store.Reader) error { return f(meteredView{r, m}) })
}

func (v meteredView) Log(ctx context.Context, c store.Cut, o store.Order) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		for r, err := range v.Reader.Log(ctx, c, o) {
			v.of.bytes += len(r.Value) + len(r.Rest)
			if v.of.records++; !yield(r, err) {
				return
			}
		}
	}
}

func (v meteredView) Get(ctx context.Context, k store.Key) ([]byte, error) {
	value, err := v.Reader.Get(ctx, k)
	v.of.bytes += len(value)
	return value, err
}

func (v meteredView) Range(ctx context.Context, s store.Span, o store.Order) iter.Seq2[store.Pair, error] {
	return func(yield func(store.Pair, error) bool) {
		for p, err := range v.Reader.Range(ctx, s, o) {
			if v.of.bytes += len(p.Name) + len(p.Value); !yield(p, err) {
				return
			}
		}
	}
}

// A process that lists contexts reads some hundred bytes of each, and no turns, however long they are.
func TestListingReadsNoTurns(t *testing.T) {
	m := &metered{Memory: store.NewMemory()}
	const contexts = 20
	for i := range contexts {
		w := begin(t, engine.New(m, store.Packing{}), fmt.Sprint("c", i))
		for range 10 {
			must(t, w.commit(strings.Repeat("long ", 2_000)))
		}
		must(t, w.commit("short"))
	}
	e := engine.New(m, store.Packing{})
	m.bytes = 0
	if list, err := e.List(background); err != nil || len(list) != contexts || m.bytes > 2048*contexts {
		t.Errorf("%d contexts and %d bytes, %v", len(list), m.bytes, err)
	}
}

// A context whose last records are more than a process keeps in memory is asked for many new ids, as an
// edit asks that names its own. Each record is read once for all of them.
func TestNewIDsReadEachRecordOnce(t *testing.T) {
	m := &metered{Memory: store.NewMemory()}
	e := engine.New(m, store.Packing{})
	t.Cleanup(func() { e.Close() })
	w := begin(t, e, "c")
	const commits = 60
	for i := range commits {
		must(t, w.commit(fmt.Sprint(i, strings.Repeat(" long", 20_000))))
	}
	m.records = 0
	const asked = 100
	for i := range asked {
		if has, err := e.Has(background, w.key, fmt.Sprint("new", i)); has || err != nil {
			t.Fatal(has, err)
		}
	}
	// the last record of the branch is looked at for each id
	if most := asked + 2*commits + 2; m.records > most {
		t.Errorf("%d new ids read %d records of %d commits, want at most %d", asked, m.records, commits, most)
	}
	if has, err := e.Has(background, w.key, fmt.Sprintf("block:%d-0", commits)); !has || err != nil {
		t.Error(has, err)
	}
}
