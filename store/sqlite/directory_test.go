package sqlite_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/sqlite"
	"github.com/contexttree/pact/tree"
)

// directed makes a file with turns and a directory of the last of them, every run of
// turns a page.
func directed(t *testing.T, n int) (path string, s *sqlite.Store, w *turns) {
	t.Helper()
	t.Cleanup(sqlite.DirectorySoon())
	path = filepath.Join(t.TempDir(), "pact.db")
	s, err := sqlite.Open(t.Context(), path)
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	w = begin(t, s)
	for i := range n {
		w.next(t, fmt.Sprint("turn ", i))
	}
	must(t, s.PackAll(t.Context()))
	return path, s, w
}

// walked looks at every node of a tree and returns its digest, made anew.
func walked(of *tree.Tree) (d tree.Digest, err error) {
	defer tree.Recover(&err)
	var nodes []tree.Placed
	at := map[string]int{"": -1}
	for e, parent := range of.All() {
		at[e.Node().ID] = len(nodes)
		nodes = append(nodes, tree.Placed{Node: e.Node(), Parent: at[parent]})
	}
	again, err := tree.Build(of.Cycle(), nodes)
	if err != nil {
		return d, err
	}
	return again.Digest(), nil
}

func count(t *testing.T, path, query string) (n int) {
	t.Helper()
	db := raw(t, path)
	defer db.Close()
	must(t, db.QueryRow(query).Scan(&n))
	return n
}

const allPages = "SELECT (SELECT count(*) FROM directory) + (SELECT count(*) FROM directory_run)"

// A snapshot that is opened through a directory loads what is looked at, and no more.
func TestOpenedThroughADirectory(t *testing.T) {
	path, _, w := directed(t, 60)
	if n := count(t, path, "SELECT count(*) FROM directory_run"); n < 2 {
		t.Fatalf("60 turns have %d pages", n)
	}
	again := open(t, path)
	st, err := again.Load(t.Context(), w.state.Key)
	must(t, err)
	turns := st.Head.Region(tree.Seq).Children()
	if !turns.Unopened() {
		t.Error("opening loaded the turns")
	}
	if st.Head.Digest() != w.state.Head.Digest() || st.Head.ThreadDigest() != w.state.Head.ThreadDigest() {
		t.Error("opened as another tree")
	}
	if st.Head.Has("block:999-0") || !turns.Unopened() {
		t.Error("an id of a cycle to come was looked for")
	}
	got, err := walked(st.Head)
	if must(t, err); got != w.state.Head.Digest() {
		t.Error("what was loaded is another tree")
	}
}

// damagesOfDirectories are statements that damage the directory of a file.
var damagesOfDirectories = []string{
	"UPDATE directory SET body = CAST(substr(body, 1, 40) || x'ff' || substr(body, 42) AS BLOB)",
	"UPDATE directory SET digest = zeroblob(32)",
	"UPDATE directory SET cycle = cycle - 1",
	"UPDATE directory_run SET body = CAST(substr(body, 1, 60) || x'ff' || substr(body, 62) AS BLOB)",
	"UPDATE directory_run SET body = zeroblob(0)",
	"UPDATE directory_run SET body = (SELECT body FROM directory_run WHERE no = 1) WHERE no > 1",
	"DELETE FROM directory_run WHERE no = 2",
}

// What a directory says is not trusted: whatever is flipped in it is found by Check, and
// readers get the same from the rows. Packing makes it anew.
func TestDamagedDirectory(t *testing.T) {
	for _, statement := range damagesOfDirectories {
		t.Run(statement, func(t *testing.T) {
			path, _, w := directed(t, 60)
			raw(t, path, statement).Close()
			s, err := sqlite.Open(t.Context(), path)
			must(t, err)
			defer s.Close()
			st, err := s.Load(t.Context(), w.state.Key)
			must(t, err)
			if got, err := walked(st.Head); err != nil || got != w.state.Head.Digest() {
				t.Errorf("the reader got another tree, %v", err)
			}
			n := 0
			for at, err := range s.History(t.Context(), w.state.Key, 60, 60) {
				must(t, err)
				if n++; at.Digest() != w.state.Head.Digest() {
					t.Error("the history has another tree")
				}
			}
			if n != 1 {
				t.Errorf("the history has %d snapshots", n)
			}
			if d, err := s.Check(t.Context(), w.state.Key); err != nil || d == nil || !d.Derived {
				t.Errorf("Check found %+v, %v", d, err)
			}
			must(t, s.PackAll(t.Context()))
			if d, err := s.Check(t.Context(), w.state.Key); err != nil || d != nil {
				t.Errorf("after packing, Check found %+v, %v", d, err)
			}
			if n := count(t, path, allPages); n < 2 {
				t.Errorf("%d pages were made anew", n)
			}
			st, err = open(t, path).Load(t.Context(), w.state.Key)
			must(t, err)
			if !st.Head.Region(tree.Seq).Children().Unopened() {
				t.Error("the store is not opened through the new directory")
			}
		})
	}
}

