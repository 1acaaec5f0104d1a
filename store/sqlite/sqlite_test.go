package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/sqlite"
	"github.com/contexttree/pact/store/storetest"
)

func TestStore(t *testing.T) {
	paths := make(map[store.Store]string)
	storetest.Suite{
		Open: func(t *testing.T) store.Store {
			path := filepath.Join(t.TempDir(), "pact.db")
			s := open(t, path)
			paths[s] = path
			return s
		},
		Reopen: func(t *testing.T, s store.Store) store.Store {
			path := paths[s]
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			again := open(t, path)
			paths[again] = path
			return again
		},
	}.Run(t)
}

func open(t testing.TB, path string) store.Complete {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path)
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
