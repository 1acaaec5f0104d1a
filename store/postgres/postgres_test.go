package postgres_test

import (
	"testing"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/postgres"
	"github.com/contexttree/pact/store/storetest"
)

// suite runs the contract on databases whose addresses are given.
func suite(t *testing.T, database func(testing.TB) string, open func(testing.TB, string) *postgres.Store) {
	addresses := make(map[store.Store]string)
	opened := func(t *testing.T, address string) store.Store {
		s := open(t, address)
		addresses[s] = address
		return s
	}
	storetest.Suite{
		Open: func(t *testing.T) store.Store { return opened(t, database(t)) },
		Reopen: func(t *testing.T, s store.Store) store.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return opened(t, addresses[s])
		},
	}.Run(t)
}

func open(t testing.TB, address string) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
