package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
)

// wide makes a context whose snapshot of cycle 1 has so many blocks.
func wide(t *testing.T, s engine.Contexts, blocks int) engine.Info {
	t.Helper()
	node := func(id, kind string, ns int) *tree.Node {
		n := tree.Node{ID: id, Type: kind, Cycle: 1, CreatedNS: int64(ns), Expiry: tree.Never}
		if kind == "block" {
			n.Content = tree.Hold(`"text"`)
		}
		return tree.NewNode(n, nil)
	}
	nodes := []tree.Placed{{Node: node("root", "^root", 1), Parent: -1}, {Node: node("sys", "^sys", 2)},
		{Node: node("seq", "^seq", 3)}, {Node: node("ah", "^ah", 4)}}
	for i := range blocks {
		nodes = append(nodes, tree.Placed{Node: node(fmt.Sprint("b", i), "block", 5+i), Parent: 1})
	}
	first, err := tree.Build(1, nodes)
	must(t, err)
	info, err := s.Create(t.Context(), engine.Creation{Name: "wide", Edition: "canonical", Tree: first, Imported: true,
		Stamps: tree.Stamps{Cycle: 2, LastNS: int64(blocks) + 5, Given: -1}})
	must(t, err)
	return info
}

// counted counts the rows of contexts in every table.
func counted(t *testing.T, path string) map[string]int {
	t.Helper()
	db := raw(t, path)
	defer db.Close()
	var pairs, records int
	must(t, db.QueryRow("SELECT (SELECT count(*) FROM pair WHERE space > 0), (SELECT count(*) FROM log)").Scan(&pairs,
		&records))
	return map[string]int{"pair": pairs, "log": records}
}

// TestForkIsConstant forks a small context and one of 100,000 nodes: both cost
// a record, what is said of the fork, two notes in its family, and the same pages of the file.
func TestForkIsConstant(t *testing.T) {
	testrun.OneGoroutine(t)
	pages := map[int]int64{}
	for _, blocks := range []int{100, 100_000} {
		path := filepath.Join(t.TempDir(), "pact.db")
		s, err := openFile(t.Context(), path)
		must(t, err)
		info := wide(t, s, blocks)
		must(t, s.Close()) // which empties the journal
		before := counted(t, path)
		again := open(t, path)
		f, err := again.Fork(t.Context(), info.Key, 1, engine.Fork{Name: "fork"})
		must(t, err)
		journal, err := os.Stat(path + "-wal")
		must(t, err)
		pages[blocks] = journal.Size() / 4096
		after := counted(t, path)
		before["pair"] += 3
		before["log"]++
		if fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("%d blocks: the rows are %v, want %v", blocks, after, before)
		}
		st, err := again.Load(t.Context(), f.Key)
		must(t, err)
		if st.Head.Len() != blocks+4 {
			t.Errorf("the fork has %d nodes", st.Head.Len())
		}
		w := &turns{store: again, state: *st}
		w.next(t, "a turn of the fork")
		if now := counted(t, path); now["log"] != after["log"]+1 || now["pair"] != after["pair"] {
			t.Errorf("a commit in the fork turned %v into %v", after, now)
		}
	}
	if pages[100_000] > pages[100]+2 { // an index may be a level deeper
		t.Errorf("a fork wrote %d pages of a small context, %d of a large one", pages[100], pages[100_000])
	}
	t.Logf("pages in the journal: %v", pages)
}

// TestDeletedForksLeaveNothing deletes a family in every order. Of a deleted
// context only what its forks share stays, and in the end nothing.
func TestDeletedForksLeaveNothing(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		path := filepath.Join(t.TempDir(), "pact.db")
		s := open(t, path)
		a := begin(t, s)
		for i := range 3 {
			a.attempt(t)
			a.next(t, fmt.Sprint(i))
		}
		family := []*turns{a}
		for i, cycle := range []int64{2, 3} { // a fork of a, and one of that
			info, err := s.Fork(t.Context(), family[i].state.Key, cycle, engine.Fork{Name: fmt.Sprint("fork", i)})
			must(t, err)
			w := &turns{store: s}
			must(t, w.load(t.Context(), info.Key))
			for range 2 {
				w.attempt(t)
				w.next(t, fmt.Sprint("of fork ", i))
			}
			family = append(family, w)
		}
		for n, i := range order {
			must(t, s.Delete(t.Context(), family[i].state.Key))
			for _, rest := range order[n+1:] {
				w := family[rest]
				st, err := s.Load(t.Context(), w.state.Key)
				must(t, err)
				for e := range sure.All(st.Head.All()) {
					if _, err := e.Node().Content.Value(t.Context()); err != nil {
						t.Fatalf("order %v: %v", order, err)
					}
				}
				if damage, err := s.Check(t.Context(), w.state.Key); err != nil || damage != nil ||
					st.Head.Digest() != w.state.Head.Digest() {
					t.Errorf("order %v: %+v, %v", order, damage, err)
				}
			}
		}
		if rows := counted(t, path); rows["log"]+rows["pair"] > 0 {
			t.Errorf("order %v: left are %v", order, rows)
		}
	}
}

// TestForkOfAnotherProcess: what one process deleted, another cannot write to,
// although the rows that a fork shares are still there.
func TestForkOfAnotherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pact.db")
	one, two := open(t, path), open(t, path)
	w := begin(t, one)
	open := w.attempt(t)
	w.next(t, "shared")
	_, err := one.Fork(t.Context(), w.state.Key, 1, engine.Fork{Name: "fork"})
	must(t, err)
	must(t, two.Delete(t.Context(), w.state.Key))
	err = w.commit(t.Context(), "too late", false)
	if err == nil || fault.CodeOf(err) != fault.ContextNotFound {
		t.Errorf("wrote to a deleted context: %v", err)
	}
	open.Status = history.Completed
	for _, a := range []history.Attempt{w.call(), open} {
		if _, err := one.PutAttempt(t.Context(), w.state.Key, a); err == nil || fault.CodeOf(err) != fault.ContextNotFound {
			t.Errorf("wrote an attempt to a deleted context: %v", err)
		}
	}
}

// TestDamagedAttempt does not end an attempt that is not as it was written: what is written then
// would hide that.
func TestDamagedAttempt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pact.db")
	s := open(t, path)
	a := begin(t, s).attempt(t)
	must(t, raw(t, path, "UPDATE pair SET value = CAST(value || x'00' AS BLOB) WHERE space = 1 AND substr(name, 1, 1) = x'61'").Close())
	a.Status = history.Completed
	if _, err := s.PutAttempt(t.Context(), 1, a); err == nil || !isStore(err) || !strings.Contains(err.Error(),
		"attempt:1-1 is not as it was recorded") {
		t.Errorf("ended a damaged attempt: %v", err)
	}
	if damage, err := s.Check(t.Context(), 1); err != nil || damage == nil || damage.Cycle != 1 {
		t.Errorf("the damage is %+v, %v", damage, err)
	}
}
