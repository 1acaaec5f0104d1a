package sqlite

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/contexttree/pact/internal/testrun"
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
			must(t, s.Close())
			again := openBytes(t, paths[s])
			paths[again] = paths[s]
			return again
		},
	}.Run(t)
}

func openBytes(t *testing.T, path string) store.Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// A write waits once for its turn to write a mark: it moves the log, or it has the file say that the log has more.
func TestAWriteWritesOneMark(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bytes.db")
	s, last, wrote := openBytes(t, path), "", 0
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	for i := range int64(300) {
		record := store.Record{Space: 9, Number: i + 1, Value: make([]byte, 32<<10)}
		must(t, s.Write(t.Context(), &store.Batch{Append: []store.Record{record}}))
		var this, before string
		must(t, db.QueryRow("SELECT hex(this), hex(before) FROM mark").Scan(&this, &before))
		switch {
		case this == last:
		case before == last || last == "":
			wrote++
		default:
			t.Errorf("write %d wrote two marks", i)
		}
		last = this
	}
	if wrote < 5 {
		t.Errorf("%d marks: the log was not moved twice", wrote)
	}
}

var must = testrun.Must
