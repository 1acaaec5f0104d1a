package sqlite_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store/sqlite"
)

// pagesOf are all columns of all pages, their blocks and their names.
func pagesOf(t *testing.T, path string) string {
	t.Helper()
	db := raw(t, path)
	defer db.Close()
	var all strings.Builder
	for _, table := range []string{"page", "page_block", "page_name"} {
		rows, err := db.Query("SELECT * FROM " + table + " ORDER BY 1, 2, 3, 4")
		must(t, err)
		columns, err := rows.Columns()
		must(t, err)
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		for rows.Next() {
			must(t, rows.Scan(into...))
			fmt.Fprintf(&all, "%s %q\n", table, values)
		}
		must(t, rows.Err())
	}
	return all.String()
}

// changeAtRandom changes a context: it adds, changes and removes drafts, some in the change that
// commits them and some before, and nodes of ^sys, which snapshots have already. system are the
// ids of these, and come back with those that it added.
func changeAtRandom(t *testing.T, c *pact.Context, r *rand.Rand, system []string) []string {
	t.Helper()
	var drafts []string
	edit := func(b *pact.Batch) error {
		for range 1 + r.IntN(4) {
			spec := pact.Spec{Role: "user", Kind: "text", Content: write(r)[:1+r.IntN(200)]}
			if r.IntN(4) == 0 {
				spec.TTL = pact.TTL(1 + r.Int64N(3))
			}
			if r.IntN(4) > 0 {
				drafts = append(drafts, b.Add("^ah", spec))
				continue
			}
			spec.ID = fmt.Sprintf("given:%d-%d", c.Revision(), len(system))
			system = append(system, b.Add("^sys", spec))
		}
		for _, of := range [][]string{drafts, system} {
			if len(of) == 0 {
				continue
			}
			switch id := of[r.IntN(len(of))]; {
			case b.Has(id) && r.IntN(3) == 0:
				b.Remove(id)
			case b.Has(id):
				b.Update(id, map[string]any{"priority": r.Int64N(1000)})
			}
		}
		return nil
	}
	must(t, c.Edit(t.Context(), edit, nil))
	_, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: edit})
	must(t, err)
	return system
}

// TestPagesOfWrittenRows packs random histories in the process that wrote them, which has the
// rows in memory, and in one that reads them: the pages are the same, byte for byte.
func TestPagesOfWrittenRows(t *testing.T) {
	testrun.OneGoroutine(t)
	t.Cleanup(sqlite.PackSoon(1<<40, 1)) // only when asked to
	for seed := range testrun.Size(t, 3, 10, 100) {
		path := filepath.Join(t.TempDir(), "pact.db")
		s, err := sqlite.Open(t.Context(), path)
		must(t, err)
		c, err := pact.Create(t.Context(), s, "chat", nil)
		must(t, err)
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		var system []string
		for range 30 {
			system = changeAtRandom(t, c, r, system)
		}
		unpacked := filepath.Join(t.TempDir(), "copy.db")
		must(t, s.Backup(t.Context(), unpacked))
		raw(t, path, "UPDATE content SET body = zeroblob(length(body))") // which only a reader would notice
		must(t, s.PackAll(t.Context()))
		must(t, s.Close())
		reader, err := sqlite.Open(t.Context(), unpacked)
		must(t, err)
		must(t, reader.PackAll(t.Context()))
		must(t, reader.Close())
		if got, want := pagesOf(t, path), pagesOf(t, unpacked); got != want || !strings.Contains(got, "page_block") {
			t.Fatalf("seed %d: the process that wrote the rows made\n%s\nand one that read them\n%s", seed, got, want)
		}
	}
}

// TestPackingUsesWhatIsInTheFile has something change the rows of a file behind the process
// that wrote them. It packs them as it wrote them only as long as their proofs say that they
// are these rows.
func TestPackingUsesWhatIsInTheFile(t *testing.T) {
	t.Cleanup(sqlite.PackSoon(1<<40, 1))
	const secret = "Jane Doe 4711"
	written := func(t *testing.T) (string, *sqlite.Store, *turns) {
		path := filepath.Join(t.TempDir(), "pact.db")
		s, err := sqlite.Open(t.Context(), path)
		must(t, err)
		t.Cleanup(func() { must(t, s.Close()) })
		w := begin(t, s)
		for i := range 8 {
			w.next(t, fmt.Sprint(secret, " in turn ", i))
		}
		return path, s, w
	}
	t.Run("a damaged content", func(t *testing.T) {
		path, s, w := written(t)
		raw(t, path, "UPDATE content SET body = zeroblob(length(body))")
		must(t, s.PackAll(t.Context()))
		if damage, err := s.Check(t.Context(), w.state.Key); err != nil || damage != nil {
			t.Errorf("what was in memory is not what was packed: %+v, %v", damage, err)
		}
	})
	t.Run("another proof", func(t *testing.T) {
		path, s, _ := written(t)
		raw(t, path, "UPDATE node_version SET proof = proof + 1 WHERE birth = 4")
		if err := s.PackAll(t.Context()); !errors.Is(err, fault.Store) {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("an erasure by another process", func(t *testing.T) {
		path, s, w := written(t)
		other, err := sqlite.Open(t.Context(), path)
		must(t, err)
		defer other.Close()
		e := salted(w)
		e.Texts = []string{secret}
		if _, err := other.Erase(t.Context(), w.state.Key, e); err != nil {
			t.Fatal(err)
		}
		must(t, s.PackAll(t.Context()))
		if _, open := storedPages(t, path); strings.Contains(open, "4711") || pagesIn(t, path) == 0 {
			t.Errorf("the pages hold what was erased:\n%s", open)
		}
		if damage, err := s.Check(t.Context(), w.state.Key); err != nil || damage != nil {
			t.Errorf("%+v, %v", damage, err)
		}
	})
	t.Run("turns of another process", func(t *testing.T) {
		path, s, w := written(t)
		other, err := sqlite.Open(t.Context(), path)
		must(t, err)
		defer other.Close()
		theirs := &turns{store: other}
		must(t, theirs.load(t.Context(), w.state.Key))
		theirs.next(t, "a turn of theirs")
		must(t, w.load(t.Context(), w.state.Key))
		w.next(t, "a turn of ours")
		must(t, s.PackAll(t.Context()))
		if n := rowsIn(t, path, "node_version"); n != 0 {
			t.Errorf("%d rows are left", n)
		}
		_, open := storedPages(t, path)
		for _, text := range []string{"a turn of theirs", "a turn of ours", secret + " in turn 0"} {
			if !strings.Contains(open, text) {
				t.Errorf("no page has %q", text)
			}
		}
		if damage, err := s.Check(t.Context(), w.state.Key); err != nil || damage != nil {
			t.Errorf("%+v, %v", damage, err)
		}
	})
}
