package pact_test

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/store/sqlite"
)

// answers are the ways in which a context gives out what it holds.
var answers = map[string]func(c *pact.Context) error{
	"thread": func(c *pact.Context) error {
		s, err := c.At(background, pact.Cycle(1))
		if err == nil {
			_, err = s.Thread(background)
		}
		return err
	},
	"export": func(c *pact.Context) error {
		s, err := c.At(background, pact.Cycle(1))
		if err == nil {
			_, err = documentOf(background, s)
		}
		return err
	},
	"backup": func(c *pact.Context) error { return c.Export(background, io.Discard) },
	"send": func(c *pact.Context) error {
		_, err := c.Send(background, io.Discard, nil)
		return err
	},
	"select": func(c *pact.Context) error {
		_, err := c.Select(background, "@c1 .cb[content='x']", nil)
		return err
	},
}

// TestReadingFindsDamagedContents changes a content in the file: as long as it
// was, to another length, into what is no JSON. Nothing gives it out.
func TestReadingFindsDamagedContents(t *testing.T) {
	for _, to := range []struct {
		body   string
		forged bool
	}{{`"a Question"`, false}, {`"a Question"`, true}, {"\x00\xff" + strings.Repeat("x", 10), false}, {`"a questio"\x00`, true}} {
		path := filepath.Join(t.TempDir(), "pact.db")
		s, err := dbtest.Open(sqlite.Open(background, path))
		must(t, err)
		c := create(t, s)
		must(t, c.Edit(background, say("a question"), nil))
		_, err = c.Commit(background, nil)
		must(t, err)
		must(t, s.Close())
		if tamper(t, path, `"a question"`, to.body, to.forged) != 1 {
			t.Fatal("nothing was changed")
		}

		for name, ask := range answers {
			s, err := dbtest.Open(sqlite.Open(background, path))
			must(t, err)
			c, err := pact.Open(background, s, "c", &pact.OpenOptions{Clock: steps()})
			must(t, err)
			var damage *history.Damage
			if err := ask(c); !errors.Is(err, fault.Store) || !errors.As(err, &damage) || damage.What != "content hash" ||
				damage.Node != "cb:1-0" {
				t.Errorf("%s with the content %q: %v", name, to.body, err)
			}
			must(t, s.Close())
		}
	}
}

// TestReadingFindsDamagedRows changes, moves and removes revisions, an attempt and what is said of
// a context. A reader of the snapshot, the working state or the log is told.
func TestReadingFindsDamagedRows(t *testing.T) {
	open := func(s engine.Contexts) error { _, err := pact.Open(background, dbtest.Of(s), "c", nil); return err }
	snapshot := func(s engine.Contexts) error { _, err := engine.Snapshot(background, s, 1, 1); return err }
	snapshots := func(s engine.Contexts) error { _, err := engine.Collect(s.History(background, 1, 1, 2)); return err }
	log := func(s engine.Contexts) error { _, err := s.Log(background, 1, 1, 99); return err }
	attempts := func(s engine.Contexts) error { _, err := s.Attempts(background, 1, 0, 99); return err }
	const second = " WHERE id = (1 << 36) + 2"
	const last = " WHERE id = (SELECT max(id) FROM log)"
	for _, c := range []struct {
		damage string
		asks   []func(engine.Contexts) error
	}{
		{`UPDATE log SET value = CAST(substr(value, 1, 30) || x'ff' || substr(value, 32) AS BLOB)` + second,
			[]func(engine.Contexts) error{open, snapshot, snapshots, log}},
		{`UPDATE log SET value = CAST(substr(value, 1, 30) || x'ff' || substr(value, 32) AS BLOB)` + last,
			[]func(engine.Contexts) error{open, snapshot, snapshots, log}},
		{`UPDATE log SET value = (SELECT value FROM log WHERE id = (1 << 36) + 3)` + second,
			[]func(engine.Contexts) error{open, snapshot, snapshots, log}},
		{`UPDATE log SET id = id + 100` + last, []func(engine.Contexts) error{open, log}},
		{`DELETE FROM log` + second, []func(engine.Contexts) error{open, snapshot, snapshots, log}},
		{`UPDATE pair SET value = CAST(substr(value, 1, 30) || x'ff' || substr(value, 32) AS BLOB)
			WHERE space = 1 AND substr(name, 1, 1) = x'61'`, []func(engine.Contexts) error{attempts}},
		{`UPDATE pair SET value = CAST(substr(value, 1, 5) || x'ff' || substr(value, 7) AS BLOB)
			WHERE space = 1 AND name = x'69'`, []func(engine.Contexts) error{open, snapshot, snapshots, log, attempts}},
	} {
		path := filepath.Join(t.TempDir(), "pact.db")
		s, err := dbtest.Engine(sqlite.Open(background, path))
		must(t, err)
		x := create(t, dbtest.Of(s))
		for i := range 3 {
			must(t, x.Edit(background, say("a question"), nil))
			start(t, x)
			if i < 2 {
				_, err = x.Commit(background, nil)
				must(t, err)
			}
		}
		must(t, s.Close())
		db, err := sql.Open("sqlite", path)
		must(t, err)
		res, err := db.Exec(c.damage)
		must(t, err)
		if n, _ := res.RowsAffected(); n == 0 {
			t.Errorf("%s changes nothing", c.damage)
		}
		must(t, db.Close())
		for i, ask := range c.asks {
			s, err := dbtest.Engine(sqlite.Open(background, path))
			must(t, err)
			var damage *history.Damage
			if err := ask(s); !errors.Is(err, fault.Store) || !errors.As(err, &damage) {
				t.Errorf("%s: answer %d is %v", c.damage, i+1, err)
			}
			must(t, s.Close())
		}
	}
}

