package postgres_test

import (
	"testing"

	"github.com/contexttree/pact/internal/postgrestest"
	"github.com/contexttree/pact/store/kv"
	"github.com/contexttree/pact/store/kv/kvtest"
	"github.com/contexttree/pact/store/postgres"
)

func TestBytes(t *testing.T) {
	addresses := map[kv.Store]string{}
	open := func(t *testing.T, address string) kv.Store {
		s, err := postgres.OpenBytes(t.Context(), address)
		must(t, err)
		t.Cleanup(func() { s.Close() })
		addresses[s] = address
		return s
	}
	kvtest.Suite{
		Open: func(t *testing.T) kv.Store { return open(t, postgrestest.Database(t)) },
		Reopen: func(t *testing.T, s kv.Store) kv.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return open(t, addresses[s])
		},
	}.Run(t)
}
