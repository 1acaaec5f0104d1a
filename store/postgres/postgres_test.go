package postgres_test

import (
	"sync"
	"testing"

	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/engine/enginetest"
	"github.com/contexttree/pact/store/postgres"
)

// atOnce is how many tests of the contract run at the same time: most of the time each of
// them waits for the server.
const atOnce = 4

// suite runs the contract on databases whose addresses are given. seed is that of its first
// random history.
func suite(t *testing.T, seed uint64, database func(testing.TB) string, open func(testing.TB, string) *engine.Engine) {
	var addresses sync.Map
	opened := func(t *testing.T, address string) engine.Contexts {
		s := open(t, address)
		addresses.Store(s, address)
		return s
	}
	enginetest.Suite{
		AtOnce: atOnce,
		Seed:   seed,
		Medium: true,
		Open:   func(t *testing.T) engine.Contexts { return opened(t, database(t)) },
		Reopen: func(t *testing.T, s engine.Contexts) engine.Contexts {
			must(t, s.Close())
			address, _ := addresses.Load(s)
			return opened(t, address.(string))
		},
		Beside: func(t *testing.T, s engine.Contexts) engine.Contexts {
			address, _ := addresses.Load(s)
			return open(t, address.(string))
		},
	}.Run(t)
}

func open(t testing.TB, address string) *engine.Engine {
	t.Helper()
	s, err := on(postgres.Open(t.Context(), address))
	must(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// on returns the contexts in a database that was opened.
func on(s *postgres.Store, err error) (*engine.Engine, error) {
	if err != nil {
		return nil, err
	}
	return engine.Open(s), nil
}
