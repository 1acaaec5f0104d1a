package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/sqlite"
	"github.com/contexttree/pact/store/storetest"
)

func TestStore(t *testing.T) {
	testrun.OneGoroutine(t)
	t.Cleanup(sqlite.WithoutSync()) // TestAcknowledgedCommitsSurviveAKill and TestPowerCuts are about the disk
	paths := make(map[store.Store]string)
	storetest.Suite{
		Seed: 100,
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