// TestReadingFindsDamagedDrafts changes the content of a draft.
func TestReadingFindsDamagedDrafts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pact.db")
	s, err := dbtest.Engine(sqlite.Open(background, path))
	must(t, err)
	c := create(t, dbtest.Of(s))
	must(t, c.Edit(background, say("a question"), nil))
	must(t, s.Close())
	if tamper(t, path, "a question", "a Question", false) != 1 {
		t.Fatal("nothing was changed")
	}
	s, err = dbtest.Engine(sqlite.Open(background, path))
	must(t, err)
	defer s.Close()
	c, err = pact.Open(background, dbtest.Of(s), c.Name(), nil)
	must(t, err)
	_, err = c.Send(background, io.Discard, nil)
	var damage *history.Damage
	if fault.CodeOf(err) != fault.Store || !errors.As(err, &damage) || damage.Node != "cb:1-0" {
		t.Errorf("the draft was read: %v", err)
	}
}

// tamper replaces a text by another of the same length in every value of a file, and returns in how
// many rows. If forged, the sums of records are made to fit, as an attacker does.
func tamper(t testing.TB, path, old, new string, forged bool) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	type row struct {
		id          int64
		value, rest []byte
	}
	for _, table := range []string{"pair", "log"} {
		rest := map[string]string{"pair": "x''", "log": "rest"}[table]
		rows, err := db.Query("SELECT rowid, value, " + rest + " FROM " + table)
		must(t, err)
		var changed []row
		for rows.Next() {
			var was row
			must(t, rows.Scan(&was.id, &was.value, &was.rest))
			r := row{was.id, bytes.ReplaceAll(was.value, []byte(old), []byte(new)), bytes.ReplaceAll(was.rest, []byte(old), []byte(new))}
			if bytes.Equal(r.value, was.value) && bytes.Equal(r.rest, was.rest) {
				continue
			}
			if forged && table == "log" {
				forge(r.value, r.rest)
			}
			changed = append(changed, r)
		}
		must(t, rows.Err())
		for _, r := range changed {
			_, err := db.Exec("UPDATE "+table+" SET value = ? WHERE rowid = ?", r.value, r.id)
			must(t, err)
			if table == "log" {
				_, err = db.Exec("UPDATE log SET rest = ? WHERE rowid = ?", append([]byte{}, r.rest...), r.id)
				must(t, err)
			}
		}
		n += len(changed)
	}
	return n
}

// forge makes the sums of a record fit what it says: one of its entry with the nodes, and one of that sum
// and its contents.
func forge(value, rest []byte) {
	const size = 16
	sum := func(parts ...[]byte) []byte {
		s := sha256.Sum256(bytes.Join(parts, nil))
		return s[:size]
	}
	end := len(value) - size
	copy(value[end:], sum(value[:end]))
	if end := len(rest) - size; end > 0 {
		copy(rest[end:], sum(value[len(value)-size:], rest[:end]))
	}
}
