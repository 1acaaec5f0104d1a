package librarytest

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store/sqlite"
)

// damaged is a file with the contexts of fillEveryColumn, to be damaged and put right.
type damaged struct {
	*testing.T
	path   string
	db     *sql.DB
	intact string // what the file answers
}

func damage(t *testing.T) *damaged {
	t.Helper()
	return damagedAfter(t, func(*engine.Engine) error { return nil })
}

// damagedAfter is damage after something else was done with the store.
func damagedAfter(t *testing.T, also func(*engine.Engine) error) *damaged {
	t.Helper()
	d := &damaged{T: t, path: filepath.Join(t.TempDir(), "pact.db")}
	s, err := dbtest.Engine(sqlite.Open(background, d.path))
	must(t, err)
	fillEveryColumn(t, dbtest.Of(s))
	must(t, also(s))
	must(t, s.Close())
	d.intact = d.answers()
	d.reopen()
	t.Cleanup(func() { d.db.Close() })
	return d
}

func (d *damaged) reopen() {
	d.Helper()
	var err error
	d.db, err = sql.Open("sqlite", d.path)
	must(d.T, err)
}

// answers returns the answers of the file to every question.
func (d *damaged) answers() string {
	d.Helper()
	s, err := dbtest.Open(sqlite.Open(background, d.path))
	if err != nil {
		return err.Error()
	}
	defer s.Close()
	list := answersOf(d.T, background, s)
	return fmt.Sprint(list)
}

// found verifies all contexts of the file as it is.
func (d *damaged) found() []string {
	d.Helper()
	s, err := dbtest.Open(sqlite.Open(background, d.path))
	if err != nil {
		return []string{err.Error()}
	}
	defer s.Close()
	return verdicts(d.T, s)
}

// damagedValues are values to put in the place of one: with a bit flipped, the ends of
// what fits, and nothing at all. A table takes those of the type of the column alone.
func damagedValues(r *rand.Rand, v any) []any {
	switch v := v.(type) {
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

// TestVerifyFindsEveryValue changes every value of every row, one at a time, and
// in several ways. None may pass but what changes no answer, and nothing may hang.
func TestVerifyFindsEveryValue(t *testing.T) {
	testrun.OneGoroutine(t)
	damage(t).everyValue()
}

// TestVerifyFindsEveryJoinedValue does so where all that can be joined is.
func TestVerifyFindsEveryJoinedValue(t *testing.T) {
	testrun.OneGoroutine(t)
	damagedAfter(t, func(s *engine.Engine) error { return s.SettleAll(background) }).everyValue()
}

func (d *damaged) everyValue() {
	d.Helper()
	r := rand.New(rand.NewPCG(11, 4))
	changed, share := 0, testrun.Size(d.T, 4, 12, 144) // of 144 values
	for _, table := range slices.Sorted(maps.Keys(tables)) {
		for _, c := range d.every(table) {
			for _, v := range damagedValues(r, c.value) {
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
	if len(d.found()) == 0 && d.answers() != d.intact {
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

// TestVerifyNamesWhatIsDamaged damages contents, headers and entries. Where the sum of a record is
// made to fit, the digests have to do.
func TestVerifyNamesWhatIsDamaged(t *testing.T) {
	for _, c := range []struct {
		old, new string
		forged   bool
		want     string
	}{
		{"parcel? ", "camera? ", false, "Node:cb:1-3 Suspects:[] What:content hash"},
		{"parcel? ", "camera? ", true, "Node:cb:1-3 Suspects:[] What:content hash"},
		{"cb:2-0", "ct:2-0", false, "What:revision 4 of the log is not as it was written"},
		{"cb:2-0", "ct:2-0", true, "Cycle:2 Working:false Node: Suspects:[rule mt:2-1 mc:2-2 ct:2-0"},
		{"first", "other", false, "What:revision 3 of the log is not as it was written"},
		{"cut off", "cut out", false, "Cycle:1 Working:false Node: Suspects:[] What:attempt:1-1 is not as it was recorded"},
	} {
		d := damage(t)
		if n := tamper(t, d.path, c.old, c.new, c.forged); n == 0 {
			t.Errorf("nothing says %q", c.old)
		}
		if list := d.found(); len(list) == 0 || !strings.Contains(list[0], c.want) {
			t.Errorf("%q became %q, forged: %t\nfound %q, want %q", c.old, c.new, c.forged, list, c.want)
		}
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
