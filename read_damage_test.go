package pact_test

import (
	"database/sql"
	"errors"
	"io"
	"path/filepath"
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
		_, err := c.Select(background, "@c1 .cb[content='x']", nil)
		return err
	},
}

// TestReadingFindsDamagedContents changes a content in the file: as long as it
// was, to another length, into what is no JSON. Nothing gives it out.
func TestReadingFindsDamagedContents(t *testing.T) {
	for _, body := range []string{`"a Question"`, `"a longer question"`, `"a questio`, "\x00\xff", ``} {
		path := filepath.Join(t.TempDir(), "pact.db")
		s, err := sqlite.Open(background, path)
		must(t, err)
		c := create(t, s)
		must(t, c.Edit(background, say("a question"), nil))
		_, err = c.Commit(background, nil)
		must(t, err)
		must(t, s.Close())
		db, err := sql.Open("sqlite", path)
		must(t, err)
		_, err = db.Exec(`UPDATE content SET body = CAST(? AS BLOB) WHERE CAST(body AS TEXT) = '"a question"'`, body)
		must(t, err)
		must(t, db.Close())

		for name, ask := range answers {
			s, err := sqlite.Open(background, path)
			must(t, err)
			c, err := pact.Open(background, s, "c", &pact.OpenOptions{Clock: steps()})
			must(t, err)
			var damage *store.Damage
			if err := ask(c); !errors.Is(err, fault.Store) || !errors.As(err, &damage) || damage.What != "content hash" ||
				damage.Node != "cb:1-0" {
				t.Errorf("%s with the content %q: %v", name, body, err)
			}
			must(t, s.Close())
		}
	}
}

// TestReadingFindsDamagedRows changes a header, a place, a birth and an entry of
// the log. Whoever reads the snapshot, the working state or the log is told.
func TestReadingFindsDamagedRows(t *testing.T) {
	open := func(s store.Complete) error { _, err := pact.Open(background, s, "c", nil); return err }
	snapshot := func(s store.Complete) error { _, err := store.Snapshot(background, s, 1, 1); return err }
	history := func(s store.Complete) error { _, err := store.Collect(s.History(background, 1, 1, 2)); return err }
	log := func(s store.Complete) error { _, err := s.Log(background, 1, 1, 99); return err }
	attempts := func(s store.Complete) error { _, err := s.Attempts(background, 1, 0, 99); return err }
	for _, c := range []struct {
		damage string
		asks   []func(store.Complete) error
	}{
		{`UPDATE node_version SET priority = 9 WHERE id = 'cb:1-0'`, []func(store.Complete) error{open, snapshot, history}},
		{`UPDATE node_version SET headers = '{"role":"admin"}' WHERE id = 'cb:1-0'`, []func(store.Complete) error{open,
			snapshot, history}},
		{`UPDATE node_version SET birth = 2 WHERE id = 'cb:1-0'`, []func(store.Complete) error{snapshot, history}},
		{`DELETE FROM node_version WHERE id = 'cb:1-0'`, []func(store.Complete) error{open, snapshot, history}},
		{`UPDATE node_version SET expiry = 7 WHERE id = 'cb:3-0'`, []func(store.Complete) error{open}},
		{`UPDATE log SET actor = 'eve' WHERE revision = 2`, []func(store.Complete) error{log}},
		{`UPDATE log SET message = 'x' WHERE revision = (SELECT max(revision) FROM log)`, []func(store.Complete) error{open,
			log}},
		{`UPDATE log SET latest = 1 WHERE revision = (SELECT max(revision) FROM log)`, []func(store.Complete) error{open,
			log}},
		{`DELETE FROM log WHERE revision = 2`, []func(store.Complete) error{log}},
		{`UPDATE attempt SET model = 'other'`, []func(store.Complete) error{attempts}},
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

// TestReadingFindsDamagedDrafts changes the content of a draft, which is read
// together with its row and not when somebody asks for it.
func TestReadingFindsDamagedDrafts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pact.db")
	s, err := sqlite.Open(background, path)
	must(t, err)
	c := create(t, s)
	must(t, c.Edit(background, say("a question"), nil))
	must(t, s.Close())
	db, err := sql.Open("sqlite", path)
	must(t, err)
	changed, err := db.Exec(`UPDATE content SET body = CAST('"a Question"' AS BLOB) WHERE CAST(body AS TEXT) = '"a question"'`)
	must(t, err)
	must(t, db.Close())
	if n, _ := changed.RowsAffected(); n != 1 {
		t.Fatalf("%d contents were changed", n)
	}
	s, err = sqlite.Open(background, path)
	must(t, err)
	defer s.Close()
	_, err = pact.Open(background, s, c.Name(), nil)
	var damage *store.Damage
	if fault.CodeOf(err) != fault.Store || !errors.As(err, &damage) {
		t.Errorf("the draft was read: %v", err)
	}
}
