package sqlite_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
)

// TestFullDisk commits until the disk is full: the commit that fails says so and changes nothing, those
// before it stay, also after the file is opened again, and with room commits go on.
func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk).CombinedOutput(); err != nil {
		t.Skipf("left out: a file system cannot be mounted here: %v: %s", err, out)
	}
	defer func() {
		if out, err := exec.Command("umount", disk).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}()
	path := filepath.Join(disk, "pact.db")
	reserve := filepath.Join(disk, "reserve")
	must(t, os.WriteFile(reserve, make([]byte, 256<<10), 0o600))
	s := open(t, path)
	w := begin(t, s)
	acknowledged := int64(0)
	var err error
	for n := 0; err == nil && n < 10_000; n++ {
		if err = w.commit(t.Context(), fmt.Sprint(n, strings.Repeat(" words", 100)), n%2 == 0); err == nil {
			acknowledged = w.state.Cycle
		}
	}
	if !errors.Is(err, fault.Store) || !strings.Contains(err.Error(), "the disk is full") {
		t.Fatalf("after %d commits: %v", acknowledged, err)
	}
	if acknowledged == 0 {
		t.Fatal("nothing was committed before")
	}
	for range 3 { // it stays so
		if err := w.commit(t.Context(), strings.Repeat("words ", 10_000), true); !errors.Is(err, fault.Store) {
			t.Errorf("a commit got %v", err)
		}
	}
	must(t, s.Close())
	s = open(t, path)
	w = &turns{store: s}
	must(t, w.load(t.Context(), 1))
	if w.state.Cycle != acknowledged {
		t.Errorf("the store is at cycle %d, %d commits were acknowledged", w.state.Cycle, acknowledged)
	}
	must(t, os.Remove(reserve))
	for range 5 {
		w.next(t, "with room")
	}
	must(t, s.Close())
	sound(t, path)
}
