package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
)

// TestBackup makes backups while another process commits. Each is whole, and has
// what was acknowledged before it began.
func TestBackup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pact.db")
	s, err := openFile(t.Context(), path)
	must(t, err)
	defer s.Close()
	ctx, stop := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), childFile+"="+path)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	acknowledged := make(chan struct{}, 1<<16)
	go func() {
		defer close(acknowledged)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			acknowledged <- struct{}{}
		}
	}()
	to, seen := filepath.Join(t.TempDir(), "backup.db"), int64(0)
	for range 15 {
		<-acknowledged
		for seen++; len(acknowledged) > 0; seen++ {
			<-acknowledged
		}
		must(t, s.Backup(t.Context(), to))
		modes(t, to, 0o600, "backup.db")
		sound(t, to)
		b, err := openFile(t.Context(), to)
		must(t, err)
		info, err := b.Find(t.Context(), "turns")
		must(t, err)
		if info.Cycle < seen {
			t.Errorf("the backup is at cycle %d, %d were acknowledged", info.Cycle, seen)
		}
		if damage, err := b.Check(t.Context(), info.Key); err != nil || damage != nil {
			t.Errorf("the backup does not hold: %+v, %v", damage, err)
		}
		must(t, b.Close())
	}
	stop()
	_ = cmd.Wait() // it was killed
}

// TestBackupHasAll compares a store with its backup, which goes on as a store.
func TestBackupHasAll(t *testing.T) {
	path, to := filepath.Join(t.TempDir(), "pact.db"), filepath.Join(t.TempDir(), "backup.db")
	s := open(t, path)
	w := begin(t, s)
	w.next(t, "one")
	w.attempt(t)
	x := tree.Edit(t.Context(), w.state.Working, w.state.Head, w.state.Stamps, w.env())
	_, err := x.Add("^ah", tree.Spec{Content: "draft"})
	must(t, err)
	must(t, w.apply(t.Context(), engine.Change{Before: w.state.Working, After: x.Tree(), Stamps: x.Stamps}))
	put(t, to, "a backup from before")
	must(t, os.Chmod(to, 0o640))
	must(t, s.(*file).Backup(t.Context(), to))
	modes(t, to, 0o640, "backup.db")
	b := open(t, to)
	there, err := s.Load(t.Context(), w.state.Key)
	must(t, err)
	here, err := b.Load(t.Context(), w.state.Key)
	must(t, err)
	if here.Info != there.Info || here.Head.Digest() != there.Head.Digest() ||
		here.Working.Digest() != there.Working.Digest() {
		t.Errorf("the backup has %+v, the store %+v", here.Info, there.Info)
	}
	for _, one := range []engine.Contexts{s, b} {
		if list, err := one.Attempts(t.Context(), w.state.Key, 0, 9); err != nil || len(list) != 1 {
			t.Errorf("%d attempts, %v", len(list), err)
		}
	}
	again := &turns{store: b}
	must(t, again.load(t.Context(), w.state.Key))
	again.next(t, "two")
}

// TestBackupRefused has places that no backup is put in.
func TestBackupRefused(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pact.db")
	s := open(t, path).(*file)
	begin(t, s).next(t, "one")
	link, hot := filepath.Join(dir, "link"), filepath.Join(dir, "hot.db")
	must(t, os.Symlink(path, link))
	put(t, hot+"-wal", "commits")
	for to, says := range map[string]string{
		path: "is the store itself", link: "is the store itself", hot: "there is a log", dir: "is not a regular file",
		os.DevNull:                              "is not a regular file",
		filepath.Join(dir, "none", "backup.db"): "there is no directory",
	} {
		code := fault.Store
		if says == "there is no directory" {
			code = fault.NotFound
		}
		var e *fault.Error
		if err := s.Backup(t.Context(), to); !errors.As(err, &e) || e.Code != code || e.Remedy == "" ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", to, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Backup(ctx, filepath.Join(dir, "late.db")); !errors.Is(err, context.Canceled) ||
		!errors.Is(err, fault.Store) {
		t.Errorf("got %v", err)
	}
	must(t, os.Rename(path, path+".old"))
	if err := s.Backup(t.Context(), filepath.Join(dir, "gone.db")); !errors.Is(err, fault.Store) {
		t.Errorf("got %v", err)
	}
	must(t, os.Rename(path+".old", path))
	list, err := filepath.Glob(filepath.Join(dir, "*"))
	must(t, err)
	hidden, err := filepath.Glob(filepath.Join(dir, ".*"))
	must(t, err)
	if len(list) != 5 || len(hidden) != 0 { // the store with what is beside it, the link, the log
		t.Errorf("%v and %v are there", list, hidden)
	}
}
