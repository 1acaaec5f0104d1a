package sqlite_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/fault"
)

// TestCommitsFailWhileTheFileIsGone takes the files away from under a process that commits. The next
// commit is not acknowledged, nor is any after it.
func TestCommitsFailWhileTheFileIsGone(t *testing.T) {
	for name, take := range map[string]func(t *testing.T, path string){
		"the store is removed": func(t *testing.T, path string) { must(t, os.Remove(path)) },
		"the store is renamed": func(t *testing.T, path string) { must(t, os.Rename(path, path+".old")) },
		"the store is replaced": func(t *testing.T, path string) {
			newStoreFile(t, path+".new")
			must(t,
				os.Rename(path+".new", path))
		},
		"the store is copied in": func(t *testing.T, path string) {
			must(t, os.Rename(path, path+".old"))
			copyFile(t,
				path+".old", path)
		},
		"the store is cut":   func(t *testing.T, path string) { must(t, os.Truncate(path, 0)) },
		"the log is removed": func(t *testing.T, path string) { must(t, os.Remove(path+"-wal")) },
		"the log is replaced": func(t *testing.T, path string) {
			must(t, os.Remove(path+"-wal"))
			put(t, path+"-wal", "")
		},
		"the index is removed": func(t *testing.T, path string) { must(t, os.Remove(path+"-shm")) },
		"the directory is renamed": func(t *testing.T, path string) {
			must(t, os.Rename(filepath.Dir(path), filepath.Dir(path)+".old"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "dir")
			must(t, os.Mkdir(dir, 0o700))
			path := filepath.Join(dir, "pact.db")
			s, err := openFile(t.Context(), path)
			must(t, err)
			defer s.Close() // with whatever error
			w := begin(t, s)
			w.next(t, "one")
			take(t, path)
			for range 3 {
				err := w.commit(t.Context(), "two", false)
				var e *fault.Error
				says := "while it was open"
				if name == "the store is cut" { // which may be seen in reading
					says = ""
				}
				if !errors.As(err, &e) || e.Code != fault.Store || e.Remedy == "" || !strings.Contains(e.Message, says) {
					t.Fatalf("got %v", err)
				}
			}
		})
	}
}

// TestFileThatComesBackIsUsedAgain has a file that was taken away come back: the store goes on.
func TestFileThatComesBackIsUsedAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pact.db")
	w := begin(t, open(t, path))
	w.next(t, "one")
	must(t, os.Rename(path, path+".old"))
	if err := w.commit(t.Context(), "two", false); !errors.Is(err, fault.Store) {
		t.Errorf("got %v", err)
	}
	must(t, os.Rename(path+".old", path))
	must(t, w.load(t.Context(), w.state.Key))
	w.next(t, "three")
	sound(t, path)
}

// TestNewStoresArePrivate looks at a store that was just made: it is private, and nothing else
// is left of its making.
func TestNewStoresArePrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pact.db")
	s := open(t, path)
	begin(t, s).next(t, "one")
	modes(t, path, 0o600, "pact.db", "pact.db-shm", "pact.db-wal")
	must(t, s.Close())
	modes(t, path, 0o600, "pact.db")
	must(t, os.Chmod(path, 0o660))
	w := &turns{store: open(t, path)}
	must(t, w.load(t.Context(), 1))
	w.next(t, "two")
	modes(t, path, 0o660, "pact.db", "pact.db-shm", "pact.db-wal")
}

// modes expects files in the directory of path, and no others, all with a mode.
func modes(t *testing.T, path string, mode os.FileMode, names ...string) {
	t.Helper()
	list, err := os.ReadDir(filepath.Dir(path))
	must(t, err)
	var have []string
	for _, f := range list {
		info, err := f.Info()
		must(t, err)
		if have = append(have, f.Name()); info.Mode() != mode {
			t.Errorf("%s has mode %v, want %v", f.Name(), info.Mode(), mode)
		}
	}
	if strings.Join(have, " ") != strings.Join(names, " ") {
		t.Errorf("there are %v, want %v", have, names)
	}
}

// TestLogWithoutStore makes no store beside the log of another one.
func TestLogWithoutStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pact.db")
	put(t, path+"-wal", "commits")
	if s, err := openFile(t.Context(), path); !errors.Is(err, fault.Store) || !strings.Contains(err.Error(),
		"there is a log") {
		t.Errorf("opened %v with %v", s, err)
	}
	modes(t, path, 0o600, "pact.db-wal")
	put(t, path+"-wal", "")
	newStoreFile(t, path)
}

// TestOpenRefusesWhatIsNoFile has things at the place of the store that are no files. None of
// them is waited for.
func TestOpenRefusesWhatIsNoFile(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	mkfifo(t, pipe)
	for _, path := range []string{pipe, os.DevNull} {
		if s, err := openFile(ctx, path); !errors.Is(err, fault.Store) || !strings.Contains(err.Error(),
			"a pipe, a device or a socket") {
			t.Errorf("%s: opened %v with %v", path, s, err)
		}
	}
	path := filepath.Join(t.TempDir(), "pact.db")
	newStoreFile(t, path)
	mkfifo(t, path+"-wal")
	s, err := openFile(ctx, path)
	if !errors.Is(err, fault.Store) || !strings.Contains(err.Error(), "is not a regular file") {
		t.Errorf("a pipe as log: opened %v with %v", s, err)
	}
}

// TestCleanUpNeedsTheFile does not clean up in a file that has no name any more.
func TestCleanUpNeedsTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pact.db")
	s := open(t, path)
	begin(t, s).next(t, "one")
	must(t, os.Rename(path, path+".old"))
	if remains, err := s.(*file).Compact(t.Context()); err == nil && remains == "" {
		t.Error("a file that is gone was cleaned up")
	}
	must(t, os.Rename(path+".old", path))
}
