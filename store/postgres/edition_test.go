//go:build unix

package postgres_test

import (
	"bytes"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/postgrestest"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// A history of edition 1.0, with a cadence, a turn between turns and a marker, is the same here as in memory.
func TestHistoryOfEdition1(t *testing.T) {
	made := func(db *pact.DB) string {
		now := int64(0)
		c, err := pact.Create(t.Context(), db.WithEdition(selector.V1), "c", &pact.CreateOptions{
			OpenOptions: pact.OpenOptions{Clock: func() int64 { now++; return now }}})
		if err != nil {
			t.Fatal(err)
		}
		edits := []func(*pact.Batch){
			func(b *pact.Batch) {
				b.Add("(d0, end)", "block {key='K', content='Remember.'} [ttl=1, cad=2]")
				b.Add("^ah", pact.Spec{ID: "note", Offset: 1, Content: "x"})
			},
			func(b *pact.Batch) { b.Splice(1, pact.Spec{ID: "between", Content: "y"}) },
			func(b *pact.Batch) { b.Remove("note") },
		}
		for _, edit := range edits {
			if _, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error { edit(b); return nil }}); err != nil {
				t.Fatal(err)
			}
		}
		if c, err = pact.Open(t.Context(), db, "c", nil); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := c.ExportSnapshots(t.Context(), &out, pact.Cycle(1), pact.Latest()); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	here, memory := made(dbtest.Of(open(t, postgrestest.Database(t)))), made(pact.NewDB(store.NewMemory()))
	if here != memory {
		t.Errorf("PostgreSQL\n%s\nmemory\n%s", here, memory)
	}
}
