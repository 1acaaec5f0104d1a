package sqlite_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/sqlite"
	"github.com/contexttree/pact/tree"
)

// TestOpenRefusesForeignFiles has files that are not ours to open, and that stay as they are.
func TestOpenRefusesForeignFiles(t *testing.T) {
	for name, c := range map[string]struct {
		make func(t *testing.T, path string)
		says string
	}{
		"text": {func(t *testing.T, path string) { put(t, path, strings.Repeat("no database\n", 500)) },
			"not a SQLite database"},
		"short": {func(t *testing.T, path string) { put(t, path, "x") }, "not a SQLite database"},
		"foreign": {func(t *testing.T, path string) { raw(t, path, "PRAGMA application_id = 7").Close() },
			"another application"},
		"unmarked": {func(t *testing.T, path string) { raw(t, path, "CREATE TABLE theirs (x)").Close() },
			"another application"},
		"newer": {func(t *testing.T, path string) {
			newStoreFile(t, path)
			raw(t, path, "PRAGMA user_version = 99").Close()
		},
			"version 99"},
		"empty": {func(t *testing.T, path string) { put(t, path, "") }, "is an empty file"},
		"no tables": {func(t *testing.T, path string) { raw(t, path, "PRAGMA user_version = 0", "VACUUM").Close() },
			"another application"},
		"last byte missing": {func(t *testing.T, path string) { shorten(t, path, 1) }, "is truncated"},
		"last page cut":     {func(t *testing.T, path string) { shorten(t, path, 4095) }, "is truncated"},
		"last page missing": {func(t *testing.T, path string) { shorten(t, path, 4096) }, "is damaged"},
		"directory":         {func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o700)) }, "is a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "pact.db")
			c.make(t, path)
			before, _ := os.ReadFile(path)
			s, err := sqlite.Open(t.Context(), path)
			if err == nil {
				s.Close()
				t.Fatal("the file was opened")
			}
			var e *fault.Error
			if !errors.As(err, &e) || e.Code != fault.Store || e.Remedy == "" || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v", err)
			}
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Error("the file was changed")
			}
		})
	}
	_, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "none", "pact.db"))
	if !errors.Is(err, fault.Store) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a directory that is not there: %v", err)
	}
}

// shorten makes a store of one turn and takes bytes from its end.
func shorten(t *testing.T, path string, bytes int64) {
	t.Helper()
	newStoreFile(t, path)
	info, err := os.Stat(path)
	must(t, err)
	must(t, os.Truncate(path, info.Size()-bytes))
}

func TestPathsMayHaveAnyCharacters(t *testing.T) {
	for _, name := range []string{"a?b=c", "a%20b", "a b#c", "ä", ":memory:", "a'b\"c"} {
		path := filepath.Join(t.TempDir(), name)
		newStoreFile(t, path)
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
		s := open(t, path)
		if _, err := s.Find(t.Context(), "turns"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestStoreFilesHaveTheirMarks looks at what tells the file apart.
func TestStoreFilesHaveTheirMarks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pact.db")
	newStoreFile(t, path)
	db := raw(t, path)
	for pragma, want := range map[string]string{"application_id": "1346454356", "user_version": "10",
		"journal_mode": "wal", "integrity_check": "ok"} {
		var got string
		must(t, db.QueryRow("PRAGMA "+pragma).Scan(&got))
		if got != want {
			t.Errorf("%s is %s, want %s", pragma, got, want)
		}
	}
}

// TestCheckFindsDamagedRows finds what is wrong with the rows and says so.
func TestCheckFindsDamagedRows(t *testing.T) {
	for name, statement := range map[string]string{
		"content": "DELETE FROM content",
		"parent":  "UPDATE node_version SET parent = 999 WHERE content_no IS NOT NULL",
		"headers": "UPDATE node_version SET headers = 'x' WHERE content_no IS NOT NULL",
		"hash":    "UPDATE node_version SET content_hash = NULL, content_no = NULL",
		"nodes":   "DELETE FROM node_version",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "pact.db")
			newStoreFile(t, path)
			raw(t, path, statement).Close()
			s := open(t, path)
			info, err := s.Find(t.Context(), "turns")
			must(t, err)
			if st, err := s.Load(t.Context(), info.Key); err == nil {
				for e := range st.Head.All() {
					if _, err := e.Node().Content.Value(t.Context()); e.Node().Content.Size() > 0 && !errors.Is(err, fault.Store) {
						t.Errorf("read with %v", err)
					}
				}
			} else if !errors.Is(err, fault.Store) || !strings.Contains(err.Error(), "damaged") {
				t.Errorf("loaded with %v", err)
			}
		})
	}
}

