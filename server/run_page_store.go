package server

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"sort"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

// pageStore is a store of the one context of a page, which nobody changes. Each answer looks at some of its snapshots: they
// are read once, one after another, so that each costs what differs from the one before it, and so does what is counted.
type pageStore struct {
	engine.Contexts
	first    int64
	trees    []*tree.Tree      // by cycle, since the first
	log      []history.Entry   // by revision, since the first
	attempts []history.Attempt // in the order in which they started
}

// readPageStore imports a run and reads its snapshots.
func readPageStore(ctx context.Context, name string, text []byte) (*pageStore, error) {
	memory := store.NewMemory()
	imported := pact.NewDB(memory)
	if _, _, err := pact.ImportHistory(ctx, imported, name, bytes.NewReader(text), nil); err != nil {
		return nil, err
	}
	if _, err := imported.Compact(ctx); err != nil { // what stands in the log is read again for each node
		return nil, err
	}
	s := &pageStore{Contexts: engine.OpenOnce(memory)} // without what the import left in memory
	x, err := s.Find(ctx, name)
	if err != nil {
		return s, err
	}
	if s.log, err = s.Contexts.Log(ctx, x.Key, 1, x.Revision); err != nil {
		return s, err
	}
	if s.attempts, err = s.Contexts.Attempts(ctx, x.Key, x.First, x.Cycle+1); err != nil || x.Cycle < x.First {
		return s, err
	}
	s.first = x.First
	s.trees, err = engine.Collect(s.Contexts.History(ctx, x.Key, x.First, x.Cycle))
	return s, err
}

// Log implements [engine.Contexts].
func (s *pageStore) Log(_ context.Context, _ history.Key, from, to int64) ([]history.Entry, error) {
	from, to = max(from, 1), min(to, int64(len(s.log)))
	if from > to {
		return nil, nil
	}
	return slices.Clone(s.log[from-1 : to]), nil
}

// Attempts implements [engine.Contexts].
func (s *pageStore) Attempts(_ context.Context, _ history.Key, from, to int64) ([]history.Attempt, error) {
	if from > to {
		return nil, nil
	}
	first := sort.Search(len(s.attempts), func(i int) bool { return s.attempts[i].Cycle >= from })
	end := sort.Search(len(s.attempts), func(i int) bool { return s.attempts[i].Cycle > to })
	return slices.Clone(s.attempts[first:end]), nil
}

// History implements [engine.Contexts].
func (s *pageStore) History(ctx context.Context, key history.Key, from, to int64) iter.Seq2[*tree.Tree, error] {
	if from > to || from < s.first || to >= s.first+int64(len(s.trees)) {
		return s.Contexts.History(ctx, key, from, to)
	}
	return func(yield func(*tree.Tree, error) bool) {
		for _, t := range s.trees[from-s.first : to-s.first+1] {
			if !yield(t, nil) {
				return
			}
		}
	}
}

// Load implements [engine.Contexts]. A working state without drafts shares all with the latest snapshot.
func (s *pageStore) Load(ctx context.Context, key history.Key) (*engine.State, error) {
	st, err := s.Contexts.Load(ctx, key)
	if err != nil || len(s.trees) == 0 {
		return st, err
	}
	loaded := *st
	loaded.Head = s.trees[len(s.trees)-1]
	if now := loaded.Head.WithCycle(st.Working.Cycle()); now.Digest() == st.Working.Digest() {
		loaded.Working = now
	}
	return &loaded, nil
}
