package sqlite_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/internal/page"
	"github.com/contexttree/pact/store/sqlite"
)

// storedPages are the bytes of all heads and blocks, and what they hold, opened.
func storedPages(t *testing.T, path string) (stored [][]byte, open string) {
	t.Helper()
	db := raw(t, path)
	defer db.Close()
	rows, err := db.Query(`SELECT p.head, b.body FROM page p JOIN page_block b USING (branch, last_birth, last_nid)
		ORDER BY 1, b.no`)
	must(t, err)
	defer rows.Close()
	var all strings.Builder
	var x page.Index
	for n := 0; rows.Next(); n++ {
		var head, body []byte
		must(t, rows.Scan(&head, &body))
		must(t, x.Decode(head))
		if len(x.Blocks) != 1 {
			t.Fatalf("a page has %d blocks, and the test knows of one", len(x.Blocks))
		}
		contents, err := x.Blocks[0].Open(body)
		must(t, err)
		for _, r := range x.Rows {
			fmt.Fprintln(&all, r.ID, r.Headers, r.ISO)
		}
		all.Write(contents)
		stored = append(stored, head, body)
	}
	must(t, rows.Err())
	return stored, all.String()
}

// TestErasedFromPages erases a text that is in one of several pages, in an origin and
// its fork. No page holds it afterwards, and no part of the page that held it is in the
// file, nor the hash of the content; the other pages are as they were.
func TestErasedFromPages(t *testing.T) {
	t.Cleanup(sqlite.PackSoon(4, 1))
	path := filepath.Join(t.TempDir(), "pact.db")
	s, err := sqlite.Open(t.Context(), path)
	must(t, err)
	defer s.Close()
	w := begin(t, s)
	const secret, written = "Jané Doe 4711", "Doe 4711" // é is escaped
	for i := range 20 {
		text := fmt.Sprintf("turn %d", i)
		if i == 9 {
			text = "it was " + secret
		}
		w.next(t, text)
	}
	f, err := s.Fork(t.Context(), w.state.Key, 15, store.Fork{Name: "fork"})
	must(t, err)
	must(t, s.PackAll(t.Context()))
	before, open := storedPages(t, path)
	if !strings.Contains(open, written) || len(before) < 10 {
		t.Fatalf("%d parts of pages, with %q", len(before), open)
	}
	node := w.state.Head.Node("block:10-0")
	hash := node.Hash
	e := salted(w)
	e.Texts = []string{secret}
	of, err := s.Erase(t.Context(), w.state.Key, e)
	must(t, err)
	if of.Remains != "" || len(of.Contexts) != 2 || of.Versions != 1 {
		t.Fatalf("erased %+v", of)
	}
	after, open := storedPages(t, path)
	if strings.Contains(open, written) || len(after) != len(before) {
		t.Fatalf("%d parts of pages, with %q", len(after), open)
	}
	data, kept := files(t, path), bytes.Join(after, nil)
	searched(t, data, secret, written, string(hash[:]))
	changed := 0
	for _, part := range before {
		if bytes.Contains(kept, part) {
			continue
		}
		changed++
		for at := 0; at+24 <= len(part); at += 8 {
			if piece := part[at : at+24]; bytes.Contains(data, piece) && !bytes.Contains(kept, piece) {
				t.Errorf("bytes %d to %d of what held the text are in the file", at, at+24)
			}
		}
	}
	if changed != 2 {
		t.Errorf("%d heads and blocks changed, want one of each", changed)
	}
	for _, key := range []store.Key{w.state.Key, f.Key} {
		if damage, err := s.Check(t.Context(), key); err != nil || damage != nil {
			t.Errorf("%+v, %v", damage, err)
		}
		st, err := s.Load(t.Context(), key)
		must(t, err)
		if n := st.Head.Node("block:10-0"); n == nil || !n.Erased() {
			t.Errorf("the node is %+v", n)
		}
	}
}

// TestTrimmedPages deletes an origin whose pages a fork shares up to the middle of one:
// what comes after that is gone, what comes before is read as before, and the rest goes
// with the fork.
func TestTrimmedPages(t *testing.T) {
	t.Cleanup(sqlite.PackSoon(4, 1))
	path := filepath.Join(t.TempDir(), "pact.db")
	s, err := sqlite.Open(t.Context(), path)
	must(t, err)
	defer s.Close()
	w := begin(t, s)
	for i := range 20 {
		w.next(t, fmt.Sprintf("said in turn %d.", i+1))
	}
	f, err := s.Fork(t.Context(), w.state.Key, 10, store.Fork{Name: "fork"})
	must(t, err)
	must(t, s.PackAll(t.Context()))
	want, err := store.Snapshot(t.Context(), s, f.Key, 10)
	must(t, err)
	must(t, s.Delete(t.Context(), w.state.Key))
	_, open := storedPages(t, path)
	if !strings.Contains(open, "in turn 10.") || strings.Contains(open, "in turn 11.") {
		t.Errorf("what is left is %q", open)
	}
	st, err := s.Load(t.Context(), f.Key)
	must(t, err)
	if st.Head.Digest() != want.Digest() {
		t.Error("the fork is another one")
	}
	for _, key := range []store.Key{f.Key} {
		if damage, err := s.Check(t.Context(), key); err != nil || damage != nil {
			t.Errorf("%+v, %v", damage, err)
		}
	}
	forked := &turns{store: s}
	must(t, forked.load(t.Context(), f.Key))
	forked.next(t, "a turn of the fork")
	must(t, s.PackAll(t.Context()))
	if damage, err := s.CheckAll(t.Context()); err != nil || damage != nil {
		t.Errorf("%+v, %v", damage, err)
	}
	must(t, s.Delete(t.Context(), f.Key))
	for _, table := range []string{"page", "page_block", "page_name", "node_version", "content"} {
		var n int
		must(t, raw(t, path).QueryRow("SELECT count(*) FROM "+table).Scan(&n))
		if n > 0 {
			t.Errorf("%d rows are left in %s", n, table)
		}
	}
}

// An erasure makes the snapshots anew that show what goes, and none before them.
func TestErasureBeginsWhereSomethingChanges(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "pact.db"))
	w := begin(t, s)
	const cycles = 200
	for i := range cycles {
		w.next(t, fmt.Sprint("turn ", i))
	}
	for _, cycle := range []int{195, 5} {
		must(t, w.load(t.Context(), w.state.Key))
		made, done, total := 0, 0, 0
		e := salted(w, fmt.Sprintf("block:%d-0", cycle))
		e.Progress = func(at, of int) { made, done, total = made+1, at, of }
		_, err := s.Erase(t.Context(), w.state.Key, e)
		must(t, err)
		// Those of the cycle and later, the working state, and a step over those before.
		if want := cycles - cycle + 3; made != want || done != total {
			t.Errorf("erasing in cycle %d of %d told of %d steps, want %d, and ended at %d of %d", cycle, cycles, made, want,
				done, total)
		}
		if damage, err := s.Check(t.Context(), w.state.Key); err != nil || damage != nil {
			t.Errorf("%+v, %v", damage, err)
		}
	}
}
