package sqlite

import (
	"path/filepath"
	"testing"

	"github.com/contexttree/pact/store/kv"
	"github.com/contexttree/pact/store/kv/kvtest"
)

func TestBytes(t *testing.T) {
	paths := map[kv.Store]string{}
	kvtest.Suite{
		Open: func(t *testing.T) kv.Store {
			path := filepath.Join(t.TempDir(), "bytes.db")
			s := openBytes(t, path)
			paths[s] = path
			return s
		},
		Reopen: func(t *testing.T, s kv.Store) kv.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			again := openBytes(t, paths[s])
			paths[again] = paths[s]
			return again
		},
	}.Run(t)
}

func openBytes(t *testing.T, path string) kv.Store {
	t.Helper()
	s, err := openMedium(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
