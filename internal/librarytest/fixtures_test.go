package librarytest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
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

// revisedContents has two snapshots between which one text and one JSON content change.
func revisedContents(t *testing.T) *pact.Context {
	c := create(t, pact.NewDB(store.NewMemory()))
	_, err := c.Commit(background, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
		b.Add("^sys", pact.Spec{ID: "text", MIME: "text/plain", Content: "one\ntwo\n"})
		must(t, b.Err())
		b.Add("^sys", pact.Spec{ID: "json", Content: map[string]any{"a": 1}})
		must(t, b.Err())
		b.Add("^sys", pact.Spec{ID: "same", Content: "same"})
		return nil
	}})
	must(t, err)
	_, err = c.Commit(background, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
		b.Update("text", func(s *pact.Spec) { s.Content = "one\n2\n" })
		b.Update("json", func(s *pact.Spec) { s.Content = map[string]any{"a": 2} })
		b.Update("same", func(s *pact.Spec) { s.Priority = 4 })
		return nil
	}})
	must(t, err)
	return c
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
		add(b, "^ah", pact.Spec{ID: "u1", Content: "u1", TTL: 2})
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

// fillEveryColumn fills a store with contexts in which every column of every table is in
// use: updates, expiry, pruning, groups, given ids, drafts, a fork, an import
// with a time of its own, content that JSON cannot express, sent bytes, and
// attempts.
func fillEveryColumn(t testing.TB, s *pact.DB) {
	t.Helper()
	c := create(t, s, pact.CreateOptions{OpenOptions: pact.OpenOptions{Actor: "ann"},
		Attrs: map[string]any{"data_root": 1}})
	must(t, c.Edit(background, func(b *pact.Batch) error {
		b.Add("^sys", pact.Spec{ID: "rule", Role: "system", Kind: "text", Content: "Be brief", Tags: []string{"a", "b"}})
		group := b.Add("^ah", pact.Spec{NodeType: "cont", Offset: 1, Removable: true})
		b.Add(group, pact.Spec{Content: map[string]any{"n": []int{1, 2}}, TTL: 2, Priority: 3})
		b.Add("^ah", pact.Spec{Role: "user", Content: "Where is my parcel? é"})
		return nil
	}, nil))
	a, _ := start(t, c)
	_, err := c.EndAttempt(background, a.ID, pact.Outcome{Status: history.Completed, TokenIn: new(int64(31)),
		TokenOut: new(int64(7)), Err: errors.New("cut off")})
	must(t, err)
	start(t, c) // it is never ended
	_, err = c.Send(background, &bytes.Buffer{}, nil)
	must(t, err)
	_, err = c.Commit(background, &pact.CommitOptions{Note: pact.Note{Message: "first", Request: "r1"}})
	must(t, err)
	for i := range 3 {
		_, err = c.Commit(background, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{Content: i})
			b.Update("rule", func(s *pact.Spec) { s.Content = fmt.Sprint("Be brief, ", i) })
			return nil
		}})
		must(t, err)
	}
	f, err := c.Fork(background, pact.Cycle(3), "fork", nil)
	must(t, err)
	start(t, f)
	must(t, f.Edit(background, say("in the fork"), nil))
	_, err = f.Commit(background, nil)
	must(t, err)
	must(t, c.Edit(background, say("a draft"), nil))
	must(t, c.Edit(background, func(b *pact.Batch) error {
		b.Update("rule", func(s *pact.Spec) { s.Priority = 7 })
		return nil
	}, nil))
	_, _, err = pact.Import(background, s, "imported", []byte(`{"cycle":4,"root":{"id":"r","children":[
		{"nodeType":"^seq","children":[{"id":"t","children":[{"id":"x","content":"x","created_at_ns":5,"created_at_iso":"long ago","ttl":3}]}]},
		{"nodeType":"^ah","children":[{"id":"nan","content":NaN,"data_x":1.5}]}]}}`), nil)
	must(t, err)
}
