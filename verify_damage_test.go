package pact_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store/sqlite"
)

// damaged is a file with the contexts of fillEveryColumn, to be damaged and put right.
type damaged struct {
	*testing.T
	path string
	db   *sql.DB
}

func damage(t *testing.T) *damaged {
	t.Helper()
	return damagedAfter(t, func(*sqlite.Store) error { return nil })
}

// damagedAfter is damage after something else was done with the store.
func damagedAfter(t *testing.T, also func(*sqlite.Store) error) *damaged {
	t.Helper()
	d := &damaged{T: t, path: filepath.Join(t.TempDir(), "pact.db")}
	s, err := sqlite.Open(background, d.path)
	must(t, err)
	fillEveryColumn(t, s)
	must(t, also(s))
	must(t, s.Close())
	d.reopen()
	_, err = d.db.Exec("INSERT INTO unclean (since_ns) VALUES (7)")
	must(t, err)
	t.Cleanup(func() { d.db.Close() })
	return d
}

func (d *damaged) reopen() {
	d.Helper()
	var err error
	d.db, err = sql.Open("sqlite", d.path)
	must(d.T, err)
}

// found verifies all contexts of the file as it is.
func (d *damaged) found() []string {
	d.Helper()
	s, err := sqlite.Open(background, d.path)
	if err != nil {
		return []string{err.Error()}
	}
	defer s.Close()
	return verdicts(d.T, s)
}

// damagedValues are values to put in the place of one: with a bit flipped, the ends of
// what fits, nothing at all, and something in the place of nothing. A table takes
// those of the type of the column alone.
func damagedValues(r *rand.Rand, v any) []any {
	switch v := v.(type) {
	case nil:
		return []any{int64(1), "x", []byte("x")}
	case int64:
		return []any{flip(r, v), int64(math.MaxInt64), int64(math.MinInt64), -v, v + 1, nil}
	case string:
		return append(flips(r, v, v != ""), "", v+"x", nil)
	case []byte:
		return append(flips(r, v, len(v) > 0), []byte{}, append(slices.Clone(v), 0), nil)
	}
	panic(fmt.Sprintf("a value of type %T", v))
}

func flips(r *rand.Rand, v any, filled bool) []any {
	if filled {
		return []any{flip(r, v)}
	}
	return nil
}

// harmless are the columns whose value changes no answer of the program.
var harmless = map[string]string{
	"unclean.no":          "a name for the row: that there is one counts",
	"unclean.since_ns":    "for whoever reads the table: nothing is made of it",
	"sqlite_sequence.seq": "a higher one leaves keys out; a lower one is found",
}

// TestVerifyFindsEveryValue changes every value of every row, one at a time, and
// in several ways. None may pass but what is harmless, and nothing may hang.
func TestVerifyFindsEveryValue(t *testing.T) {
	testrun.OneGoroutine(t)
	damage(t).everyValue()
}

// TestVerifyFindsEveryPackedValue does so where all but drafts is in pages.
func TestVerifyFindsEveryPackedValue(t *testing.T) {
	testrun.OneGoroutine(t)
	d := damagedAfter(t, func(s *sqlite.Store) error { return s.PackAll(background) })
	for _, table := range []string{"page", "page_block", "page_name"} {
		if len(d.cells(table)) == 0 {
			t.Fatalf("there is nothing in %s", table)
		}
	}
	d.everyValue()
}

func (d *damaged) everyValue() {
	d.Helper()
	r := rand.New(rand.NewPCG(11, 4))
	changed, share := 0, testrun.Size(d.T, 4, 12, 144) // of 144 values
	for _, table := range slices.Sorted(maps.Keys(tables)) {
		for _, c := range d.every(table) {
			for _, v := range damagedValues(r, c.value) {
				empty, isBytes := v.([]byte)
				if c.column == "chain" && c.at[1] == int64(1) && (v == nil || isBytes && len(empty) == 0) {
					continue // the only row of a log may be of version 1, which has no links; its digests hold all the same
				}
				if r.IntN(144) < share {
					changed += d.mustFind(c, v)
				}
			}
		}
	}
	d.Logf("%d values", changed)
	if list := d.found(); len(list) > 0 {
		d.Errorf("put right, it does not hold: %q", list)
	}
}

