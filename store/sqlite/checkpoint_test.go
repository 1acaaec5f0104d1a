package sqlite_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contexttree/pact/store/sqlite"
)

// TestLogBesideReaders commits beside readers of whom the next has always begun
// when one ends. The log is emptied all the same.
func TestLogBesideReaders(t *testing.T) {
	t.Cleanup(sqlite.WaitForReaders(time.Minute))
	path := filepath.Join(t.TempDir(), "pact.db")
	w := begin(t, open(t, path))
	// Of 32 KiB each. Never emptied, the log would grow to 50 MiB. It is looked at every 4 MiB and emptied from 5 MiB on.
	const commits, most = 600, 10 << 20
	text := strings.Repeat("a line of text. ", 2<<10)
	db := raw(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	var reading sync.WaitGroup
	reading.Go(func() {
		var last *sql.Tx
		for ctx.Err() == nil {
			tx, err := db.BeginTx(t.Context(), nil)
			if err != nil {
				t.Error(err)
				break
			}
			var n int64
			if err := tx.QueryRow("SELECT count(*) FROM log").Scan(&n); err != nil {
				t.Error(err)
			}
			if last != nil {
				last.Rollback()
			}
			last = tx
			time.Sleep(2 * time.Millisecond)
		}
		if last != nil {
			last.Rollback()
		}
	})
	var largest int64
	for range commits {
		w.next(t, text)
		info, err := os.Stat(path + "-wal")
		must(t, err)
		largest = max(largest, info.Size())
	}
	cancel()
	reading.Wait()
	t.Logf("the log had %d bytes at most", largest)
	if largest > most {
		t.Errorf("the log grew to %d bytes", largest)
	}
	sound(t, path)
}

// TestLogBehindOneReader commits while one reader reads on. The log cannot be
// emptied, and no commit fails for it; afterwards it is.
func TestLogBehindOneReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pact.db")
	w := begin(t, open(t, path))
	text := strings.Repeat("a line of text. ", 2<<10)
	tx, err := raw(t, path).Begin()
	must(t, err)
	var n int64
	must(t, tx.QueryRow("SELECT count(*) FROM log").Scan(&n))
	for range 300 {
		w.next(t, text)
	}
	info, err := os.Stat(path + "-wal")
	must(t, err)
	if info.Size() < 9<<20 {
		t.Errorf("the log has %d bytes: the reader was in nobody's way", info.Size())
	}
	must(t, tx.Rollback())
	for range 300 {
		w.next(t, text)
	}
	if info, err = os.Stat(path + "-wal"); err != nil || info.Size() > 6<<20 {
		t.Errorf("the log has %v bytes, %v", info, err)
	}
}
