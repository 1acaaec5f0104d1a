package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"

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
	paths := make(map[store.Store]string)
	pages := 0
	opened := func(t *testing.T, path string) store.Store {
		s, err := sqlite.Open(t.Context(), path)
		must(t, err)
		t.Cleanup(func() {
			db, n := raw(t, path), 0
			must(t, db.QueryRow("SELECT count(*) FROM page").Scan(&n))
			pages += n
			must(t, s.Close())
		})
		p := &packer{s}
		paths[p] = path
		return p
	}
	storetest.Suite{
		Open: func(t *testing.T) store.Store { return opened(t, filepath.Join(t.TempDir(), "pact.db")) },
		Reopen: func(t *testing.T, s store.Store) store.Store {
			must(t, s.Close())
			return opened(t, paths[s])
		},
	}.Run(t)
	if pages < 100 {
		t.Errorf("the stores had %d pages in all", pages)
	}
}
