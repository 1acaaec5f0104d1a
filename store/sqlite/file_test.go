package sqlite_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
)

// TestOpenRefusesForeignFiles has files that are not ours to open, and that stay as they are.
func TestOpenRefusesForeignFiles(t *testing.T) {
	for name, c := range map[string]struct {
		make func(t *testing.T, path string)
		says string
	}{
		"text": {func(t *testing.T, path string) { put(t, path, strings.Repeat("no database\n", 500)) },
			"not a SQLite database"},
		"short": {func(t *testing.T, path string) { put(t, path, "x") }, "not a SQLite database"},
		"foreign": {func(t *testing.T, path string) { raw(t, path, "PRAGMA application_id = 7").Close() },
			"another application"},
		"unmarked": {func(t *testing.T, path string) { raw(t, path, "CREATE TABLE theirs (x)").Close() },
			"another application"},
		"newer": {func(t *testing.T, path string) {
			newStoreFile(t, path)
			raw(t, path, "PRAGMA user_version = 99").Close()
		},
			"version 99"},
		"empty": {func(t *testing.T, path string) { put(t, path, "") }, "is an empty file"},
		"no tables": {func(t *testing.T, path string) { raw(t, path, "PRAGMA user_version = 0", "VACUUM").Close() },
			"another application"},
		"last byte missing": {func(t *testing.T, path string) { shorten(t, path, 1) }, "is truncated"},
		"last page cut":     {func(t *testing.T, path string) { shorten(t, path, 4095) }, "is truncated"},
		"last page missing": {func(t *testing.T, path string) { shorten(t, path, 4096) }, "is damaged"},
		"directory":         {func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o700)) }, "is a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "pact.db")
			c.make(t, path)
			refused(t, path, c.says)
		})
	}
	_, err := openFile(t.Context(), filepath.Join(t.TempDir(), "none", "pact.db"))
	if !errors.Is(err, fault.NotFound) {
		t.Errorf("a directory that is not there: %v", err)
	}
}

// refused checks that a file is not opened, with words that the error or its remedy has, and stays as it is.
func refused(t *testing.T, path string, says ...string) {
	t.Helper()
	before, _ := os.ReadFile(path)
	s, err := openFile(t.Context(), path)
	if err == nil {
		s.Close()
		t.Fatal("the file was opened")
	}
	var e *fault.Error
	if !errors.As(err, &e) || e.Code != fault.Store || e.Remedy == "" ||
		slices.ContainsFunc(says, func(words string) bool { return !strings.Contains(err.Error()+e.Remedy, words) }) {
		t.Errorf("got %v", err)
	}
	if after, _ := os.ReadFile(path); string(after) != string(before) {
		t.Error("the file was changed")
	}
}

// shorten makes a store of one turn and takes bytes from its end.
func shorten(t *testing.T, path string, bytes int64) {
	t.Helper()
	newStoreFile(t, path)
	info, err := os.Stat(path)
	must(t, err)
	must(t, os.Truncate(path, info.Size()-bytes))
}

func TestPathsMayHaveAnyCharacters(t *testing.T) {
	for _, name := range []string{"a?b=c", "a%20b", "a b#c", "ä", ":memory:", "a'b\"c"} {
		path := filepath.Join(t.TempDir(), name)
		newStoreFile(t, path)
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
		s := open(t, path)
		if _, err := s.Find(t.Context(), "turns"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestStoreFilesHaveTheirMarks looks at what tells the file apart.
func TestStoreFilesHaveTheirMarks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pact.db")
	newStoreFile(t, path)
	db := raw(t, path)
	for pragma, want := range map[string]string{"application_id": "1348551508", "user_version": "2",
		"journal_mode": "wal", "integrity_check": "ok"} {
		var got string
		must(t, db.QueryRow("PRAGMA "+pragma).Scan(&got))
		if got != want {
			t.Errorf("%s is %s, want %s", pragma, got, want)
		}
	}
}

// TestDriverHasItsLibc holds the driver to the version of libc that it was made with.
func TestDriverHasItsLibc(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}} {{.GoMod}}", "modernc.org/libc",
		"modernc.org/sqlite").Output()
	fields := strings.Fields(string(out))
	if err != nil || len(fields) != 4 {
		t.Skip("left out: the go command cannot tell what the driver was built with:", err)
	}
	text, err := os.ReadFile(fields[3])
	must(t, err)
	if !strings.Contains(string(text), "modernc.org/libc "+fields[0]+"\n") {
		t.Errorf("the driver %s is built with libc %s, which is not the one it asks for", fields[2], fields[0])
	}
}
