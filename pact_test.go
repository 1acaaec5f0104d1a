package pact_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// steps is a clock that counts.
func steps() func() int64 {
	n := int64(999)
	return func() int64 { n++; return n }
}

func TestBackupAndHistoryComeBackTheSame(t *testing.T) {
	ctx := context.Background()
	for _, edition := range []selector.Edition{selector.V01, selector.Depth, selector.Canonical} {
		c := talk(t, edition)
		for name, write := range map[string]func(*bytes.Buffer) error{
			"snapshots": func(b *bytes.Buffer) error { return c.ExportHistory(ctx, b, pact.Cycle(1), pact.Latest) },
			"compact":   func(b *bytes.Buffer) error { return c.Backup(ctx, b) },
		} {
			var out bytes.Buffer
			if err := write(&out); err != nil {
				t.Fatal(name, err)
			}
			again, findings, err := pact.ImportHistory(ctx, store.NewMemory(), "again", bytes.NewReader(out.Bytes()), nil)
			if err != nil || len(findings) > 0 {
				t.Fatal(name, err, findings)
			}
			first, last := c.Cycles()
			for cycle := first; cycle <= last; cycle++ {
				equal(t, name, at(t, c, pact.Cycle(cycle)), at(t, again, pact.Cycle(cycle)))
			}
			var twice bytes.Buffer
			c = again
			if name == "compact" {
				equal(t, name+" working", c.Working(), again.Working())
			}
			if err := write(&twice); err != nil || !bytes.Equal(out.Bytes(), twice.Bytes()) {
				t.Fatalf("%s: written again: %v\n%s\n%s", name, err, out.Bytes(), twice.Bytes())
			}
			c = talk(t, edition)
		}
	}
}

func at(t *testing.T, c *pact.Context, a pact.Address) *pact.Snapshot {
	t.Helper()
	s, err := c.At(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func equal(t *testing.T, what string, a, b *pact.Snapshot) {
	t.Helper()
	x, err := a.Bytes(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	y, err := b.Bytes(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(x, y) || a.Digest() != b.Digest() {
		t.Fatalf("%s, cycle %d:\n%s\n%s", what, a.Cycle(), x, y)
	}
}

// talk makes a context with a few cycles and a draft.
func talk(t *testing.T, e selector.Edition) *pact.Context {
	t.Helper()
	ctx := context.Background()
	c, err := pact.Create(ctx, store.NewMemory(), "talk",
		&pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: steps()}, Edition: e})
	if err != nil {
		t.Fatal(err)
	}
	edit := func(f func(b *pact.Batch) error) {
		t.Helper()
		if err := c.Edit(ctx, f, nil); err != nil {
			t.Fatal(err)
		}
	}
	commit := func() {
		t.Helper()
		if _, err := c.Commit(ctx, nil); err != nil {
			t.Fatal(err)
		}
	}
	edit(func(b *pact.Batch) error {
		b.Add("^sys", pact.Spec{ID: "rules", Role: "system", Kind: "text", Content: "Be brief.", Tags: []string{"policy"}})
		b.Add("^ah", pact.Spec{Role: "user", Kind: "text", Content: "Höllo"})
		return nil
	})
	commit()
	edit(func(b *pact.Batch) error {
		b.Update("rules", map[string]any{"content": "Be kind.", "data_n": 1.5})
		call := b.Add("^ah", pact.Spec{Role: "assistant", Kind: "call", Offset: 1, Content: map[string]any{"name": "f"}})
		b.Add("^ah", pact.Spec{Role: "tool", Kind: "result", Offset: 1, TTL: pact.TTL(2), Refs: []string{call}, Content: 7})
		return nil
	})
	commit()
	commit()
	edit(func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{Role: "user", Content: "draft"})
		return nil
	})
	return c
}
