package tree_test

import (
	"bytes"
	"cmp"
	"context"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// create makes the context c in a store: of edition v0.1 and with a clock that
// counts, unless the options say otherwise.
func create(t testing.TB, s *pact.DB, opts ...pact.CreateOptions) *pact.Context {
	t.Helper()
	var o pact.CreateOptions
	for _, given := range opts {
		o = given
	}
	o.Edition = cmp.Or(o.Edition, selector.V01)
	if o.Clock == nil {
		o.Clock = steps()
	}
	c, err := pact.Create(context.Background(), s, "c", &o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// say adds a text of the user to the active head.
func say(text string) func(*pact.Batch) error {
	return func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{Role: "user", Kind: "text", Content: text})
		return nil
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// selected are those that a selector finds.
func selected(t testing.TB, c *pact.Context, text string) []string {
	t.Helper()
	got, err := c.Select(context.Background(), text, nil)
	must(t, err)
	return got
}

// steps is a clock that counts.
func steps() func() int64 {
	n := int64(999)
	return func() int64 { n++; return n }
}

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

func exported(t *testing.T, s *pact.Snapshot) string {
	t.Helper()
	var b bytes.Buffer
	must(t, s.Export(context.Background(), &b))
	return b.String()
}
