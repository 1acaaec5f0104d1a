package librarytest

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/sqlite"
)

// A clock at the end of its range is refused at the edit or the commit that
// would need a later stamp; no stamp ever wraps.
func TestTheClockAtTheEndOfItsRange(t *testing.T) {
	now := tree.MaxInteger - 6
	// root and regions take four stamps
	c := create(t, pact.NewDB(store.NewMemory()),
		pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: func() int64 { return now }}})
	must(t, c.Edit(background, say("the last but one"), nil))
	// turn, core and ^ah need three, two are left
	if _, err := c.Commit(background, nil); fault.CodeOf(err) != fault.Limit {
		t.Fatalf("the commit: %v", err)
	}
	must(t, c.Edit(background, say("the last but zero"), nil))
	must(t, c.Edit(background, say("the last"), nil))
	before, revision := c.Working().Digest(), c.Info().Revision
	if err := c.Edit(background, say("too late"), nil); fault.CodeOf(err) != fault.Limit {
		t.Errorf("the edit: %v", err)
	}
	if c.Working().Digest() != before || c.Info().Revision != revision {
		t.Error("what was refused left something behind")
	}
	for entry := range sure.All(tree.Of(c.Working()).All()) {
		n := entry.Node()
		if n.CreatedNS < now || n.CreatedNS > tree.MaxInteger {
			t.Errorf("%s is stamped %d", n.ID, n.CreatedNS)
		}
	}
	for _, now := range []int64{math.MaxInt64, math.MinInt64} {
		_, err := pact.Create(background, pact.NewDB(store.NewMemory()), "c",
			&pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: func() int64 { return now }}})
		if fault.CodeOf(err) != fault.Limit {
			t.Errorf("a context that begins at %d: %v", now, err)
		}
	}
}

// What an import takes at the end of the range of cycles is committed as long as
// there are cycles, opens again, and comes back byte for byte; what no commit
// could follow is refused.
func TestCyclesAtTheEndOfTheirRange(t *testing.T) {
	document := func(cycle int64) []byte {
		return []byte(fmt.Sprintf(`{"cycle":%d,"root":{"children":[{"nodeType":"^sys","id":"sys","children":[{"id":"b","ttl":2,"content":"x"}]}]}}`, cycle))
	}
	path := filepath.Join(t.TempDir(), "pact.db")
	s, err := dbtest.Open(sqlite.Open(background, path))
	must(t, err)
	for _, cycle := range []int64{tree.MaxInteger, math.MaxInt64 - 1, math.MaxInt64} {
		if _, _, err := pact.Import(background, s, "late", document(cycle), nil); fault.CodeOf(err) != fault.Limit {
			t.Errorf("cycle %d: %v", cycle, err)
		}
	}
	if _, _, err := pact.Import(background, s, "late", document(tree.MaxInteger-1),
		nil); fault.CodeOf(err) != fault.Limit {
		t.Errorf("a ttl behind the range: %v", err)
	}
	c, _, err := pact.Import(background, s, "c", document(tree.MaxInteger-2),
		&pact.ImportOptions{OpenOptions: pact.OpenOptions{Clock: steps()}})
	must(t, err)
	_, err = c.Commit(background, &pact.CommitOptions{Edit: say("the last cycle")})
	must(t, err)
	must(t, c.Edit(background, say("a draft behind it"), nil))
	if _, err := c.Commit(background, nil); fault.CodeOf(err) != fault.Limit {
		t.Errorf("a commit after the last cycle: %v", err)
	}
	must(t, s.Close())
	s, err = dbtest.Open(sqlite.Open(background, path))
	must(t, err)
	defer s.Close()
	c, err = pact.Open(background, s, "c", nil)
	must(t, err)
	if first, last := c.Info().First, c.Info().Cycle; first != tree.MaxInteger-2 || last != tree.MaxInteger-1 {
		t.Errorf("cycles %d to %d", first, last)
	}
	r, err := pact.Verify(background, s, "c", nil)
	must(t, err)
	if r.Defect != nil {
		t.Errorf("%+v", *r.Defect)
	}
	for _, write := range []func(*bytes.Buffer, *pact.Context) error{
		func(w *bytes.Buffer, c *pact.Context) error { return c.Export(background, w) },
		func(w *bytes.Buffer, c *pact.Context) error {
			first := c.Info().First
			return c.ExportSnapshots(background, w, pact.Cycle(first), "latest")
		},
	} {
		var out, again bytes.Buffer
		must(t, write(&out, c))
		copied, _, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()), "copy", bytes.NewReader(out.Bytes()),
			&pact.ImportOptions{Strict: true})
		must(t, err)
		must(t, write(&again, copied))
		if out.String() != again.String() {
			t.Errorf("exported again:\n%s\n%s", again.String(), out.String())
		}
	}
}

