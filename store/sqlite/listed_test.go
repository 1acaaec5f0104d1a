package sqlite_test

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"testing"

	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"

	"github.com/contexttree/pact/store/sqlite"
)

// reads counts what is read of a medium.
type reads struct{ questions, bytes int }

// metered is a medium, or a view of it, whose reads are metered.
type metered struct {
	store.Reader
	*reads
}

type meteredStore struct {
	store.Store
	of metered
}

func (c metered) Get(ctx context.Context, k store.Key) ([]byte, error) {
	v, err := c.Reader.Get(ctx, k)
	c.questions++
	c.bytes += len(v)
	return v, err
}

func (c metered) Range(ctx context.Context, s store.Span, o store.Order) iter.Seq2[store.Pair, error] {
	c.questions++
	return func(yield func(store.Pair, error) bool) {
		for p, err := range c.Reader.Range(ctx, s, o) {
			if c.bytes += len(p.Name) + len(p.Value); !yield(p, err) {
				return
			}
		}
	}
}

func (c metered) Log(ctx context.Context, of store.Cut, o store.Order) iter.Seq2[store.Record, error] {
	c.questions++
	return func(yield func(store.Record, error) bool) {
		for r, err := range c.Reader.Log(ctx, of, o) {
			if c.bytes += len(r.Value); !yield(r, err) {
				return
			}
		}
	}
}

func (c metered) Latest(ctx context.Context, name string, spaces ...store.Space) (map[store.Space]store.Latest, error) {
	found, err := c.Reader.(store.Latester).Latest(ctx, name, spaces...)
	c.questions += 1 + len(spaces)/64
	for _, x := range found {
		c.bytes += len(x.Value) + len(x.Last.Value)
	}
	return found, err
}

func (s meteredStore) Get(ctx context.Context, k store.Key) ([]byte, error) {
	return s.of.Get(ctx, k)
}

func (s meteredStore) Range(ctx context.Context, of store.Span, o store.Order) iter.Seq2[store.Pair, error] {
	return s.of.Range(ctx, of, o)
}

func (s meteredStore) Log(ctx context.Context, of store.Cut, o store.Order) iter.Seq2[store.Record, error] {
	return s.of.Log(ctx, of, o)
}

func (s meteredStore) Latest(ctx context.Context, name string, spaces ...store.Space) (map[store.Space]store.Latest, error) {
	return s.of.Latest(ctx, name, spaces...)
}

func (s meteredStore) View(ctx context.Context, f func(store.Reader) error) error {
	return s.Store.View(ctx, func(r store.Reader) error { return f(metered{r, s.of.reads}) })
}

// TestListingReadsNoTree lists many contexts, of which one begins with a huge tree, and reads some hundred
// bytes of each.
func TestListingReadsNoTree(t *testing.T) {
	var n reads
	defer sqlite.WithoutSync()()
	defer withMedium(func(s store.Store) store.Store { return meteredStore{s, metered{s, &n}} })()
	s, err := openFile(t.Context(), filepath.Join(t.TempDir(), "pact.db"))
	must(t, err)
	defer s.Close()
	contexts, nodes := testrun.Size(t, 300, 300, 10_000), testrun.Size(t, 20_000, 20_000, 1_000_000)
	one := []tree.Placed{{Node: tree.NewNode(tree.Node{ID: "root", Type: "root", Expiry: tree.Never}, nil), Parent: -1}}
	huge := one
	for i := range nodes {
		huge = append(huge, tree.Placed{Node: tree.NewNode(tree.Node{ID: fmt.Sprint("n", i), Type: "n",
			Index: int64(i), Expiry: tree.Never}, nil), Parent: 0})
	}
	for i := range contexts {
		placed := one
		if i == contexts/2 {
			placed = huge
		}
		first, err := tree.Build(0, placed)
		must(t, err)
		_, err = s.Create(t.Context(), engine.Creation{Name: fmt.Sprintf("%04d", i), Edition: "canonical", Tree: first,
			Stamps: tree.Stamps{Cycle: 1}})
		must(t, err)
	}
	n = reads{}
	list, err := s.List(t.Context())
	must(t, err)
	if len(list) != contexts {
		t.Fatalf("%d contexts are listed", len(list))
	}
	// the names, 64 contexts at once, and the one whose record is long
	if most := 1 + (contexts/64 + 1) + 1; n.questions > most || n.bytes > 512*contexts {
		t.Errorf("listing %d contexts asked %d times, want at most %d, and read %d bytes", contexts, n.questions, most, n.bytes)
	}
	t.Logf("%d contexts: %d questions, %d bytes", contexts, n.questions, n.bytes)
	n = reads{}
	_, err = s.Find(t.Context(), fmt.Sprintf("%04d", contexts/2))
	must(t, err)
	if n.questions > 4 || n.bytes > 1024 {
		t.Errorf("finding the huge one asked %d times and read %d bytes", n.questions, n.bytes)
	}
}
