package sqlite_test

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
)

// salted is an erasure of what a context holds now.
func salted(w *turns, ids ...string) engine.Erase {
	salt := sha256.Sum256([]byte(fmt.Sprint(w.state.Revision)))
	return engine.Erase{IDs: ids, Salt: salt[:], Guard: engine.Guard{Cycle: w.state.Cycle, Revision: w.state.Revision},
		Entry: history.Entry{Actor: "officer", Message: "asked for"}}
}

// files reads the database and what stands beside it.
func files(t *testing.T, path string) []byte {
	t.Helper()
	var all []byte
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		data, err := os.ReadFile(path + suffix)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		all = append(all, data...)
	}
	return all
}

// digests are all that the logs and attempts of all contexts say, raw.
func digests(t *testing.T, s engine.Contexts) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	list, err := s.List(t.Context())
	must(t, err)
	for _, info := range list {
		log, err := s.Log(t.Context(), info.Key, 1, info.Revision)
		must(t, err)
		attempts, err := s.Attempts(t.Context(), info.Key, 0, info.Stamps.Cycle)
		must(t, err)
		var texts []string
		for _, e := range log {
			texts = append(texts, e.Digest, e.Thread, e.Sent)
		}
		for _, a := range attempts {
			texts = append(texts, a.Thread)
		}
		for _, text := range texts {
			if b, err := hex.DecodeString(text); err == nil && len(b) > 0 {
				found[string(b)] = true
			}
		}
	}
	return found
}

// traces are the forms in which a text would show.
func traces(text string) []string {
	quoted := fmt.Sprintf("%+q", text)
	return []string{text, quoted[1 : len(quoted)-1], strings.ReplaceAll(quoted[1:len(quoted)-1], `\`, `\\`)}
}

func searched(t *testing.T, where []byte, what ...string) {
	t.Helper()
	for _, text := range what {
		if bytes.Contains(where, []byte(text)) {
			t.Errorf("%q is still there", text)
		}
	}
}

// TestEraseLeavesNoTrace looks through the bytes of the files for a text that
// was in a snapshot, in versions that were replaced, in drafts that are gone and
// in everything that a log and attempts keep.
func TestEraseLeavesNoTrace(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pact.db")
	s := open(t, path)
	w := begin(t, s)
	const secret = "Jané Doe 4711"
	hash := strings.Repeat("cd", 32)
	long := strings.Repeat("much else, and then "+secret+" again; ", 3000) // of several pages
	edit := func(f func(x *tree.Editor)) {
		t.Helper()
		x := tree.Edit(t.Context(), w.state.Working, w.state.Head, w.state.Stamps, w.env())
		f(x)
		must(t, w.apply(t.Context(), engine.Change{Before: w.state.Working, After: x.Tree(), Stamps: x.Stamps,
			Entry: history.Entry{Cycle: x.Cycle}}))
	}
	var draft string
	for i := range 30 {
		edit(func(x *tree.Editor) {
			_, err := x.Add("^ah", tree.Spec{ID: fmt.Sprint("note", i), Role: "user", Content: fmt.Sprint(secret, " said ", i),
				Tags: []string{secret}})
			must(t, err)
			draft, err = x.Add("^ah", tree.Spec{Content: "a draft: " + long})
			must(t, err)
		})
		edit(func(x *tree.Editor) { must(t, x.Remove(draft)) })
		w.next(t, fmt.Sprint("turn ", i))
	}
	edit(func(x *tree.Editor) {
		_, err := x.Add("^sys", tree.Spec{ID: "rule", Content: long})
		must(t, err)
	})
	a, err := s.PutAttempt(t.Context(), w.state.Key, history.Attempt{Cycle: w.state.Stamps.Cycle, Status: history.Running,
		Provider: "p", Model: "m", Params: strings.Repeat("ef", 32), Thread: hash})
	must(t, err)
	a.Status, a.Error = history.Failed, "refused: "+secret
	_, err = s.PutAttempt(t.Context(), w.state.Key, a)
	must(t, err)
	_, err = s.Fork(t.Context(), w.state.Key, 20, engine.Fork{Name: "fork", Entry: history.Entry{Message: "for " + secret}})
	must(t, err)
	if !bytes.Contains(files(t, path), []byte("Doe 4711")) {
		t.Fatal("the text is not in the files to begin with")
	}
	before := digests(t, s)
	var hashes []string
	for _, content := range []any{long, secret + " said 3"} {
		n := tree.NewNode(tree.Node{Content: tree.Hold(canonical(t, content))}, nil)
		hashes = append(hashes, string(n.Hash[:]), n.Hash.String())
	}

	e := salted(w)
	e.Texts = []string{secret}
	of, err := s.Erase(t.Context(), w.state.Key, e)
	must(t, err)
	if len(of.IDs) != 31 || of.Versions != 31 || of.Entries != 1 || of.Attempts != 1 || of.Remains != "" {
		t.Errorf("erased %+v", of)
	}
	after := digests(t, s)
	gone := 0
	open, text := files(t, path), traces(secret)
	check := func(data []byte) {
		t.Helper()
		searched(t, data, text...)
		searched(t, data, hashes...)
		searched(t, data, hex.EncodeToString(e.Salt), string(e.Salt))
		for b := range before {
			if !after[b] {
				gone++
				searched(t, data, b, hex.EncodeToString([]byte(b)))
			}
		}
	}
	check(open)
	if gone < 100 {
		t.Errorf("%d digests are gone", gone)
	}
	must(t, s.Close())
	check(files(t, path))
}

// TestEraseWithAReader has another process read meanwhile, so that the log
// beside the file cannot be emptied. That is said, and finished later.
func TestEraseWithAReader(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pact.db")
	s := open(t, path)
	w := begin(t, s)
	w.next(t, "Jane Doe 4711")
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	reader, err := db.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
	must(t, err)
	var n int
	must(t, reader.QueryRow("SELECT count(*) FROM pair").Scan(&n))

	of, err := s.Erase(t.Context(), w.state.Key, salted(w, "block:1-0"))
	must(t, err)
	if of.Versions != 1 || !strings.Contains(of.Remains, "another process") {
		t.Errorf("erased %+v", of)
	}
	unclean := func() bool {
		of, err := s.Erase(t.Context(), 0, engine.Erase{DryRun: true})
		must(t, err)
		return of.Remains != ""
	}
	must(t, reader.Rollback())
	if !unclean() {
		t.Error("nothing says that there is something to clean up")
	}
	if of, err = s.Erase(t.Context(), 0, engine.Erase{}); err != nil || of.Remains != "" || unclean() {
		t.Errorf("cleaned up: %+v, %v", of, err)
	}
	searched(t, files(t, path), "Jane Doe")
}

func canonical(t *testing.T, v any) canon.Value {
	t.Helper()
	value, err := canon.Encode(v)
	must(t, err)
	return value
}
