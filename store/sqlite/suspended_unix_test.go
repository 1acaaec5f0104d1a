//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package sqlite_test

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store/sqlite"
)

// TestASuspendedWriterKeepsNobodyFromWriting suspends a process in its place in the queue, as Ctrl-Z does: who comes behind
// it waits, and then writes.
func TestASuspendedWriterKeepsNobodyFromWriting(t *testing.T) {
	testrun.Long(t, "waits five seconds")
	path := filepath.Join(t.TempDir(), "pact.db")
	newStoreFile(t, path)
	s, err := openFile(t.Context(), path)
	must(t, err)
	defer s.Close()
	w := &turns{store: s, name: "behind it"}
	must(t, w.create(t.Context()))
	children := startQueuing(t, path, 2, 1)
	other := raw(t, path)
	other.SetMaxOpenConns(1)
	_, err = other.Exec("BEGIN IMMEDIATE")
	must(t, err)
	for place, c := range children.list {
		c.start()
		for !sqlite.WaitsInQueue(s.bytes, place) {
			time.Sleep(time.Millisecond)
		}
	}
	suspended := children.list[1].process
	must(t, suspended.Signal(syscall.SIGSTOP))
	_, err = other.Exec("ROLLBACK")
	must(t, err)
	w.next(t, "while it is suspended")
	must(t, suspended.Signal(syscall.SIGCONT))
	children.wait(t)
	w.next(t, "afterwards")
}
