package record_test

import (
	"bytes"
	"math"
	"path/filepath"
	"reflect"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"

	"github.com/contexttree/pact/store/sqlite"
)

// A backup carries the attempts, also those of a fork: the context that is made of it gives
// back every body, and knows the tokens that the provider reported.
func TestABackupCarriesAttempts(t *testing.T) {
	tk := newTalk(t, provider.Messages)
	for _, text := range []string{"a", "b", "c"} {
		tk.turn(text)
	}
	tk.said = tk.said[:3]
	tk.turn("another b")
	tk.turn("another c")
	tk.rec.Close()
	if names := tk.rec.Contexts(); len(names) != 2 {
		t.Fatalf("the edited message made %v", names)
	}
	onDisk, err := dbtest.Open(sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "pact.db")))
	must(t, err)
	defer onDisk.Close()
	for _, name := range tk.rec.Contexts() {
		for _, s := range []*pact.DB{pact.NewDB(store.NewMemory()), onDisk} {
			testBackup(t, opened(t, tk.store, name), s)
		}
	}
}

func testBackup(t *testing.T, c *pact.Context, s *pact.DB) {
	t.Helper()
	var backup, twice bytes.Buffer
	must(t, c.Export(t.Context(), &backup))
	again, findings, err := pact.ImportHistory(t.Context(), s, c.Name(), bytes.NewReader(backup.Bytes()), nil)
	must(t, err)
	must(t, again.Export(t.Context(), &twice))
	if !bytes.Equal(backup.Bytes(), twice.Bytes()) || len(findings) > 0 {
		t.Errorf("the backup of what was imported is another one; %v", findings)
	}
	want, err := c.Attempts(t.Context(), math.MinInt64, math.MaxInt64)
	must(t, err)
	got, err := again.Attempts(t.Context(), math.MinInt64, math.MaxInt64)
	must(t, err)
	if len(got) != len(want) || len(want) < 3 {
		t.Fatalf("%d attempts of %s come back, of %d", len(got), c.Name(), len(want))
	}
	for i := range want {
		cycle, number, _, _ := history.ParseAttemptID(want[i].ID)
		want[i].ID = history.AttemptID(cycle, number, 0)
		if !reflect.DeepEqual(want[i], got[i]) {
			t.Errorf("%+v came back as %+v", want[i], got[i])
		}
		sent, err := record.Request(t.Context(), c, cycle, 0)
		must(t, err)
		body, err := record.Request(t.Context(), again, cycle, 0)
		must(t, err)
		if !bytes.Equal(sent.Bytes, body.Bytes) {
			t.Errorf("call %d gives\n%s, want\n%s", cycle, body.Bytes, sent.Bytes)
		}
	}
	before, after := reported(t, c), reported(t, again)
	for i := range before {
		if before[i].Provider == nil || !reflect.DeepEqual(before[i].Provider, after[i].Provider) {
			t.Errorf("the provider reported %+v of call %d, and now %+v", before[i].Provider, i+1, after[i].Provider)
		}
	}
	v, err := pact.Verify(t.Context(), again, nil)
	must(t, err)
	if v.Defect != nil {
		t.Errorf("%+v", v.Defect)
	}
}

func reported(t *testing.T, c *pact.Context) (list []inspect.CallPrefix) {
	t.Helper()
	for p, err := range record.Prefixes(t.Context(), c, "", nil) {
		must(t, err)
		list = append(list, p)
	}
	return list
}
