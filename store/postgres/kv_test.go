package postgres_test

import (
	"testing"

	"github.com/contexttree/pact/internal/postgrestest"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/storetest"

	"github.com/contexttree/pact/store/postgres"
)

func TestBytes(t *testing.T) {
	bytesSuite(t, func(t *testing.T) string { return postgrestest.Database(t) })
}

// bytesSuite runs the contract of stores on databases whose addresses are given.
func bytesSuite(t *testing.T, database func(*testing.T) string) {
	addresses := map[store.Store]string{}
	open := func(t *testing.T, address string) store.Store {
		s, err := postgres.OpenBytes(t.Context(), address)
		must(t, err)
		t.Cleanup(func() { s.Close() })
		addresses[s] = address
		return s
	}
	storetest.Suite{
		Open: func(t *testing.T) store.Store { return open(t, database(t)) },
		Reopen: func(t *testing.T, s store.Store) store.Store {
			must(t, s.Close())
			return open(t, addresses[s])
		},
	}.Run(t)
}
