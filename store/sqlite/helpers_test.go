package sqlite_test

import (
	"context"

	"database/sql"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/zstd"
	"github.com/contexttree/pact/store"
	"os"
	"testing"

	"github.com/contexttree/pact/internal/engine"

	"github.com/contexttree/pact/store/sqlite"
)

// raw opens a file with SQLite alone.
func raw(t *testing.T, path string, statements ...string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	t.Cleanup(func() { db.Close() })
	for _, statement := range statements {
		_, err = db.Exec(statement)
		must(t, err)
	}
	return db
}

var must = testrun.Must

func put(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

// newStoreFile makes a file of this store.
func newStoreFile(t *testing.T, path string) {
	t.Helper()
	s, err := openFile(t.Context(), path)
	must(t, err)
	begin(t, s).next(t, "a turn")
	must(t, s.Close())
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	must(t, err)
	must(t, os.WriteFile(to, data, 0o600))
}

func open(t testing.TB, path string) engine.Contexts {
	t.Helper()
	s, err := openFile(t.Context(), path)
	must(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// file is the contexts in a file.
type file struct {
	*engine.Engine
	bytes *sqlite.Store
}

// Backup copies the file.
func (f *file) Backup(ctx context.Context, to string) error { return f.bytes.Backup(ctx, to) }

var engineOn = engine.Open

// openFile opens the contexts in a file.
func openFile(ctx context.Context, path string) (*file, error) {
	s, err := sqlite.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return &file{engineOn(s), s}, nil
}

// joinSoon has files that are opened from now on join cycles and write checkpoints as soon as
// there is anything to join, until the function that it returns is called.
func joinSoon() (restore func()) {
	engineOn = func(s store.Store) *engine.Engine { return engine.NewHasty(s, zstd.Packing) }
	return func() { engineOn = engine.Open }
}

// withMedium has files that are opened from now on work on what wrap makes of their store, until
// the function that it returns is called.
func withMedium(wrap func(store.Store) store.Store) (restore func()) {
	engineOn = func(s store.Store) *engine.Engine { return engine.New(wrap(s), zstd.Packing) }
	return func() { engineOn = engine.Open }
}
