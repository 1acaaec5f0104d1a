package server

import (
	"bytes"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/testrun"
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
	must(t, err)
	s, err := readPageStore(ctx, "run", text.Bytes())
	must(t, err)
	x, err := s.Find(ctx, "run")
	must(t, err)
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

// The log and the attempts of a page are those of its store, in every range, also of a run that has committed nothing yet.
func TestPageStoreHasTheLogAndTheAttempts(t *testing.T) {
	run, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "run", nil)
	must(t, err)
	for commits := range 3 {
		var text bytes.Buffer
		for range 2 {
			_, err = run.StartAttempt(t.Context(), pact.ProviderCall{Provider: "p", Model: "m"}, &text, nil)
			must(t, err)
		}
		text.Reset()
		must(t, run.Export(t.Context(), &text))
		s, err := readPageStore(t.Context(), "run", text.Bytes())
		must(t, err)
		x, err := s.Find(t.Context(), "run")
		if all, _ := s.Log(t.Context(), x.Key, 1, x.Revision); err != nil || len(all) != int(x.Revision) {
			t.Errorf("after %d commits: %d entries of %d, %v", commits, len(all), x.Revision, err)
		}
		if all, _ := s.Attempts(t.Context(), x.Key, 1, math.MaxInt64); len(all) != 2*(commits+1) {
			t.Errorf("after %d commits: %d attempts", commits, len(all))
		}
		for from := range x.Revision + 3 {
			for to := range x.Revision + 3 {
				log, _ := s.Log(t.Context(), x.Key, from, to)
				wantLog, _ := s.Contexts.Log(t.Context(), x.Key, from, to)
				attempts, _ := s.Attempts(t.Context(), x.Key, from, to)
				wantAttempts, _ := s.Contexts.Attempts(t.Context(), x.Key, from, to)
				if !slices.EqualFunc(log, wantLog, func(a, b history.Entry) bool { return reflect.DeepEqual(a, b) }) ||
					!slices.EqualFunc(attempts, wantAttempts, func(a, b history.Attempt) bool { return reflect.DeepEqual(a, b) }) {
					t.Errorf("after %d commits, from %d to %d: %+v, want %+v; %+v, want %+v", commits, from, to, log, wantLog, attempts, wantAttempts)
				}
			}
		}
		_, err = run.Commit(t.Context(), nil)
		must(t, err)
	}
}

var must = testrun.Must
