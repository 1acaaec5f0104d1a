//go:build unix

package postgres_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/postgrestest"
)

// What pg_dump writes of a database, while a writer goes on, and pg_restore makes of
// it in another is one state of all contexts, holds, and goes on.
func TestDumpAndRestore(t *testing.T) {
	dump, err := exec.LookPath("pg_dump")
	if err != nil {
		postgrestest.LeaveOut(t, err)
	}
	restore, err := exec.LookPath("pg_restore")
	if err != nil {
		postgrestest.LeaveOut(t, err)
	}
	from, to := postgrestest.Database(t), postgrestest.Database(t)
	s := open(t, from)
	c, err := pact.Create(t.Context(), dbtest.Of(s), "chat", nil)
	must(t, err)
	for turn := range 5 {
		commit(t, c, fmt.Sprint("token ", turn), turn)
	}
	_, err = c.Fork(t.Context(), pact.Cycle(2), "fork", nil)
	must(t, err)
	_, err = c.Undo(t.Context(), nil)
	must(t, err)
	must(t, c.Edit(t.Context(), func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{Content: "a draft with \x00 and \u2028"})
		return b.Err()
	}, nil))
	busy, err := pact.Create(t.Context(), dbtest.Of(s), "busy", nil)
	must(t, err)
	commit(t, busy, "", 0)

	file := filepath.Join(t.TempDir(), "monday.dump")
	done, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		var err error
		for turn := 1; err == nil; turn++ {
			select {
			case <-done:
				ended <- nil
				return
			default:
				_, err = put(t, busy, "", fmt.Sprint("meanwhile ", turn))
			}
		}
		ended <- err
	}()
	out, err := exec.Command(dump, "--format=custom", "--file="+file, from).CombinedOutput()
	close(done)
	must(t, <-ended)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := exec.Command(restore, "--dbname="+to, "--exit-on-error", file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}

	restored := open(t, to)
	found, err := pact.VerifyAll(t.Context(), dbtest.Of(restored), nil)
	if err != nil || !found.Holds() || len(found.Contexts) != 4 {
		t.Fatalf("%+v, %v", found, err)
	}
	for _, name := range []string{"chat", "chat~c5", "fork"} {
		was, err := s.Find(t.Context(), name)
		must(t, err)
		is, err := restored.Find(t.Context(), name)
		if err != nil || was != is {
			t.Errorf("%s was %+v and is %+v, %v", name, was, is, err)
		}
		if a, b := logOf(t, s, was), logOf(t, restored, is); !reflect.DeepEqual(a, b) {
			t.Errorf("the log of %s is another one", name)
		}
	}
	again, err := pact.Open(t.Context(), dbtest.Of(restored), "chat", nil)
	must(t, err)
	commit(t, again, "after the restore", 5)
	again, err = pact.Create(t.Context(), dbtest.Of(restored), "new", nil) // keys go on where they were
	must(t, err)
	commit(t, again, "", 0)
}

func logOf(t *testing.T, s engine.Contexts, info engine.Info) []history.Entry {
	t.Helper()
	log, err := s.Log(t.Context(), info.Key, 1, info.Revision)
	must(t, err)
	return log
}
