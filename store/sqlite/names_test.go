//go:build unix

package sqlite_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/testrun"
)

// A file with two names is refused: a log and its locks lie beside each name, so two processes would write over
// each other.
func TestAttackHardLinkIsRefused(t *testing.T) {
	testrun.Door(t, "a hard link of a store")
	dir := t.TempDir()
	path, other := filepath.Join(dir, "pact.db"), filepath.Join(dir, "other.db")
	s := open(t, path).(*file)
	w := begin(t, s)
	w.next(t, "one")
	must(t, os.Link(path, other))
	for _, name := range []string{path, other} {
		_, err := openFile(t.Context(), name)
		if e := (*fault.Error)(nil); !errors.As(err, &e) || e.Code != fault.Store || !strings.Contains(e.Message, "names") ||
			e.Remedy == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := w.commit(t.Context(), "two", false); fault.CodeOf(err) != fault.Store { // the process that had it open notices too
		t.Errorf("it went on writing: %v", err)
	}
	must(t, os.Remove(other))
	must(t, w.commit(t.Context(), "two", false))
}

// Two processes, one of which knows a file by a symbolic link, write to one store: nothing that was acknowledged is
// missing. The link may be relative, lead over another, or lead to a store that the first of them makes.
func TestAttackSymbolicLinksLeadToOneStore(t *testing.T) {
	testrun.Door(t, "two writers, one by a symbolic link")
	for name, link := range map[string]func(t *testing.T, path string) (other string){
		"absolute": func(t *testing.T, path string) string {
			other := filepath.Join(t.TempDir(), "link.db")
			must(t, os.Symlink(path, other))
			return other
		},
		"relative, over another": func(t *testing.T, path string) string {
			dir := filepath.Join(filepath.Dir(path), "links")
			must(t, os.Mkdir(dir, 0o700))
			must(t, os.Symlink("../pact.db", filepath.Join(dir, "first")))
			must(t, os.Symlink("first", filepath.Join(dir, "second.db")))
			return filepath.Join(dir, "second.db")
		},
		"through a directory": func(t *testing.T, path string) string {
			dir := filepath.Join(t.TempDir(), "dir")
			must(t, os.Symlink(filepath.Dir(path), dir))
			return filepath.Join(dir, "pact.db")
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "pact.db")
			other := link(t, path)
			turns := testrun.Size(t, 20, 25, 200)
			s, err := openFile(t.Context(), other) // makes the store where the link leads
			must(t, err)
			must(t, s.Close())
			acknowledged := make(map[string]bool)
			var running []*exec.Cmd
			var said []*bytes.Buffer
			for _, at := range []string{path, other} {
				cmd := exec.CommandContext(t.Context(), os.Args[0])
				cmd.Env = append(os.Environ(), childFile+"="+at, childNamed+"=yes", fmt.Sprint(childTurns, "=", turns))
				out := new(bytes.Buffer)
				cmd.Stdout, cmd.Stderr = out, os.Stderr
				must(t, cmd.Start())
				running, said = append(running, cmd), append(said, out)
			}
			for i, cmd := range running {
				must(t, cmd.Wait())
				for line := range strings.Lines(said[i].String()) {
					acknowledged[strings.TrimPrefix(strings.TrimSpace(line), "ack ")] = true
				}
			}
			list, err := open(t, path).List(t.Context())
			must(t, err)
			for _, info := range list {
				delete(acknowledged, info.Name)
			}
			if len(list) != 2*turns || len(acknowledged) > 0 {
				t.Errorf("%d contexts of %d, missing: %v", len(list), 2*turns, acknowledged)
			}
			for _, suffix := range []string{"-wal", "-shm"} {
				if _, err := os.Lstat(other + suffix); err == nil && filepath.Dir(other) != filepath.Dir(path) && name != "through a directory" {
					t.Errorf("there is a %s beside the link", suffix)
				}
			}
		})
	}
}

// A link that leads round in a circle is an error with a remedy.
func TestAttackCircleOfLinks(t *testing.T) {
	testrun.Door(t, "links that lead nowhere")
	dir := t.TempDir()
	must(t, os.Symlink("b.db", filepath.Join(dir, "a.db")))
	must(t, os.Symlink("a.db", filepath.Join(dir, "b.db")))
	_, err := openFile(t.Context(), filepath.Join(dir, "a.db"))
	if e := (*fault.Error)(nil); !errors.As(err, &e) || e.Code != fault.Store || e.Remedy == "" {
		t.Errorf("%v", err)
	}
}

// A process that was killed right after it made a store left the name under which it had made it: the next one opens
// the store all the same.
func TestNameLeftByAKilledMaker(t *testing.T) {
	dir := t.TempDir()
	path, left := filepath.Join(dir, "pact[1].db"), filepath.Join(dir, ".pact[1].db.4711")
	newStoreFile(t, path)
	must(t, os.Link(path, left))
	open(t, path)
	if _, err := os.Lstat(left); err == nil {
		t.Error("the other name is still there")
	}
}
