package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/engine/enginetest"
	"github.com/contexttree/pact/internal/testrun"

	"github.com/contexttree/pact/store/sqlite"
)

// joiner joins all cycles but the last after each change, so that a log has one record.
type joiner struct{ *file }

func (j *joiner) Apply(ctx context.Context, key history.Key, g engine.Guard, changes ...engine.Change) error {
	if err := j.file.Apply(ctx, key, g, changes...); err != nil {
		return err
	}
	return j.SettleAll(ctx)
}

func (j *joiner) Create(ctx context.Context, g engine.Creation) (engine.Info, error) {
	info, err := j.file.Create(ctx, g)
	if err != nil {
		return info, err
	}
	return info, j.SettleAll(ctx)
}

// TestStoreJoined holds a store to the contract in which all that can be joined is, and sees to it that
// there are segments and no damage.
func TestStoreJoined(t *testing.T) {
	testrun.OneGoroutine(t)
	testrun.Long(t, "runs the whole contract again; TestMemoryWithHaste runs it joined in memory")
	t.Cleanup(joinSoon())
	t.Cleanup(sqlite.WithoutSync())
	paths := make(map[engine.Contexts]string)
	segments := 0
	opened := func(t *testing.T, path string) engine.Contexts {
		s, err := openFile(t.Context(), path)
		must(t, err)
		t.Cleanup(func() { must(t, s.Close()) })
		j := &joiner{s}
		paths[j] = path
		return j
	}
	enginetest.Suite{
		Seed: 200,
		Open: func(t *testing.T) engine.Contexts {
			path := filepath.Join(t.TempDir(), "pact.db")
			t.Cleanup(func() { // once all that opened it have closed it
				segments += segmentsIn(t, path)
				s, err := openFile(context.Background(), path)
				must(t, err)
				defer s.Close()
				if damage, err := s.CheckAll(context.Background()); err != nil || damage != nil {
					t.Errorf("%+v, %v", damage, err)
				}
			})
			return opened(t, path)
		},
		Reopen: func(t *testing.T, s engine.Contexts) engine.Contexts {
			must(t, s.Close())
			return opened(t, paths[s])
		},
		Beside: func(t *testing.T, s engine.Contexts) engine.Contexts { return opened(t, paths[s]) },
	}.Run(t)
	if segments < 100 {
		t.Errorf("the stores had %d segments in all", segments)
	}
}

// TestJoiningHidesNoDamage changes a record before a process joins it that did not write it: it
// stays in the log, and Check finds it as before.
func TestJoiningHidesNoDamage(t *testing.T) {
	const second = " WHERE id = (1 << 36) + 3" // the first is the empty context
	for _, statement := range []string{
		"UPDATE log SET value = CAST(substr(value, 1, 30) || x'0909' || substr(value, 33) AS BLOB)" + second,
		"UPDATE log SET value = CAST(substr(value, 1, length(value) - 1) || x'09' AS BLOB)" + second,
		"UPDATE log SET value = (SELECT value FROM log WHERE id = (1 << 36) + 2)" + second,
	} {
		path := filepath.Join(t.TempDir(), "pact.db")
		w := &turns{store: open(t, path)}
		must(t, w.create(t.Context()))
		for range 4 {
			w.next(t, "a turn")
		}
		raw(t, path, statement).Close()
		err := open(t, path).(*file).SettleAll(t.Context())
		var damage *history.Damage
		if !errors.As(err, &damage) || segmentsIn(t, path) > 0 {
			t.Errorf("%s: %v, and %d segments", statement, err, segmentsIn(t, path))
		}
		if damage, err := w.store.Check(t.Context(), 1); err != nil || damage == nil {
			t.Errorf("%s: %+v, %v", statement, damage, err)
		}
	}
}
