package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/sqlite"
	"github.com/contexttree/pact/store/storetest"
)

// packer packs everything that is settled after each change, so that there are no
// rows but drafts.
type packer struct{ *sqlite.Store }

func (p *packer) Apply(ctx context.Context, key store.Key, g store.Guard, changes ...store.Change) error {
	if err := p.Store.Apply(ctx, key, g, changes...); err != nil {
		return err
	}
	return p.PackAll(ctx)
}

func (p *packer) Create(ctx context.Context, g store.Creation) (store.Info, error) {
	info, err := p.Store.Create(ctx, g)
	if err != nil {
		return info, err
	}
	return info, p.PackAll(ctx)
}

// TestStorePacked holds a store to the contract in which all but drafts is in pages.
func TestStorePacked(t *testing.T) {
	testrun.OneGoroutine(t)
	t.Cleanup(sqlite.DirectorySoon())
	t.Cleanup(sqlite.WithoutSync())
	suitePacked(t, 200, func(s *sqlite.Store) store.Store { return &packer{s} })
}

// TestStorePacksBeside holds a store to the contract that packs beside what the tests
// do, as soon as it may.
func TestStorePacksBeside(t *testing.T) {
	t.Cleanup(sqlite.PackSoon(2, 1))
	t.Cleanup(sqlite.DirectorySoon())
	t.Cleanup(sqlite.WithoutSync())
	suitePacked(t, 300, func(s *sqlite.Store) store.Store { return s })
}

// suitePacked runs the contract and sees to it that there are pages, and nothing that
// should not be.
func suitePacked(t *testing.T, seed uint64, as func(*sqlite.Store) store.Store) {
	paths := make(map[store.Store]string)
	pages := 0
	opened := func(t *testing.T, path string) store.Store {
		s, err := sqlite.Open(t.Context(), path)
		must(t, err)
		t.Cleanup(func() { must(t, s.Close()) })
		given := as(s)
		paths[given] = path
		return given
	}
	storetest.Suite{
		Seed: seed,
		Open: func(t *testing.T) store.Store {
			path := filepath.Join(t.TempDir(), "pact.db")
			t.Cleanup(func() { // once all that opened it have closed it
				pages += pagesIn(t, path)
				s, err := sqlite.Open(context.Background(), path)
				must(t, err)
				defer s.Close()
				if damage, err := s.CheckAll(context.Background()); err != nil || damage != nil {
					t.Errorf("%+v, %v", damage, err)
				}
			})
			return opened(t, path)
		},
		Reopen: func(t *testing.T, s store.Store) store.Store {
			must(t, s.Close())
			return opened(t, paths[s])
		},
	}.Run(t)
	if pages < 100 {
		t.Errorf("the stores had %d pages in all", pages)
	}
}

// TestManyPackAtOnce has two stores on one file commit to a context each and pack both
// at the same time: every row is packed once, and none is lost.
func TestManyPackAtOnce(t *testing.T) {
	t.Cleanup(sqlite.PackSoon(2, 1))
	path := filepath.Join(t.TempDir(), "pact.db")
	var wait sync.WaitGroup
	var writers []*turns
	for i := range 2 {
		w := &turns{store: open(t, path), name: fmt.Sprint("turns ", i)}
		must(t, w.create(t.Context()))
		writers = append(writers, w)
	}
	for _, w := range writers {
		wait.Go(func() {
			for i := range 40 {
				if err := w.commit(t.Context(), fmt.Sprint("turn ", i), false); err != nil {
					t.Error(err)
					return
				}
				if err := w.store.(*sqlite.Store).PackAll(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	for i, w := range writers {
		if damage, err := w.store.Check(t.Context(), w.state.Key); err != nil || damage != nil {
			t.Errorf("%+v, %v", damage, err)
		}
		history, err := store.Collect(writers[1-i].store.History(t.Context(), w.state.Key, 1, 40))
		must(t, err)
		if got, want := history[39].Digest(), w.state.Head.Digest(); got != want {
			t.Errorf("the other store reads %s, want %s", got, want)
		}
	}
	if n := pagesIn(t, path); n < 40 {
		t.Errorf("there are %d pages", n)
	}
}

// TestPackingHidesNoDamage changes rows before a process packs them that did not write
// them: they stay rows, and Check finds them as before.
func TestPackingHidesNoDamage(t *testing.T) {
	for _, statement := range []string{
		"UPDATE node_version SET priority = 9 WHERE birth = 2 AND death IS NULL",
		"UPDATE node_version SET proof = NULL WHERE birth = 2",
		`UPDATE content SET body = CAST('"other"' AS BLOB)
			WHERE no = (SELECT max(content_no) FROM node_version WHERE birth = 2)`,
		"UPDATE node_version SET content_hash = zeroblob(32) WHERE birth = 2 AND content_no IS NOT NULL",
	} {
		path := filepath.Join(t.TempDir(), "pact.db")
		writer, err := sqlite.Open(t.Context(), path)
		must(t, err)
		w := begin(t, writer)
		for range 3 {
			w.next(t, "turns")
		}
		must(t, writer.Close())
		raw(t, path, statement).Close()
		err = open(t, path).(*sqlite.Store).PackAll(t.Context())
		var damage *store.Damage
		if !errors.As(err, &damage) || damage.Cycle != 2 || pagesIn(t, path) > 0 {
			t.Errorf("%s: %v, and %d pages", statement, err, pagesIn(t, path))
		}
	}
}
