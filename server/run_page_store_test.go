package server

import (
	"bytes"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/store"
)

// The answers of a page share its snapshots, which are those of the run, and its working state has what is not committed.
func TestThePageReadsEachSnapshotOnce(t *testing.T) {
	ctx := t.Context()
	run, err := pact.Create(ctx, pact.NewDB(store.NewMemory()), "run", nil)
	const calls = 5
	for range calls {
		if err == nil {
			_, err = run.Commit(ctx, nil)
		}
	}
	for i, content := range []string{"a", "b"} { // a commit, and a draft
		if err == nil {
			err = run.Edit(ctx, func(b *pact.Batch) error {
				b.Add("^ah", pact.Spec{Role: "user", Kind: "text", Content: content})
				return nil
			}, nil)
		}
		if err == nil && i == 0 {
			_, err = run.Commit(ctx, nil)
		}
	}
	var text bytes.Buffer
	if err == nil {
		err = run.Export(ctx, &text)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := readPageStore(ctx, "run", text.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	x, err := s.Find(ctx, "run")
	if err != nil {
		t.Fatal(err)
	}
	right, err := engine.Collect(s.Contexts.History(ctx, x.Key, x.First, x.Cycle))
	if err != nil || len(right) != calls+1 {
		t.Fatal(len(right), err)
	}
	for from := range right {
		got, err := engine.Collect(s.History(ctx, x.Key, x.First+int64(from), x.Cycle))
		if err != nil || len(got) != len(right)-from {
			t.Fatal(from, len(got), err)
		}
		for i, one := range got {
			if one != s.trees[from+i] || one.Digest() != right[from+i].Digest() {
				t.Errorf("a history since %d has another snapshot in place %d", from, i)
			}
		}
	}
	if _, err := engine.Collect(s.History(ctx, x.Key, x.First, x.Cycle+1)); err == nil {
		t.Error("a snapshot that is not there was read")
	}
	now, err := s.Load(ctx, x.Key)
	if err != nil || now.Head != s.trees[calls] || now.Working.Digest() == now.Head.WithCycle(now.Working.Cycle()).Digest() {
		t.Error("the latest snapshot or the draft is not there", err)
	}
}
