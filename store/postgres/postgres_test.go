package postgres_test

import (
	"sync"
	"testing"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/postgres"
	"github.com/contexttree/pact/store/storetest"
)

// atOnce is how many tests of the contract run at the same time: most of the time each of
// them waits for the server.
const atOnce = 4

// suite runs the contract on databases whose addresses are given. seed is that of its first
// random history.
func suite(t *testing.T, seed uint64, database func(testing.TB) string, open func(testing.TB, string) *postgres.Store) {
	var addresses sync.Map
	opened := func(t *testing.T, address string) store.Store {
		s := open(t, address)
		addresses.Store(s, address)
		return s
	}
	storetest.Suite{
		AtOnce: atOnce,
		Seed:   seed,
		Open:   func(t *testing.T) store.Store { return opened(t, database(t)) },
		Reopen: func(t *testing.T, s store.Store) store.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			address, _ := addresses.Load(s)
			return opened(t, address.(string))
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
