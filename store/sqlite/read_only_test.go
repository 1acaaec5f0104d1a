package sqlite_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
)

// onlyRead expects a store of one turn that can be read, backed up, and not changed.
func onlyRead(t *testing.T, path string) {
	t.Helper()
	s, err := openFile(t.Context(), path)
	must(t, err)
	defer s.Close()
	w := &turns{store: s}
	must(t, w.load(t.Context(), 1))
	if w.state.Cycle != 1 {
		t.Errorf("the store is at cycle %d", w.state.Cycle)
	}
	if damage, err := s.Check(t.Context(), 1); err != nil || damage != nil {
		t.Errorf("the store does not hold: %+v, %v", damage, err)
	}
	err = w.commit(t.Context(), "two", false)
	if !errors.Is(err, fault.Store) || !strings.Contains(err.Error(), "be written") ||
		strings.Count(err.Error(), "E_STORE") != 1 {
		t.Errorf("a commit got %v", err)
	}
	backup := filepath.Join(t.TempDir(), "backup.db")
	must(t, s.Backup(t.Context(), backup))
	w = &turns{store: open(t, backup)}
	must(t, w.load(t.Context(), 1))
	w.next(t, "two")
}

// noNew expects that no store can be made, and an error that names it and no temporary file.
func noNew(t *testing.T, path string) {
	t.Helper()
	s, err := openFile(t.Context(), path)
	var e *fault.Error
	if !errors.As(err, &e) || e.Code != fault.Store || e.Remedy == "" || !strings.Contains(err.Error(), path) ||
		strings.Contains(err.Error(), "/."+filepath.Base(path)) {
		t.Errorf("made %v with %v", s, err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is there: %v", err)
	}
}

// TestReadWhereNothingCanBeWritten has something in the place of the files that
// SQLite wants to make.
func TestReadWhereNothingCanBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pact.db")
	newStoreFile(t, path)
	must(t, os.Symlink(filepath.Join("none", "index"), path+"-shm"))
	onlyRead(t, path)
	put(t, path+"-wal", strings.Repeat("a commit", 1000))
	if s, err := openFile(t.Context(), path); !errors.Is(err, fault.Store) || !strings.Contains(err.Error(),
		"there are commits in") {
		t.Errorf("opened %v with %v", s, err)
	}
}

// TestReadOnlyDisk reads from a file system that is full, and from one that is
// mounted for reading.
func TestReadOnlyDisk(t *testing.T) {
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk).CombinedOutput(); err != nil {
		t.Skipf("left out: a file system cannot be mounted here: %v: %s", err, out)
	}
	defer func() {
		if out, err := exec.Command("umount", disk).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}()
	path := filepath.Join(disk, "pact.db")
	newStoreFile(t, path)
	fill := filepath.Join(disk, "fill")
	f, err := os.Create(fill)
	must(t, err)
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	must(t, f.Close())
	onlyRead(t, path)
	noNew(t, filepath.Join(disk, "new.db"))
	must(t, os.Remove(fill))
	if out, err := exec.Command("mount", "-o", "remount,ro", disk).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	onlyRead(t, path)
	noNew(t, filepath.Join(disk, "new.db"))
	if out, err := exec.Command("mount", "-o", "remount,rw", disk).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, ending := range []string{"-wal", "-shm"} {
		if err := os.Remove(path + ending); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("mount", "-o", "remount,ro", disk).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	onlyRead(t, path)
}

// TestStaleIndex has an index of another log beside the store: SQLite makes it
// anew, or, where it cannot, does without it.
func TestStaleIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pact.db")
	newStoreFile(t, path)
	other := filepath.Join(t.TempDir(), "other.db")
	w := begin(t, open(t, other))
	for range 20 {
		w.next(t, "of another")
	}
	copyFile(t, other+"-shm", path+"-shm")
	w = &turns{store: open(t, path)}
	must(t, w.load(t.Context(), 1))
	if w.state.Cycle != 1 {
		t.Errorf("the store is at cycle %d", w.state.Cycle)
	}
	w.next(t, "two")
	sound(t, path)
}