// TestDriverHasItsLibc holds the driver to the version of libc that it was made with.
func TestDriverHasItsLibc(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}} {{.GoMod}}", "modernc.org/libc",
		"modernc.org/sqlite").Output()
	fields := strings.Fields(string(out))
	if err != nil || len(fields) != 4 {
		t.Skip("left out: the go command cannot tell what the driver was built with:", err)
	}
	text, err := os.ReadFile(fields[3])
	must(t, err)
	if !strings.Contains(string(text), "modernc.org/libc "+fields[0]+"\n") {
		t.Errorf("the driver %s is built with libc %s, which is not the one it asks for", fields[2], fields[0])
	}
}

// TestContentOnDemand reads content when it is asked for and not before.
func TestContentOnDemand(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pact.db")
	s := open(t, path)
	w := begin(t, s)
	w.next(t, "published")
	must(t, w.load(t.Context(), w.state.Key))
	x := tree.Edit(t.Context(), w.state.Working, w.state.Head, w.state.Stamps, w.env())
	draft, err := x.Add("^ah", tree.Spec{Content: "draft"})
	must(t, err)
	must(t, w.apply(t.Context(), store.Change{Before: w.state.Working, After: x.Tree(), Stamps: x.Stamps}))
	st, err := s.Load(t.Context(), w.state.Key)
	must(t, err)
	must(t, s.Close())
	for e := range st.Working.All() {
		n := e.Node()
		_, err := n.Content.Value(t.Context())
		if lazy := n.Content.Size() > 0 && n.ID != draft; lazy != errors.Is(err, fault.Store) {
			t.Errorf("%s: %v", n.ID, err)
		}
	}
}

// TestSealingRewritesNothing rewrites nothing that was written before.
func TestSealingRewritesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pact.db")
	w := begin(t, open(t, path))
	db := raw(t, path)
	rows := func() (list []string) {
		found, err := db.Query(`SELECT branch || ' ' || birth || ' ' || nid || ' ' || coalesce(parent, '') || ' ' || id || ' ' || coalesce(content_no, '')
			FROM node_version WHERE id IS NOT NULL`)
		must(t, err)
		defer found.Close()
		for found.Next() {
			var row string
			must(t, found.Scan(&row))
			list = append(list, row)
		}
		must(t, found.Err())
		return list
	}
	for _, spec := range []tree.Spec{{Content: "core"}, {Content: "after", Offset: 1}, {Type: "cont:g", Offset: -1}} {
		x := tree.Edit(t.Context(), w.state.Working, w.state.Head, w.state.Stamps, w.env())
		_, err := x.Add("^ah", spec)
		must(t, err)
		must(t, w.apply(t.Context(), store.Change{Before: w.state.Working, After: x.Tree(), Stamps: x.Stamps}))
	}
	before := rows()
	w.next(t, "more")
	after := rows()
	for _, row := range before {
		if !slices.Contains(after, row) {
			t.Errorf("sealing rewrote %q", row)
		}
	}
	if len(after) != len(before)+4 { // block, turn, core, head
		t.Errorf("%d rows became %d", len(before), len(after))
	}
}

// TestPlainSQL asks the question that the schema describes.
func TestPlainSQL(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pact.db")
	w := begin(t, open(t, path))
	for i := range 5 {
		w.next(t, fmt.Sprint(i))
	}
	snapshot, err := store.Snapshot(t.Context(), w.store, w.state.Key, 3)
	must(t, err)
	found, err := raw(t, path).Query(`SELECT id FROM (
		SELECT *, row_number() OVER (PARTITION BY nid ORDER BY birth DESC) AS age
		FROM node_version WHERE branch = 1 AND birth <= 3)
		WHERE age = 1 AND death IS NULL`)
	must(t, err)
	defer found.Close()
	n := 0
	for ; found.Next(); n++ {
		var id string
		must(t, found.Scan(&id))
		if !snapshot.Has(id) {
			t.Errorf("%s is not in the snapshot", id)
		}
	}
	if n != snapshot.Len() {
		t.Errorf("%d rows for %d nodes", n, snapshot.Len())
	}
}
