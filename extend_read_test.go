package pact_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/store"
)

// TestExtensionByAContextWithoutSnapshots compares a context with one that has edits and no snapshot. Where a read
// fails, the answer is that and no conflict.
func TestExtensionByAContextWithoutSnapshots(t *testing.T) {
	block := pact.Spec{ID: "x", Role: "user", Content: "hello"}
	whole := create(t, pact.NewDB(store.NewMemory()))
	_, err := whole.Commit(background, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
		for i := range 1200 { // so many that a checkpoint has the snapshot
			b.Add("^ah", pact.Spec{Content: fmt.Sprint(i)})
		}
		b.Add("^ah", block)
		return nil
	}})
	must(t, err)
	var document bytes.Buffer
	s, err := whole.At(background, pact.Latest())
	must(t, err)
	must(t, s.Export(background, &document))
	edited := create(t, pact.NewDB(store.NewMemory()))
	must(t, edited.Edit(background, func(b *pact.Batch) error {
		b.Add("^ah", block)
		return nil
	}, nil))
	dbtest.EveryRead(t, func(db *pact.DB) error {
		_, _, err := pact.Import(background, db, "chat", document.Bytes(), nil)
		return err
	}, func(db *pact.DB) (string, error) {
		c, err := pact.Open(background, db, "chat", nil)
		if err != nil {
			return "", err
		}
		x, err := c.Extension(background, edited)
		if err != nil {
			return "", err
		}
		return fmt.Sprint(x.Cycles, " new"), nil
	})
}
