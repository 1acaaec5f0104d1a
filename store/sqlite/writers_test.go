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
	"github.com/contexttree/pact/internal/tree"
)

// TestTwoWriters has two programs work on one file.
func TestTwoWriters(t *testing.T) {
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
	second := &turns{store: stores[1]}
	must(t, second.load(t.Context(), first.state.Key))
	first.next(t, "one")
	if err := second.commit(t.Context(), "two", false); !errors.Is(err, fault.Conflict) {
		t.Errorf("the second writer got %v", err)
	}
	must(t, second.load(t.Context(), first.state.Key))
	second.next(t, "two")
	if err := first.commit(t.Context(), "three", false); !errors.Is(err, fault.Conflict) {
		t.Errorf("the first writer got %v", err)
	}
	// A draft that is there no longer when another wants to change it.
	draft := func(w *turns, f func(x *tree.Editor)) error {
		x := tree.Edit(t.Context(), w.state.Working, w.state.Head, w.state.Stamps, w.env())
		f(x)
		return w.apply(t.Context(), engine.Change{Before: w.state.Working, After: x.Tree(), Stamps: x.Stamps})
	}
	var id string
	must(t, draft(second, func(x *tree.Editor) { id, _ = x.Add("^ah", tree.Spec{Content: "draft"}) }))
	third := &turns{store: stores[2]}
	must(t, third.load(t.Context(), first.state.Key))
	must(t, draft(second, func(x *tree.Editor) { must(t, x.Remove(id)) }))
	err := draft(third, func(x *tree.Editor) { must(t, x.Update(id, map[string]any{"content": "better"})) })
	if !errors.Is(err, fault.Conflict) {
		t.Errorf("the third writer got %v", err)
	}
	// All at once, each going on after its conflicts.
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
	if first.state.Cycle != 42 {
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
