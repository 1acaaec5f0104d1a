package sqlite_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store/sqlite"
)

// laterStep stands for what a later version will change.
const laterStep = "CREATE TABLE later (x INTEGER) STRICT; INSERT INTO later SELECT count(*) FROM log"

// TestFileIsBroughtUpToDate opens a file of one version with a program that knows the next: it has
// what it had, and a program of the earlier one refuses it from then on.
func TestFileIsBroughtUpToDate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pact.db")
	newStoreFile(t, path)
	want := told(t, path)
	back := sqlite.AddStep(laterStep)
	s, err := openFile(t.Context(), path)
	if err == nil {
		must(t, s.Close())
		if got := told(t, path); got != want || userVersion(t, path) != 3 {
			t.Errorf("version %d has\n%s\nwant\n%s", userVersion(t, path), got, want)
		}
		newStoreFile(t, filepath.Join(t.TempDir(), "new.db"))
	}
	back()
	must(t, err)
	_, err = openFile(t.Context(), path)
	var e *fault.Error
	if !errors.As(err, &e) || e.Code != fault.Store || !strings.Contains(err.Error(), "version 3") || e.Remedy == "" {
		t.Errorf("a newer file: %v", err)
	}
}

// TestFilesFromBeforeTheReleaseAreRefused opens files from before the first release, one with rows of
// nodes, one whose log has no contents apart and one without marks: the error says how to move their
// contexts, and the files stay as they are, so that the program that made them can export them.
func TestFilesFromBeforeTheReleaseAreRefused(t *testing.T) {
	dir := t.TempDir()
	nodes, oneColumn, noMark := filepath.Join(dir, "nodes.db"), filepath.Join(dir, "log.db"), filepath.Join(dir, "mark.db")
	raw(t, nodes, "CREATE TABLE node_version (branch INTEGER)", "PRAGMA application_id = 0x50414354",
		"PRAGMA user_version = 10").Close()
	newStoreFile(t, oneColumn)
	raw(t, oneColumn, "ALTER TABLE log DROP COLUMN rest", "DROP TABLE mark", "PRAGMA user_version = 1").Close()
	newStoreFile(t, noMark)
	raw(t, noMark, "DROP TABLE mark", "PRAGMA user_version = 1").Close()
	for _, path := range []string{nodes, oneColumn, noMark} {
		isFromBeforeTheRelease(t, path)
	}
}

func isFromBeforeTheRelease(t *testing.T, path string) {
	t.Helper()
	refused(t, path, "before the first release", "export its contexts", "import them")
}
