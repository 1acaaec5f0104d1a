package pact_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/store"

	"github.com/contexttree/pact/store/sqlite"
)

func TestForkGoesItsOwnWay(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	c := create(t, s)
	turnsOf(t, c, "one", "two")
	must(t, c.Edit(background, say("a draft"), nil))
	f, err := c.Fork(background, pact.Back(1), "fork", &pact.Note{Actor: "me", Message: "another try"})
	must(t, err)
	if first, last := f.Cycles(); first != 1 || last != 1 || f.Name() != "fork" || f.Edition() != c.Edition() {
		t.Errorf("the fork %s has the cycles %d to %d", f.Name(), first, last)
	}
	if thread(t, f, pact.Working()) != thread(t, c, pact.Cycle(1)) {
		t.Error("the fork does not begin as its snapshot")
	}
	before := thread(t, c, pact.Working())
	turnsOf(t, f, "two, otherwise")
	if thread(t, c, pact.Working()) != before {
		t.Error("the fork shows in its origin")
	}
	ofFork := thread(t, f, pact.Latest())
	turnsOf(t, c, "three")
	if thread(t, f, pact.Latest()) != ofFork {
		t.Error("the origin shows in its fork")
	}
	got := ids(t, f, "@t0 ^seq .cb")
	if want := []string{"cb:1-0", "cb:2-0-f1"}; !slices.Equal(got, want) {
		t.Errorf("the blocks are %q, want %q", got, want)
	}
	if got := ids(t, f, "@t0 #mt:2-1-f1"); len(got) != 1 {
		t.Errorf("the turn is %q", got)
	}
	log, err := logOf(f)
	must(t, err)
	if e := log[2]; len(log) != 4 || e.Kind != history.Forked || e.Actor != "me" || e.Message != "another try" ||
		e.Cycle != 1 {
		t.Errorf("logged %+v", log)
	}
	origins, err := f.Origins(background)
	if err != nil || len(origins) != 1 || origins[0] != (pact.Origin{Name: "c", Cycle: 1, Revision: 3}) {
		t.Errorf("the origins are %+v, %v", origins, err)
	}
	// An id that the origin took after the fork is free in the fork, one that
	// it had before is not.
	for id, taken := range map[string]bool{"cb:2-0": false, "cb:1-0": true} {
		err := f.Edit(background, func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{ID: id})
			return nil
		}, nil)
		if errors.Is(err, fault.NodeDuplicate) != taken {
			t.Errorf("%s in the fork: %v", id, err)
		}
	}
}

func TestForkRefusesBadInput(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()))
	turnsOf(t, c, "one")
	for _, at := range []pact.Address{pact.Working(), pact.Back(1), pact.Cycle(0), pact.Cycle(2)} {
		if _, err := c.Fork(background, at, "fork", nil); !errors.Is(err, fault.SnapshotNotFound) {
			t.Errorf("a fork of %v: %v", at, err)
		}
	}
	if _, err := c.Fork(background, pact.Latest(), "c", nil); !errors.Is(err, fault.Conflict) {
		t.Errorf("a fork with a name that is taken: %v", err)
	}
}

func TestForkIsRepeatedByItsToken(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()))
	turnsOf(t, c, "one", "two")
	for range 2 {
		f, err := c.Fork(background, pact.Cycle(1), "fork", &pact.Note{Request: "token"})
		must(t, err)
		if _, last := f.Cycles(); f.Name() != "fork" || last != 1 {
			t.Errorf("got %s at cycle %d", f.Name(), last)
		}
	}
	if _, err := c.Fork(background, pact.Cycle(1), "fork", &pact.Note{Request: "other"}); !errors.Is(err, fault.Conflict) {
		t.Errorf("another request with the same name: %v", err)
	}
}

func TestUndoTakesCommitsBack(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	c := create(t, s)
	turnsOf(t, c, "one", "two", "three")
	must(t, c.Edit(background, say("a draft"), nil))
	two, three, draft := thread(t, c, pact.Cycle(2)), thread(t, c, pact.Cycle(3)), thread(t, c, pact.Working())

	undone, err := c.Undo(background, nil)
	must(t, err)
	if undone != "c~c3" || c.Name() != "c" || thread(t, c, pact.Latest()) != two || thread(t, c, pact.Working()) != two {
		t.Errorf("undone is %q, the context %s holds %s", undone, c.Name(), thread(t, c, pact.Working()))
	}
	old, err := pact.Open(background, s, undone, nil)
	must(t, err)
	if thread(t, old, pact.Latest()) != three || thread(t, old, pact.Working()) != draft {
		t.Error("the old line was not kept")
	}
	turnsOf(t, c, "three, otherwise")
	again, err := pact.Open(background, s, "c", nil)
	must(t, err)
	if thread(t, again, pact.Latest()) != thread(t, c, pact.Latest()) {
		t.Error("the name does not lead to the fork")
	}
	if got := ids(t, c, "@t0 ^seq .cb"); !slices.Equal(got, []string{"cb:1-0", "cb:2-0", "cb:3-0-f1"}) {
		t.Errorf("the blocks are %q", got)
	}

	// Once more at the same cycle, and back to the beginning.
	for _, want := range []string{"c~c3~2", "c~c2"} {
		if undone, err := c.Undo(background, nil); err != nil || undone != want {
			t.Errorf("undone is %q, %v, want %q", undone, err, want)
		}
	}
	if _, err := c.Undo(background, nil); !errors.Is(err, fault.SnapshotNotFound) {
		t.Errorf("there is nothing to go back to: %v", err)
	}
	if list := verdicts(t, s); len(list) > 0 {
		t.Errorf("does not hold: %q", list)
	}
}

