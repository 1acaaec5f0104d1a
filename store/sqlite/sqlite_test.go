package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/engine/enginetest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store/sqlite"
)

func TestStore(t *testing.T) {
	testrun.OneGoroutine(t)
	t.Cleanup(sqlite.WithoutSync()) // TestAcknowledgedCommitsSurviveAKill and TestPowerCuts are about the disk
	paths := make(map[engine.Contexts]string)
	enginetest.Suite{
		Seed: 100, Medium: true,
		Open: func(t *testing.T) engine.Contexts {
			path := filepath.Join(t.TempDir(), "pact.db")
			s := open(t, path)
			paths[s] = path
			return s
		},
		Reopen: func(t *testing.T, s engine.Contexts) engine.Contexts {
			path := paths[s]
			must(t, s.Close())
			again := open(t, path)
			paths[again] = path
			return again
		},
		Beside: func(t *testing.T, s engine.Contexts) engine.Contexts { return open(t, paths[s]) },
	}.Run(t)
}
