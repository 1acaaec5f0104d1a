package postgres_test

import (
	"context"
	"maps"
	"testing"

	"github.com/contexttree/pact/internal/postgrestest"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/postgres"
	"github.com/contexttree/pact/store/storetest"
)

// packer packs everything that is settled after each change, so that there are no
// rows but drafts.
type packer struct{ *postgres.Store }

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

// TestStorePacked holds a store to the contract in which all but drafts is in pages,
// and the statements that this takes to what all engines have.
func TestStorePacked(t *testing.T) {
	addresses := make(map[store.Store]string)
	statements, packed := make(map[string]bool), false
	opened := func(t *testing.T, address string) store.Store {
		s, w := listen(t, address)
		p := &packer{s}
		addresses[p] = address
		t.Cleanup(func() {
			maps.Copy(statements, w.statements)
			packed = packed || len(postgrestest.Exec(t, address, "SELECT number FROM page WHERE number > 5")) > 0
		})
		return p
	}
	storetest.Suite{
		Open: func(t *testing.T) store.Store { return opened(t, postgrestest.Database(t)) },
		Reopen: func(t *testing.T, s store.Store) store.Store {
			must(t, s.Close())
			return opened(t, addresses[s])
		},
	}.Run(t)
	if !packed {
		t.Error("no store had six pages")
	}
	holdToSubset(t, statements)
}