// TestUndoConflictsWithAnotherWriter: the second writer is refused, whichever of the
// two undoes.
func TestUndoConflictsWithAnotherWriter(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	one := create(t, s)
	turnsOf(t, one, "one", "two")
	two, err := pact.Open(background, s, "c", nil)
	must(t, err)
	turnsOf(t, two, "three")
	if _, err := one.Undo(background, nil); !errors.Is(err, fault.Conflict) {
		t.Errorf("undid what it did not see: %v", err)
	}
	must(t, one.Refresh(background))
	_, err = one.Undo(background, nil)
	must(t, err)
	if _, err := two.Commit(background, &pact.CommitOptions{Edit: say("four")}); !errors.Is(err, fault.Conflict) {
		t.Errorf("went on with what was undone: %v", err)
	}
	if _, err := two.Undo(background, nil); !errors.Is(err, fault.Conflict) {
		t.Errorf("undid it twice: %v", err)
	}
	must(t, two.Refresh(background))
	if two.Name() != "c~c3" {
		t.Errorf("the old line is called %s", two.Name())
	}
}

func TestUndoIsRepeatedByItsToken(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	one := create(t, s)
	turnsOf(t, one, "one", "two", "three")
	other, err := pact.Open(background, s, "c", nil) // whose answer got lost
	must(t, err)
	for range 2 {
		undone, err := one.Undo(background, &pact.Note{Request: "token"})
		if _, last := one.Cycles(); err != nil || undone != "c~c3" || last != 2 {
			t.Errorf("undone is %q, %v, at cycle %d", undone, err, last)
		}
	}
	undone, err := other.Undo(background, &pact.Note{Request: "token"})
	if _, last := other.Cycles(); err != nil || undone != "c~c3" || last != 2 || other.Name() != "c" {
		t.Errorf("undone is %q, %v, at cycle %d of %s", undone, err, last, other.Name())
	}
	_, err = one.Commit(background, &pact.CommitOptions{Note: pact.Note{Request: "commit"}})
	must(t, err)
	if _, err := one.Undo(background, &pact.Note{Request: "commit"}); !errors.Is(err, fault.Conflict) {
		t.Errorf("the token of a commit: %v", err)
	}
}

// TestCopyOfAFork takes forks through both forms of history and through a
// copy, which know of one line only.
func TestCopyOfAFork(t *testing.T) {
	s, err := dbtest.Open(sqlite.Open(background, filepath.Join(t.TempDir(), "pact.db")))
	must(t, err)
	defer s.Close()
	c := create(t, s)
	turnsOf(t, c, "one", "two", "three")
	f, err := c.Fork(background, pact.Cycle(2), "fork", nil)
	must(t, err)
	turnsOf(t, f, "three, otherwise", "four")
	g, err := f.Fork(background, pact.Cycle(3), "fork of the fork", nil)
	must(t, err)
	turnsOf(t, g, "four, otherwise")
	for _, from := range []*pact.Context{f, g} {
		var compact, whole bytes.Buffer
		must(t, from.Export(background, &compact))
		must(t, from.ExportSnapshots(background, &whole, pact.Cycle(1), pact.Latest()))
		want := whole.String()
		for i, read := range []func(name string) (*pact.Context, error){
			func(name string) (*pact.Context, error) {
				return from.Copy(background, pact.NewDB(store.NewMemory()), name)
			},
			func(name string) (*pact.Context, error) {
				c, _, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()), name, &compact,
					&pact.ImportHistoryOptions{HistoryOptions: pact.HistoryOptions{Strict: true}})
				return c, err
			},
			func(name string) (*pact.Context, error) {
				c, _, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()), name, bytes.NewReader(whole.Bytes()),
					&pact.ImportHistoryOptions{HistoryOptions: pact.HistoryOptions{Strict: true}})
				return c, err
			},
		} {
			again, err := read(fmt.Sprint(i))
			must(t, err)
			var got bytes.Buffer
			must(t, again.ExportSnapshots(background, &got, pact.Cycle(1), pact.Latest()))
			if got.String() != want {
				t.Errorf("%s, way %d: the history differs", from.Name(), i)
			}
		}
	}
	origins, err := g.Origins(background)
	if err != nil || len(origins) != 2 || origins[0].Name != "fork" || origins[1].Name != "c" || origins[1].Cycle != 2 {
		t.Errorf("the origins are %+v, %v", origins, err)
	}
	if list := verdicts(t, s); len(list) > 0 {
		t.Errorf("does not hold: %q", list)
	}
}

// unfindable is a store that fails when it is asked for a name, once that is switched on.
type unfindable struct {
	engine.Contexts
	fails bool
}

func (s *unfindable) Find(ctx context.Context, name string) (engine.Info, error) {
	if s.fails {
		return engine.Info{}, fault.New(fault.Store, "the disk failed", "check the disk")
	}
	return s.Contexts.Find(ctx, name)
}

// TestUndoSaysThatTheStoreFailed has a name that is taken, and a store that fails when it is
// asked about it: that is no conflict with another writer.
func TestUndoSaysThatTheStoreFailed(t *testing.T) {
	s := &unfindable{Contexts: engine.InMemory()}
	c := create(t, dbtest.Of(s))
	turnsOf(t, c, "one", "two")
	_, err := pact.Create(background, dbtest.Of(s), "c~c2", nil)
	must(t, err)
	before := thread(t, c, pact.Latest())
	s.fails = true
	if _, err := c.Undo(background, nil); fault.CodeOf(err) != fault.Store {
		t.Errorf("undo: %v", err)
	}
	s.fails = false
	must(t, c.Refresh(background))
	if thread(t, c, pact.Latest()) != before {
		t.Error("the undo was made")
	}
}