// mustFind damages a cell, looks whether that is found, and puts it right.
func (d *damaged) mustFind(c cell, v any) int {
	d.Helper()
	if sameValue(c.value, v) {
		return 0
	}
	if err := d.set(c, c.at, v); err != nil {
		return 0 // another row has that key, or the table takes no such value
	}
	began := time.Now()
	if len(d.found()) == 0 && harmless[c.table+"."+c.column] == "" {
		d.Errorf("not found: %v became %v", c, v)
	}
	if time.Since(began) > time.Minute {
		d.Errorf("%v became %v, and it takes %v to find that", c, v, time.Since(began))
	}
	at := append([]any(nil), c.at...)
	for i, k := range c.key {
		if k == c.column {
			at[i] = v
		}
	}
	must(d.T, d.set(c, at, c.value))
	return 1
}

// sameValue compares two values of cells.
func sameValue(a, b any) bool {
	x, isBytes := a.([]byte)
	y, areBytes := b.([]byte)
	if isBytes || areBytes {
		return isBytes && areBytes && bytes.Equal(x, y)
	}
	return a == b
}

// TestVerifyWithoutProofs takes what rows prove of themselves away, so that the
// digests of the snapshots have to do: headers and contents are still safe.
// What is left to the proofs are the columns that no header comes from, and the
// head of an empty context, which is in no snapshot.
func TestVerifyWithoutProofs(t *testing.T) {
	testrun.OneGoroutine(t)
	d := damage(t)
	for _, statement := range []string{"UPDATE node_version SET proof = NULL", "UPDATE log SET chain = NULL"} {
		if _, err := d.db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if list := d.found(); len(list) > 0 {
		t.Fatalf("does not hold: %q", list)
	}
	r := rand.New(rand.NewPCG(12, 4))
	apart := map[string]bool{"branch": true, "birth": true, "nid": true, "death": true, "parent": true, "named": true,
		"content_no": true}
	flips := 0
	for _, table := range []string{"node_version", "content"} {
		for _, c := range d.cells(table) {
			firstHead := table == "node_version" && c.at[1] == int64(0) && c.at[2] == int64(4)
			if apart[c.column] || firstHead || !testrun.Thorough() && r.IntN(4) > 0 {
				continue
			}
			flips += d.mustFind(c, flip(r, c.value))
		}
	}
	for _, c := range d.cells("log") {
		if c.column == "digest" || c.column == "thread" || c.column == "sent" {
			if last := c.at[0] == int64(1) && c.at[1] == int64(1); !last || c.column != "digest" && c.column != "thread" {
				flips += d.mustFindDigest(c, r)
			}
		}
	}
	t.Logf("%d flips", flips)
}

// mustFindDigest is mustFind for digests of snapshots; edits in between are
// held to nothing but the last.
func (d *damaged) mustFindDigest(c cell, r *rand.Rand) int {
	d.Helper()
	var kind string
	var last bool
	must(d.T, d.db.QueryRow(`SELECT kind, revision = (SELECT max(revision) FROM log WHERE branch = ?) FROM log WHERE branch = ? AND revision = ?`,
		c.at[0], c.at[0], c.at[1]).Scan(&kind, &last))
	if kind != "commit" && !last {
		return 0
	}
	return d.mustFind(c, flip(r, c.value))
}

// TestVerifyNamesTheNode damages one content and one header, and takes the proof
// of one row away.
func TestVerifyNamesTheNode(t *testing.T) {
	d := damage(t)
	for _, c := range []struct{ damage, want string }{
		{`UPDATE content SET body = CAST('"Where is my camera? \u00e9"' AS BLOB) WHERE CAST(body AS TEXT) LIKE '%parcel%'`,
			"content hash"},
		{`UPDATE node_version SET priority = 9 WHERE id = 'mc:2-2'`, "Node:mc:2-2"},
		{`UPDATE node_version SET priority = 9, proof = NULL WHERE id = 'mc:2-2'`, "Node:mc:2-2"},
		{`UPDATE node_version SET proof = NULL WHERE id = 'mc:2-2'`, "Node:mc:2-2"},
		{`UPDATE node_version SET id = 'mt:2-1' WHERE id = 'mc:2-2'`, "Node:mt:2-1"},
		{`UPDATE log SET message = 'another' WHERE message = 'first'`, "revision 3 of the log"},
		{`UPDATE attempt SET error = 'timed out' WHERE number = 1 AND cycle = 1`,
			"Cycle:1 Working:false Node: Suspects:[] What:attempt:1-1 is not as it was recorded"},
		{`UPDATE attempt SET error = NULL WHERE number = 1 AND cycle = 1`, "attempt:1-1 is not"},
		{`UPDATE attempt SET thread = zeroblob(32) WHERE number = 2`, "attempt:1-2 is not"},
		{`UPDATE attempt SET model = '' WHERE cycle = 4`, "attempt:4-1-f1 is not"},
		{`DELETE FROM attempt WHERE number = 1 AND cycle = 1`, "2 attempts were recorded, and there are 1"},
		{`DELETE FROM attempt WHERE number = 2`, "2 attempts were recorded, and there are 1"},
		{`UPDATE context SET attempts = 0 WHERE attempts = 2`, `the row of the context "c" is not as it was written`},
	} {
		before, err := os.ReadFile(d.path)
		must(t, err)
		res, err := d.db.Exec(c.damage)
		must(t, err)
		if n, _ := res.RowsAffected(); n != 1 {
			t.Fatalf("%s: %d rows", c.damage, n)
		}
		list := d.found()
		if len(list) == 0 || !strings.Contains(list[0], c.want) {
			t.Errorf("%s\nfound %q, want %q", c.damage, list, c.want)
		}
		must(t, d.db.Close())
		must(t, os.WriteFile(d.path, before, 0o600))
		d.db, err = sql.Open("sqlite", d.path)
		must(t, err)
	}
}

// TestVerifyFindsFlipsInTheFile flips bits of the file itself. Either that is
// found, or every row reads as before.
func TestVerifyFindsFlipsInTheFile(t *testing.T) {
	testrun.OneGoroutine(t)
	d := damage(t)
	must(t, d.db.Close())
	intact, err := os.ReadFile(d.path)
	must(t, err)
	want := d.dump()
	r := rand.New(rand.NewPCG(13, 4))
	flips, found := testrun.Size(t, 30, 100, 800), 0
	for range flips {
		data := append([]byte(nil), intact...)
		at, bit := r.IntN(len(data)), r.IntN(8)
		data[at] ^= 1 << bit
		for _, name := range []string{d.path + "-wal", d.path + "-shm"} {
			os.Remove(name)
		}
		must(t, os.WriteFile(d.path, data, 0o600))
		if len(d.found()) > 0 {
			found++
		} else if got := d.dump(); got != want {
			t.Errorf("not found: bit %d of byte %d", bit, at)
		}
	}
	t.Logf("%d of %d flips were found, the others are in no row", found, flips)
}

// dump is everything in the rows.
func (d *damaged) dump() string {
	d.Helper()
	db, err := sql.Open("sqlite", d.path)
	must(d.T, err)
	defer db.Close()
	was := d.db
	d.db = db
	defer func() { d.db = was }()
	var b strings.Builder
	for _, table := range []string{"context", "log", "node_version", "content"} {
		for _, c := range d.cells(table) {
			fmt.Fprintln(&b, c)
		}
	}
	return b.String()
}
