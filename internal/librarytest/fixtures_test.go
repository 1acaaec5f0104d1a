package librarytest

import (
	"context"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// longContext returns a context of n turns, one block of content each.
func longContext(tb testing.TB, n int, content string) *pact.Context {
	tb.Helper()
	ctx := context.Background()
	c, err := pact.Create(ctx, pact.NewDB(store.NewMemory()), "long",
		&pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: steps()}, Edition: selector.V01})
	must(tb, err)
	for range n {
		turn(tb, c, content)
	}
	return c
}

// turn adds one block and commits.
func turn(tb testing.TB, c *pact.Context, content string) {
	tb.Helper()
	_, err := c.Commit(context.Background(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{Role: "user", Kind: "text", Content: content})
		return nil
	}})
	must(tb, err)
}

// threeSnapshots has three snapshots: u1 lives in the first two of them, s gets another
// content in the second, u2 is born there.
func threeSnapshots(t *testing.T, opts ...pact.CreateOptions) *pact.Context {
	t.Helper()
	c := create(t, pact.NewDB(store.NewMemory()), opts...)
	add := func(b *pact.Batch, into string, s pact.Spec) {
		b.Add(into, s)
		must(t, b.Err())
	}
	commit := func(f func(b *pact.Batch)) {
		_, err := c.Commit(background, &pact.CommitOptions{Edit: func(b *pact.Batch) error { f(b); return nil }})
		must(t, err)
	}
	commit(func(b *pact.Batch) {
		add(b, "^sys", pact.Spec{ID: "s", Content: "one"})
		add(b, "^ah", pact.Spec{ID: "u1", Content: "u1", TTL: new(int64(2))})
	})
	commit(func(b *pact.Batch) {
		add(b, "^ah", pact.Spec{ID: "u2", Content: "u2", Attrs: map[string]any{"data_x": 1}})
		b.Update("s", func(s *pact.Spec) {
			s.Content = "two"
			s.Tags = []string{"a"}
		})
	})
	commit(func(*pact.Batch) {})
	return c
}
