package tree_test

import (
	"context"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

var (
	create   = dbtest.Create
	say      = dbtest.Say
	steps    = dbtest.Steps
	must     = dbtest.Must
	selected = dbtest.IDs
	exported = dbtest.Exported
)

// published returns a context of edition 1.0 with some commits, each of which seals a block with a ttl of 3.
func published(t *testing.T, commits int) *pact.Context {
	t.Helper()
	ctx, now := context.Background(), int64(0)
	clock := func() int64 { now++; return now }
	c, err := pact.Create(ctx, pact.NewDB(store.NewMemory()).WithEdition(selector.V1), "c",
		&pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: clock}})
	must(t, err)
	for range commits {
		must(t, c.Edit(ctx, func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{Content: "hello", Role: "user", TTL: new(int64(3))})
			return nil
		}, nil))
		_, err := c.Commit(ctx, nil)
		must(t, err)
	}
	return c
}
