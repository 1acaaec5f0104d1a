package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/testrun"
)

// TestWritersGoOnAfterConflicts has four programs work on one file, each going on after its conflicts.
func TestWritersGoOnAfterConflicts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pact.db")
	stores := make([]engine.Contexts, 4)
	var group sync.WaitGroup
	for i := range stores {
		group.Go(func() {
			var err error
			if stores[i], err = openFile(t.Context(), path); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if t.Failed() {
		t.FailNow()
	}
	first := begin(t, stores[0])
	for i, s := range stores {
		group.Go(func() {
			w := &turns{store: s}
			for n := 0; n < 10; {
				if err := w.load(t.Context(), first.state.Key); err != nil {
					t.Error(err)
					return
				}
				switch err := w.commit(t.Context(), fmt.Sprint(i, n), n%2 == 0); {
				case err == nil:
					n++
				case !errors.Is(err, fault.Conflict):
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	must(t, first.load(t.Context(), first.state.Key))
	if first.state.Cycle != 40 {
		t.Errorf("ended at cycle %d", first.state.Cycle)
	}
	noGaps(t, stores[0], first)
	for _, s := range stores {
		must(t, s.Close())
	}
	sound(t, path)
}

// TestWriterGivesUpOnABusyFile has another program hold the file for longer than a writer waits.
func TestWriterGivesUpOnABusyFile(t *testing.T) {
	testrun.Long(t, "waits five seconds")
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pact.db")
	w := begin(t, open(t, path))
	other := raw(t, path)
	other.SetMaxOpenConns(1)
	_, err := other.Exec("BEGIN IMMEDIATE")
	must(t, err)
	err = w.commit(t.Context(), "held up", false)
	if !errors.Is(err, fault.Busy) || errors.Is(err, fault.Store) || !strings.Contains(err.Error(),
		"another process holds the file") {
		t.Errorf("got %v", err)
	}
	if _, err := w.store.Load(t.Context(), w.state.Key); err != nil {
		t.Errorf("a reader was held up: %v", err)
	}
	_, err = other.Exec("ROLLBACK")
	must(t, err)
	w.next(t, "again")
}

// Many openings of one new file: all see it either empty or migrated.
func TestManyOpenOneNewFile(t *testing.T) {
	for range 20 {
		path := filepath.Join(t.TempDir(), "new.db")
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				s, err := openFile(context.Background(), path)
				if err != nil {
					t.Error(err)
					return
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
}