// Where the rows are damaged, a directory in front of them does not hide it, nor does
// one that is damaged too.
func TestDamagedRowsBehindADirectory(t *testing.T) {
	path, s, w := directed(t, 60)
	w.next(t, "one more, in rows")
	must(t, s.Close())
	for _, statement := range []string{"UPDATE node_version SET type = 'mt:x' WHERE id = 'block:61-0'",
		damagesOfDirectories[0]} {
		raw(t, path, statement).Close()
		_, err := open(t, path).Load(t.Context(), w.state.Key)
		var d *store.Damage
		if fault.CodeOf(err) != fault.Store || !errors.As(err, &d) || d.Derived {
			t.Errorf("after %s the reader got %v", statement, err)
		}
	}
}

// Without a directory the same is read from the rows.
func TestDirectoryIsOnlyDerived(t *testing.T) {
	path, _, w := directed(t, 60)
	raw(t, path, "DELETE FROM directory", "DELETE FROM directory_run").Close()
	st, err := open(t, path).Load(t.Context(), w.state.Key)
	must(t, err)
	if st.Head.Digest() != w.state.Head.Digest() {
		t.Error("opened as another tree")
	}
}

// Whoever holds a snapshot still reads all of it when newer directories have replaced
// the pages that it was opened through.
func TestReplacedPages(t *testing.T) {
	path, s, w := directed(t, 40)
	held, err := open(t, path).Load(t.Context(), w.state.Key)
	must(t, err)
	want := w.state.Head.Digest()
	for i := range 6 {
		w.next(t, fmt.Sprint("more ", i))
		must(t, s.PackAll(t.Context()))
	}
	if n := count(t, path, "SELECT count(*) FROM directory"); n != 2 {
		t.Errorf("there are %d directories", n)
	}
	got, err := walked(held.Head)
	if must(t, err); got != want {
		t.Error("what was loaded is another tree")
	}
}

// An erasure takes the directories along, and a snapshot that was held is refused
// where it would have to be loaded.
func TestErasureDropsDirectories(t *testing.T) {
	path, s, w := directed(t, 40)
	held, err := s.Load(t.Context(), w.state.Key)
	must(t, err)
	_, err = s.Erase(t.Context(), w.state.Key, store.Erase{IDs: []string{"block:3-0"}, Salt: make([]byte, 32),
		Guard: store.Guard{Cycle: held.Cycle, Revision: held.Revision}, Entry: store.Entry{Message: "asked to"}})
	must(t, err)
	if n := count(t, path, allPages); n != 0 {
		t.Errorf("%d pages are left", n)
	}
	if _, err := walked(held.Head); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("the snapshot of before was read: %v", err)
	}
	st, err := s.Load(t.Context(), w.state.Key)
	must(t, err)
	if _, err := walked(st.Head); err != nil {
		t.Error(err)
	}
}

// A fork is opened through the directory of its origin, and lives on when the origin
// is deleted.
func TestForkUsesTheDirectoryOfItsOrigin(t *testing.T) {
	path, s, w := directed(t, 40)
	info, err := s.Fork(t.Context(), w.state.Key, 40, store.Fork{Name: "fork", Entry: store.Entry{}})
	must(t, err)
	f := &turns{store: s, name: "fork"}
	must(t, f.load(t.Context(), info.Key))
	if !f.state.Head.Region(tree.Seq).Children().Unopened() {
		t.Error("opening the fork loaded the turns")
	}
	for i := range 5 {
		f.next(t, fmt.Sprint("in the fork ", i))
		w.next(t, fmt.Sprint("beside it ", i))
		must(t, s.PackAll(t.Context()))
	}
	must(t, s.Delete(t.Context(), w.state.Key))
	again := open(t, path)
	must(t, (&turns{store: again}).load(t.Context(), info.Key))
	st, err := again.Load(t.Context(), info.Key)
	must(t, err)
	got, err := walked(st.Head)
	if must(t, err); got != f.state.Head.Digest() {
		t.Error("what was loaded is another tree")
	}
	if d, err := again.CheckAll(t.Context()); d != nil || err != nil {
		t.Errorf("%+v, %v", d, err)
	}
}
