package postgres_test

import (
	"testing"

	"github.com/contexttree/pact/internal/postgrestest"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/storetest"

	"github.com/contexttree/pact/store/postgres"
)

func TestBytes(t *testing.T) {
	addresses := map[store.Store]string{}
	open := func(t *testing.T, address string) store.Store {
		s, err := postgres.OpenBytes(t.Context(), address)
		must(t, err)
		t.Cleanup(func() { s.Close() })
		addresses[s] = address
		return s
	}
	storetest.Suite{
		Open: func(t *testing.T) store.Store { return open(t, postgrestest.Database(t)) },
		Reopen: func(t *testing.T, s store.Store) store.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return open(t, addresses[s])
		},
	}.Run(t)
}
