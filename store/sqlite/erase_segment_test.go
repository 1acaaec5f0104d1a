package sqlite_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/sure"
	"github.com/klauspost/compress/zstd"
)

// joined are the heads and blocks of all segments, and what they hold, opened.
func joined(t *testing.T, path string) (heads, blocks [][]byte, open string) {
	t.Helper()
	db := raw(t, path)
	defer db.Close()
	rows, err := db.Query("SELECT name, value FROM pair WHERE space > 0 AND substr(name, 1, 1) IN (x'68', x'62') ORDER BY space, name")
	must(t, err)
	defer rows.Close()
	decoder, err := zstd.NewReader(nil)
	must(t, err)
	defer decoder.Close()
	for rows.Next() {
		var name, value []byte
		must(t, rows.Scan(&name, &value))
		text, err := decoder.DecodeAll(value, nil)
		must(t, err)
		if open += string(text); name[0] == 'h' {
			heads = append(heads, value)
		} else {
			blocks = append(blocks, value)
		}
	}
	must(t, rows.Err())
	return heads, blocks, open
}

// TestErasedFromSegments erases a text that is in one of several segments, in an origin and its
// fork. Nothing holds it afterwards, and no part of the segment that held it is in the file, nor
// the hash of the content; the blocks of contents that did not have it are as they were.
func TestErasedFromSegments(t *testing.T) {
	t.Cleanup(joinSoon())
	path := filepath.Join(t.TempDir(), "pact.db")
	s, err := openFile(t.Context(), path)
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
	f, err := s.Fork(t.Context(), w.state.Key, 15, engine.Fork{Name: "fork"})
	must(t, err)
	must(t, s.SettleAll(t.Context()))
	heads, before, open := joined(t, path)
	if !strings.Contains(open, written) || len(before) < 8 {
		t.Fatalf("%d blocks, with %q", len(before), open)
	}
	node := sure.Get(w.state.Head.Node("block:10-0"))
	hash := node.Hash
	e := salted(w)
	e.Texts = []string{secret}
	of, err := s.Erase(t.Context(), w.state.Key, e)
	must(t, err)
	if of.Remains != "" || len(of.Contexts) != 2 || of.Versions != 1 {
		t.Fatalf("erased %+v", of)
	}
	left, after, open := joined(t, path)
	if strings.Contains(open, written) || len(after) != len(before) {
		t.Fatalf("%d blocks after %d, with %q", len(after), len(before), open)
	}
	data, kept := files(t, path), bytes.Join(append(left, after...), nil)
	searched(t, data, secret, written, string(hash[:]))
	changed := 0
	for i, part := range append(before, heads...) {
		if bytes.Contains(kept, part) {
			continue
		}
		if i < len(before) {
			changed++
		}
		for at := 0; at+24 <= len(part); at += 8 {
			if piece := part[at : at+24]; bytes.Contains(data, piece) && !bytes.Contains(kept, piece) {
				t.Errorf("bytes %d to %d of what held the text are in the file", at, at+24)
			}
		}
	}
	if changed != 1 {
		t.Errorf("%d blocks changed", changed)
	}
	for _, key := range []history.Key{w.state.Key, f.Key} {
		if damage, err := s.Check(t.Context(), key); err != nil || damage != nil {
			t.Errorf("%+v, %v", damage, err)
		}
		st, err := s.Load(t.Context(), key)
		must(t, err)
		if n := sure.Get(st.Head.Node("block:10-0")); n == nil || !n.Erased() {
			t.Errorf("the node is %+v", n)
		}
	}
}

// TestTrimmedSegments deletes an origin whose segments a fork shares up to the middle of one: what
// comes after that is gone, what comes before is read as before, and the rest goes with the fork.
func TestTrimmedSegments(t *testing.T) {
	t.Cleanup(joinSoon())
	path := filepath.Join(t.TempDir(), "pact.db")
	s, err := openFile(t.Context(), path)
	must(t, err)
	defer s.Close()
	w := begin(t, s)
	for i := range 20 {
		w.next(t, fmt.Sprintf("said in turn %d.", i+1))
	}
	f, err := s.Fork(t.Context(), w.state.Key, 10, engine.Fork{Name: "fork"})
	must(t, err)
	must(t, s.SettleAll(t.Context()))
	want, err := engine.Snapshot(t.Context(), s, f.Key, 10)
	must(t, err)
	must(t, s.Delete(t.Context(), w.state.Key))
	_, _, open := joined(t, path)
	if !strings.Contains(open, "in turn 10.") || strings.Contains(open, "in turn 11.") {
		t.Errorf("what is left is %q", open)
	}
	st, err := s.Load(t.Context(), f.Key)
	must(t, err)
	if st.Head.Digest() != want.Digest() {
		t.Error("the fork is another one")
	}
	for _, key := range []history.Key{f.Key} {
		if damage, err := s.Check(t.Context(), key); err != nil || damage != nil {
			t.Errorf("%+v, %v", damage, err)
		}
	}
	forked := &turns{store: s}
	must(t, forked.load(t.Context(), f.Key))
	forked.next(t, "a turn of the fork")
	must(t, s.SettleAll(t.Context()))
	if damage, err := s.CheckAll(t.Context()); err != nil || damage != nil {
		t.Errorf("%+v, %v", damage, err)
	}
	must(t, s.Delete(t.Context(), f.Key))
	if rows := counted(t, path); rows["log"]+rows["pair"] > 0 {
		t.Errorf("left are %v", rows)
	}
}
