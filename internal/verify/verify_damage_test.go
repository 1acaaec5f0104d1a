package verify_test

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/store/sqlite"
)

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
		{"Be brief, 2", "be brief, 2", false, "Cycle:4 Working:false Node:rule"},
		{"a draft", "A draft", false, "Cycle:5 Working:true Node:cb:5-0"},
		{"cut off", "cut out", false, "Cycle:1 Working:false Node: Suspects:[] What:attempt:1-1 is not as it was recorded"},
	} {
		path := filepath.Join(t.TempDir(), "pact.db")
		s := fileOf(t, path)
		fillEveryColumn(t, s)
		must(t, s.Close())
		if n := tamper(t, path, c.old, c.new, c.forged); n == 0 {
			t.Errorf("nothing says %q", c.old)
		}
		if list := verdicts(t, fileOf(t, path)); len(list) == 0 || !strings.Contains(list[0], c.want) {
			t.Errorf("%q became %q, forged: %t\nfound %q, want %q", c.old, c.new, c.forged, list, c.want)
		}
	}
}

// All contexts are verified, also those behind one that does not hold or cannot be read; what belongs to none is the store's.
func TestVerifyGoesOnBehindADefect(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pact.db")
	s := fileOf(t, path)
	for _, name := range []string{"one", "two", "three"} {
		c, err := pact.Create(background, s, name, nil)
		must(t, err)
		must(t, c.Edit(background, say("said in "+name), nil))
		_, err = c.Commit(background, nil)
		must(t, err)
	}
	must(t, s.Close())
	found := func() (list []string) {
		done, all := 0, 0
		r, err := pact.VerifyAll(background, fileOf(t, path), func(n, of int) { done, all = max(done, n), of })
		must(t, err)
		for _, v := range r.Contexts {
			if v.Holds() {
				list = append(list, v.Context+" holds")
			} else {
				list = append(list, v.Context+": "+v.Defect.What)
			}
		}
		if slices.Sort(list); r.Defect != nil {
			list = append(list, "of the store: "+r.Defect.What)
		} else if holding := len(slices.DeleteFunc(slices.Clone(list), func(s string) bool { return !strings.HasSuffix(s, " holds") })); done != holding || all != 3 {
			t.Errorf("%d of %d snapshots were verified", done, all)
		}
		return list
	}
	if got := found(); !slices.Equal(got, []string{"one holds", "three holds", "two holds"}) {
		t.Errorf("%q", got)
	}
	if tamper(t, path, "said in two", "Said in two", false) == 0 {
		t.Error("nothing says it")
	}
	if got := found(); !slices.Equal(got, []string{"one holds", "three holds", "two: content hash"}) {
		t.Errorf("%q", got)
	}
	db, err := sql.Open("sqlite", path)
	if err == nil {
		_, err = db.Exec("UPDATE pair SET value = zeroblob(20) WHERE space = 3 AND name = x'69'")
	}
	must(t, err)
	must(t, db.Close())
	if got := found(); len(got) != 1 || !strings.HasPrefix(got[0], `of the store: the context "three" is damaged: `) {
		t.Errorf("%q", got)
	}
	if r, err := pact.Verify(background, fileOf(t, path), "one", nil); err != nil || r.Defect == nil || !r.Defect.NoCycle || r.Context != "one" {
		t.Errorf("%+v, %v", r, err)
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

// fileOf opens a file, which is closed when the test ends.
func fileOf(t *testing.T, path string) *pact.DB {
	t.Helper()
	s, err := dbtest.Open(sqlite.Open(background, path))
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}
