package sqlite_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/sqlite"
)

// packedFile makes a file with twelve turns, all in pages of three cycles, and
// returns what its snapshots are.
func packedFile(t *testing.T) (path string, key store.Key) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "pact.db")
	t.Cleanup(sqlite.PackSoon(3, 1))
	s, err := sqlite.Open(t.Context(), path)
	must(t, err)
	w := begin(t, s)
	for i := range 12 {
		w.next(t, fmt.Sprintf("what was said in turn %d", i))
	}
	must(t, s.PackAll(t.Context()))
	must(t, s.Close())
	db, pages, rows := raw(t, path), 0, 0
	must(t, db.QueryRow("SELECT count(*), (SELECT count(*) FROM node_version) FROM page").Scan(&pages, &rows))
	if pages < 4 || rows > 0 {
		t.Fatalf("the file has %d pages and %d rows", pages, rows)
	}
	return path, w.state.Key
}

// TestDamagedPages takes pages, blocks and names away, puts them in each other's
// place, doubles them and flips bits in every column. Check finds it, and whoever
// reads what stood there.
func TestDamagedPages(t *testing.T) {
	testrun.OneGoroutine(t)
	read := func(s store.Complete, key store.Key) error {
		st, err := s.Load(t.Context(), key)
		if err != nil {
			return err
		}
		for n := range st.Head.All() {
			if _, err := n.Node().Content.Value(t.Context()); err != nil {
				return err
			}
		}
		return nil
	}
	for _, c := range []struct {
		name, statement string
		unread          bool // only Check looks there
	}{
		{"a page is gone", "DELETE FROM page WHERE number = 2", false},
		{"the first page is gone", "DELETE FROM page WHERE number = 1", false},
		{"the last page is gone", "DELETE FROM page WHERE number = (SELECT max(number) FROM page)", false},
		{"all pages are gone", "DELETE FROM page", false},
		{"two pages changed places", "UPDATE page SET last_birth = last_birth + 1000 WHERE number = 2", false},
		{"a page is there twice", `INSERT INTO page SELECT branch, last_birth, last_nid + 1, number + 1, digest, head
			FROM page WHERE number = 2`, false},
		{"a page is of another branch", "UPDATE page SET branch = branch + 1 WHERE number = 2", false},
		{"a page has another number", "UPDATE page SET number = 1 + max(number, 7) WHERE number = 2", false},
		{"heads changed places", "UPDATE page SET head = (SELECT head FROM page p WHERE p.number = 3) WHERE number = 2",
			false},
		{"heads and digests changed places", `UPDATE page SET head = (SELECT head FROM page p WHERE p.number = 3),
			digest = (SELECT digest FROM page p WHERE p.number = 3) WHERE number = 2`, false},
		{"a block is gone", "DELETE FROM page_block WHERE last_birth = (SELECT last_birth FROM page WHERE number = 2)",
			false},
		{"a block is there twice",
			"INSERT INTO page_block SELECT branch, last_birth, last_nid, 1, body FROM page_block", true},
		{"blocks changed places", `UPDATE page_block SET body = (SELECT body FROM page_block b ORDER BY last_birth LIMIT 1)
			WHERE last_birth = (SELECT last_birth FROM page WHERE number = 2)`, false},
		{"a name is gone", "DELETE FROM page_name WHERE id = (SELECT min(id) FROM page_name)", true},
		{"a name too many", "INSERT INTO page_name VALUES (1, 'nobody', 1, 1)", true},
		{"another name", "UPDATE page_name SET nid = nid + 1000", true},
		{"a row is in a page too", `INSERT INTO node_version (branch, birth, nid, death) VALUES (1, 3, 7777, 'edit')`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, key := packedFile(t)
			raw(t, path, c.statement).Close()
			s := open(t, path)
			if damage, err := s.Check(t.Context(), key); err != nil || damage == nil {
				all, allErr := s.CheckAll(t.Context())
				if allErr != nil || all == nil && !errors.Is(read(s, key), fault.Store) {
					t.Errorf("Check found %v, %v; CheckAll %v, %v", damage, err, all, allErr)
				}
			}
			var damage *store.Damage
			if err := read(s, key); !c.unread && (!errors.Is(err, fault.Store) || !errors.As(err, &damage)) {
				t.Errorf("the reader got %v", err)
			}
		})
	}
}

// TestFlippedBitsInPages flips bits in heads, digests and blocks.
func TestFlippedBitsInPages(t *testing.T) {
	testrun.OneGoroutine(t)
	path, key := packedFile(t)
	db := raw(t, path)
	for _, column := range []struct{ table, name string }{{"page", "digest"}, {"page", "head"}, {"page_block", "body"}} {
		var birth int64
		var whole []byte
		must(t, db.QueryRow(fmt.Sprintf("SELECT last_birth, %s FROM %s ORDER BY last_birth LIMIT 1 OFFSET 1", column.name,
			column.table)).Scan(&birth, &whole))
		put := fmt.Sprintf("UPDATE %s SET %s = ? WHERE last_birth = ?", column.table, column.name)
		for bit := 0; bit < 8*len(whole); bit += 1 + len(whole)/4 {
			flipped := bytes.Clone(whole)
			flipped[bit/8] ^= 1 << (bit % 8)
			_, err := db.Exec(put, flipped, birth)
			must(t, err)
			s := open(t, path)
			if damage, err := s.Check(t.Context(), key); err != nil || damage == nil {
				t.Errorf("bit %d of %s: Check found %v, %v", bit, column.name, damage, err)
			}
			must(t, s.Close())
		}
		_, err := db.Exec(put, whole, birth)
		must(t, err)
	}
	s := open(t, path)
	if damage, err := s.Check(t.Context(), key); err != nil || damage != nil {
		t.Errorf("put back, Check found %v, %v", damage, err)
	}
}
