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
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/sure"
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

func searched(t *testing.T, where []byte, what ...string) {
	t.Helper()
	for _, text := range what {
		if bytes.Contains(where, []byte(text)) {
			t.Errorf("%q is still there", text)
		}
	}
}

// TestEraseWithAReader has another process read meanwhile, so that the log
// beside the file cannot be emptied. That is said, and finished later. Then neither the text is left in the bytes of the
// files, nor the hash of the block, nor the salt.
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

	e, hash := salted(w, "block:1-0"), sure.Get(w.state.Head.Node("block:1-0")).Hash
	of, err := s.Erase(t.Context(), w.state.Key, e)
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
	searched(t, files(t, path), "Jane Doe", string(hash[:]), hash.String(), string(e.Salt), hex.EncodeToString(e.Salt))
}
