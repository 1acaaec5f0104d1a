//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package sqlite_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/contexttree/pact/internal/testrun"
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
	children, release := waitingWriters(t, s, path, 2)
	suspended := children.list[1].process
	must(t, suspended.Signal(syscall.SIGSTOP))
	release()
	w.next(t, "while it is suspended")
	must(t, suspended.Signal(syscall.SIGCONT))
	children.wait(t)
	w.next(t, "afterwards")
}