// One limit for the nesting of values holds for every way in: what is taken in
// verifies, is exported, and comes back.
func TestNestingIsOneLimitForAllWaysIn(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	deepGo := func(n int) any {
		var v any = []any{}
		for range n - 1 {
			v = []any{v}
		}
		return v
	}
	ways := map[string]func(db *pact.DB, n int) (*pact.Context, error){
		"a document": func(db *pact.DB, n int) (*pact.Context, error) {
			c, _, err := pact.Import(background, db, "c",
				[]byte(`{"root":{"children":[{"nodeType":"^sys","children":[{"id":"b","content":`+deep(n)+`}]}]}}`), nil)
			return c, err
		},
		"an attribute of a document": func(db *pact.DB, n int) (*pact.Context, error) {
			c, _, err := pact.Import(background, db, "c",
				[]byte(`{"root":{"children":[{"nodeType":"^sys","children":[{"id":"b","x:y":`+deep(n)+`}]}]}}`), nil)
			return c, err
		},
		"a history": func(db *pact.DB, n int) (*pact.Context, error) {
			line := `{"cycle":%d,"root":{"children":[{"nodeType":"^sys","children":[{"id":"b","content":%s}]}]}}` + "\n"
			c, _, err := pact.ImportHistory(background, db, "c", strings.NewReader(fmt.Sprintf(line, 1, `"x"`)+
				fmt.Sprintf(line, 2, deep(n))), nil)
			return c, err
		},
		"a compact history": func(db *pact.DB, n int) (*pact.Context, error) {
			c := create(t, pact.NewDB(store.NewMemory()))
			_, err := c.Commit(background, &pact.CommitOptions{Edit: say("PLACEHOLDER")})
			must(t, err)
			var out bytes.Buffer
			must(t, c.Export(background, &out))
			text := strings.ReplaceAll(out.String(), `"PLACEHOLDER"`, deep(n))
			text = strings.NewReplacer(`"digest":`, `"x":`, `"thread":`, `"y":`).Replace(text)
			c, _, err = pact.ImportHistory(background, db, "c", strings.NewReader(text), nil)
			return c, err
		},
		"an edit": func(db *pact.DB, n int) (*pact.Context, error) {
			c := create(t, db)
			return c, c.Edit(background, func(b *pact.Batch) error {
				b.Add("^sys", pact.Spec{Content: deepGo(n)})
				return nil
			}, nil)
		},
		"an update": func(db *pact.DB, n int) (*pact.Context, error) {
			c := create(t, db)
			return c, c.Edit(background, func(b *pact.Batch) error {
				id := b.Add("^sys", pact.Spec{})
				must(t, b.Err())
				b.Update(id, func(s *pact.Spec) { s.Attrs["x:y"] = deepGo(n) })
				return nil
			}, nil)
		},
		"an attribute of the root": func(db *pact.DB, n int) (*pact.Context, error) {
			return pact.Create(background, db, "c", &pact.CreateOptions{Attrs: map[string]any{"x:y": deepGo(n)}})
		},
	}
	for name, way := range ways {
		db := pact.NewDB(store.NewMemory())
		c, err := way(db, 512)
		if err != nil {
			t.Errorf("%s, 512 deep: %v", name, err)
			continue
		}
		if _, err := c.Commit(background, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		r, err := pact.Verify(background, db, c.Info().Name, nil)
		must(t, err)
		if r.Defect != nil {
			t.Errorf("%s: %+v", name, *r.Defect)
		}
		var out bytes.Buffer
		must(t, c.Export(background, &out))
		if _, _, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()), "again", &out,
			&pact.ImportOptions{Strict: true}); err != nil {
			t.Errorf("%s, imported again: %v", name, err)
		}
		for _, n := range []int{513, 640, 760} {
			if _, err := way(pact.NewDB(store.NewMemory()), n); fault.CodeOf(err) != fault.Limit {
				t.Errorf("%s, %d deep: got %v, want E_LIMIT", name, n, err)
			}
		}
	}
}

// wordCounter counts a word as a token, and how often it is asked.
type wordCounter struct{ asked *int }

func (wordCounter) Name() string { return "words" }

func (w wordCounter) Count(text string) int {
	if w.asked != nil {
		*w.asked++
	}
	return len(strings.Fields(text))
}
