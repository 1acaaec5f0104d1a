package sqlite_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/fault"
)

// filled is a store with one context and the free pages of one that was deleted.
func filled(t *testing.T) (path string, s *file, kept *turns) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "pact.db")
	s = open(t, path).(*file)
	kept = begin(t, s)
	kept.next(t, "kept")
	other := &turns{store: s, name: "other"}
	must(t, other.create(t.Context()))
	for range 8 {
		other.next(t, strings.Repeat("x", 1<<18))
	}
	must(t, s.Delete(t.Context(), other.state.Key))
	return path, s, kept
}

// TestCompact compacts beside a reader, who goes on to see what it saw, and then
// without one: the file has no pages of what was deleted.
func TestCompact(t *testing.T) {
	path, s, kept := filled(t)
	reader, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	must(t, err)
	defer reader.Close()
	tx, err := reader.BeginTx(t.Context(), nil)
	must(t, err)
	count := func() (rows int) {
		t.Helper()
		must(t, tx.QueryRow("SELECT count(*) FROM pair").Scan(&rows))
		return rows
	}
	rows := count()
	if remains, err := s.Compact(t.Context()); err != nil || remains == "" {
		t.Errorf("beside a reader: %q, %v", remains, err)
	}
	if got := count(); got != rows {
		t.Errorf("the reader saw %d rows and then %d", rows, got)
	}
	must(t, tx.Rollback())
	if remains, err := s.Compact(t.Context()); err != nil || remains != "" {
		t.Errorf("without a reader: %q, %v", remains, err)
	}
	info, err := os.Stat(path)
	must(t, err)
	if info.Size() > 1<<18 {
		t.Errorf("the file still has %d bytes", info.Size())
	}
	kept.next(t, "the store goes on")
	sound(t, path)
}

// TestCompactGivenUp interrupts Compact at moments of its run: the file is as it
// was or compact, and whole.
func TestCompactGivenUp(t *testing.T) {
	path, s, kept := filled(t)
	for after := time.Duration(0); after < 40*time.Millisecond; after += 4 * time.Millisecond {
		ctx, stop := context.WithTimeout(t.Context(), after)
		_, err := s.Compact(ctx)
		stop()
		if err != nil && fault.CodeOf(err) != fault.Store {
			t.Errorf("given up after %v: %v", after, err)
		}
		kept.next(t, "the store goes on")
	}
	sound(t, path)
	if damage, err := s.Check(t.Context(), kept.state.Key); err != nil || damage != nil {
		t.Errorf("%+v, %v", damage, err)
	}
}
