package sqlite

import (
	"path/filepath"
	"testing"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/storetest"
)

func TestBytes(t *testing.T) {
	paths := map[store.Store]string{}
	storetest.Suite{
		Open: func(t *testing.T) store.Store {
			path := filepath.Join(t.TempDir(), "bytes.db")
			s := openBytes(t, path)
			paths[s] = path
			return s
		},
		Reopen: func(t *testing.T, s store.Store) store.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			again := openBytes(t, paths[s])
			paths[again] = paths[s]
			return again
		},
	}.Run(t)
}

func openBytes(t *testing.T, path string) store.Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
