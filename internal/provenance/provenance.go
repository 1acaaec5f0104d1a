package provenance

import (
	"context"
	"slices"

	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
)

// Source is the context that answers are about: its store, and its state at one moment.
type Source struct {
	Store engine.Contexts
	State engine.State
}

// statesUpTo returns every state from before the first snapshot to last, oldest first. Before
// the first commit that is the empty context. The cycles in the headers of an imported snapshot
// show what it was before its own cycle.
func (s *Source) statesUpTo(ctx context.Context, last *tree.Tree) ([]*tree.Tree, error) {
	if s.State.Cycle < s.State.First {
		return []*tree.Tree{s.State.Head, s.State.Working}, nil
	}
	trees, err := s.statesBetween(ctx, s.State.First, last)
	if err != nil {
		return nil, err
	}
	return s.withStateBefore(trees)
}

// withStateBefore adds the state before the first snapshot, if there was one.
func (s *Source) withStateBefore(trees []*tree.Tree) ([]*tree.Tree, error) {
	if trees[0].Root().Node().Cycle >= s.State.First {
		return trees, nil
	}
	before, err := withoutOwnCycle(trees[0])
	return append([]*tree.Tree{before}, trees...), err
}

// statesBetween returns the snapshots from a cycle up to a state, and that state.
func (s *Source) statesBetween(ctx context.Context, first int64, last *tree.Tree) ([]*tree.Tree, error) {
	trees, err := engine.Collect(s.Store.History(ctx, s.State.Key, first, min(last.Cycle(), s.State.Cycle)))
	if err == nil && last.Cycle() > s.State.Cycle {
		trees = append(slices.Clip(trees), last)
	}
	return trees, err
}

// withoutOwnCycle is a tree without the nodes that its own cycle added.
func withoutOwnCycle(t *tree.Tree) (*tree.Tree, error) {
	var born []string
	for e, err := range t.All() {
		if err != nil {
			return nil, err
		}
		if e.Node().Cycle >= t.Cycle() {
			born = append(born, e.Node().ID)
		}
	}
	without, err := t.Without(born...)
	if err != nil {
		return nil, err
	}
	return without.WithCycle(t.Cycle() - 1), nil
}
