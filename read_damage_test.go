package pact_test

import (
	"database/sql"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
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
			_, err = s.Bytes(background)
		}
		return err
	},
	"backup": func(c *pact.Context) error { return c.Backup(background, io.Discard) },
	"send": func(c *pact.Context) error {
		_, err := c.Send(background, io.Discard, nil)
		return err
	},
	"select": func(c *pact.Context) error {
		_, err := c.Select(background, parsed(c, "@c1 .cb[content='x']"), nil)
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
		s, err := sqlite.Open(background, path)
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
			s, err := sqlite.Open(background, path)
			must(t, err)
			c, err := pact.Open(background, s, "c", &pact.OpenOptions{Clock: steps()})
			must(t, err)
			var damage *store.Damage
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
	open := func(s store.Complete) error { _, err := pact.Open(background, s, "c", nil); return err }
	snapshot := func(s store.Complete) error { _, err := store.Snapshot(background, s, 1, 1); return err }
	history := func(s store.Complete) error { _, err := store.Collect(s.History(background, 1, 1, 2)); return err }
	log := func(s store.Complete) error { _, err := s.Log(background, 1, 1, 99); return err }
	attempts := func(s store.Complete) error { _, err := s.Attempts(background, 1, 0, 99); return err }
	const second = " WHERE id = (1 << 36) + 2"
	const last = " WHERE id = (SELECT max(id) FROM log)"
	for _, c := range []struct {
		damage string
		asks   []func(store.Complete) error
	}{
		{`UPDATE log SET value = CAST(substr(value, 1, 30) || x'ff' || substr(value, 32) AS BLOB)` + second,
			[]func(store.Complete) error{open, snapshot, history, log}},
		{`UPDATE log SET value = CAST(substr(value, 1, 30) || x'ff' || substr(value, 32) AS BLOB)` + last,
			[]func(store.Complete) error{open, snapshot, history, log}},
		{`UPDATE log SET value = (SELECT value FROM log WHERE id = (1 << 36) + 3)` + second,
			[]func(store.Complete) error{open, snapshot, history, log}},
		{`UPDATE log SET id = id + 100` + last, []func(store.Complete) error{open, log}},
		{`DELETE FROM log` + second, []func(store.Complete) error{open, snapshot, history, log}},
		{`UPDATE pair SET value = CAST(substr(value, 1, 30) || x'ff' || substr(value, 32) AS BLOB)
			WHERE space = 1 AND substr(name, 1, 1) = x'61'`, []func(store.Complete) error{attempts}},
		{`UPDATE pair SET value = CAST(substr(value, 1, 5) || x'ff' || substr(value, 7) AS BLOB)
			WHERE space = 1 AND name = x'69'`, []func(store.Complete) error{open, snapshot, history, log, attempts}},
	} {
		path := filepath.Join(t.TempDir(), "pact.db")
		s, err := sqlite.Open(background, path)
		must(t, err)
		x := create(t, s)
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
			s, err := sqlite.Open(background, path)
			must(t, err)
			var damage *store.Damage
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
	s, err := sqlite.Open(background, path)
	must(t, err)
	c := create(t, s)
	must(t, c.Edit(background, say("a question"), nil))
	must(t, s.Close())
	if tamper(t, path, "a question", "a Question", false) != 1 {
		t.Fatal("nothing was changed")
	}
	s, err = sqlite.Open(background, path)
	must(t, err)
	defer s.Close()
	c, err = pact.Open(background, s, c.Name(), nil)
	must(t, err)
	_, err = c.Send(background, io.Discard, nil)
	var damage *store.Damage
	if fault.CodeOf(err) != fault.Store || !errors.As(err, &damage) || damage.Node != "cb:1-0" {
		t.Errorf("the draft was read: %v", err)
	}
}
