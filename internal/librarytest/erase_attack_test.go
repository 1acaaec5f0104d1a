package librarytest

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"

	"github.com/contexttree/pact/store/sqlite"
	"github.com/klauspost/compress/zstd"
)

// contextWithPIN is a conversation in which a PIN was said, in drafts that were
// changed or removed before a commit, and sent to a provider.
func contextWithPIN(t testing.TB, s *pact.DB, pin string) *pact.Context {
	t.Helper()
	c := create(t, s)
	edit := func(f func(b *pact.Batch) error) { must(t, c.Edit(background, f, nil)) }
	send := func() {
		_, err := c.StartAttempt(background, pact.ProviderCall{Provider: "p", Model: "m"}, io.Discard, nil)
		must(t, err)
	}
	commit := func() {
		_, err := c.Commit(background, nil)
		must(t, err)
	}
	edit(say("Good morning."))
	send()
	commit()
	said := pact.Spec{ID: "said", Role: "user", Kind: "text", Content: "My PIN is " + pin}
	edit(func(b *pact.Batch) error { b.Add("^ah", said); return nil })
	send()
	edit(func(b *pact.Batch) error {
		b.Update("said", func(s *pact.Spec) { s.Content = "My PIN is secret" })
		return nil
	})
	commit()
	said.ID, said.Content = "again", pin
	edit(func(b *pact.Batch) error { b.Add("^ah", said); return nil })
	send()
	edit(func(b *pact.Batch) error {
		b.Remove("again")
		return nil
	})
	edit(say("And so on."))
	return c
}

// cells are all values of all tables of a file, as bytes, and what those are that are packed.
func cells(t *testing.T, path string) (all [][]byte) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	decoder, err := zstd.NewReader(nil)
	must(t, err)
	defer decoder.Close()
	rows, err := db.Query("SELECT name, value FROM (SELECT * FROM pair ORDER BY space, name) UNION ALL SELECT NULL, value FROM log")
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		var name, value []byte
		must(t, rows.Scan(&name, &value))
		all = append(all, name, value)
		if at := bytes.Index(value, []byte("\x28\xb5\x2f\xfd")); at >= 0 {
			text, _ := decoder.DecodeAll(value[at:], nil) // before a sum that may follow
			all = append(all, text)
		}
	}
	must(t, rows.Err())
	return all
}

// TestErasedDraftsCannotBeGuessed says a PIN in drafts, erases it, and tries all
// there are: who knows the rest of the conversation computes every digest and
// hash that there would have been, and looks for one of them in the file.
func TestErasedDraftsCannotBeGuessed(t *testing.T) {
	testrun.OneGoroutine(t)
	const pin = "4711"
	left := func(pin string, e pact.Erasure, packed bool) (before, after [][]byte) {
		path := filepath.Join(t.TempDir(), "pact.db")
		s, err := dbtest.Engine(sqlite.Open(background, path))
		must(t, err)
		defer s.Close()
		c := contextWithPIN(t, dbtest.Of(s), pin)
		if packed {
			must(t, s.SettleAll(background))
		}
		before = cells(t, path)
		of, err := c.Erase(background, e)
		must(t, err)
		if of.Remains != "" {
			t.Fatal(of.Remains)
		}
		if list := verdicts(t, dbtest.Of(s)); len(list) > 0 {
			t.Errorf("verify says %q", list)
		}
		return before, cells(t, path)
	}
	text := func(pin string) pact.Erasure {
		return pact.Erasure{Texts: []string{pin}, Reason: "asked for", Random: chance()}
	}
	known := func(cells [][]byte, hashes map[string]string) (found []string) {
		for _, cell := range cells {
			for i := range len(cell) - sha256.Size + 1 {
				if candidate := hashes[string(cell[i:i+sha256.Size])]; candidate != "" {
					found = append(found, candidate)
				}
			}
			for at := range bytes.SplitSeq(cell, []byte(`"`)) { // in JSON
				if b, err := hex.DecodeString(string(at)); err == nil && hashes[string(b)] != "" {
					found = append(found, hashes[string(b)])
				}
			}
		}
		return found
	}
	common := hashesOf(t, "no PIN at all")
	hashes := map[string]string{}
	for n := range testrun.Size(t, 1000, 10_000, 10_000) {
		candidate := fmt.Sprintf("%04d", (4000+n)%10_000)
		for h := range hashesOf(t, candidate) {
			if !common[h] {
				hashes[h] = candidate
			}
		}
	}
	byID := func(string) pact.Erasure { return erasure("said") } // which goes with all that was made of it
	for name, e := range map[string]func(pin string) pact.Erasure{"by text": text, "by id": byID} {
		before, after := left(pin, e(pin), false)
		if found := known(before, hashes); !slices.Contains(found, pin) || len(slices.Compact(found)) != 1 {
			t.Fatalf("the attack is no good: before the erasure it finds %q", found)
		}
		if found := known(after, hashes); len(found) > 0 {
			t.Errorf("%s: the attack finds %q", name, found)
		}
		// Whatever the PIN was, the same is left, joined or not: nothing depends on it
		// any more.
		const another = "0815"
		for _, packed := range []bool{false, true} {
			_, after := left(pin, e(pin), packed)
			_, other := left(another, e(another), packed)
			if len(other) != len(after) {
				t.Fatalf("%s: another PIN leaves %d values, and this one %d", name, len(other), len(after))
			}
			for i := range after {
				if !bytes.Equal(after[i], other[i]) {
					t.Errorf("%s: %q is left, and with another PIN %q", name, after[i], other[i])
				}
			}
		}
	}
}

// hashesOf are all digests and hashes of a life with a PIN.
func hashesOf(t *testing.T, pin string) map[string]bool {
	t.Helper()
	s := pact.NewDB(store.NewMemory())
	c := contextWithPIN(t, s, pin)
	all := map[string]bool{}
	add := func(digest string) {
		if b, err := hex.DecodeString(digest); err == nil && len(b) > 0 {
			all[string(b)] = true
		}
	}
	for e, err := range c.Log(background, 0) {
		must(t, err)
		add(e.Digest)
		add(e.Thread)
		add(e.Sent)
	}
	attempts, err := c.Attempts(background, 0, 99)
	must(t, err)
	for _, a := range attempts {
		add(a.Thread)
	}
	for _, content := range []string{pin, "My PIN is " + pin} {
		sum := sha256.Sum256([]byte(`"` + content + `"`))
		all[string(sum[:])] = true
	}
	return all
}
