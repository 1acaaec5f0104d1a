package engine

import (
	"context"
	"slices"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/store"
)

// Guarded is the contexts that a caller may use: every operation finds, lists and makes contexts
// here. A method that takes a key needs no check, because a caller gets keys of these methods
// alone.
type Guarded struct {
	Contexts
	May func(ctx context.Context, name string) error // nil for a name that the caller may use
}

// List implements [Contexts]. It leaves out what the caller may not use.
func (g Guarded) List(ctx context.Context) ([]Info, error) {
	list, err := g.Contexts.List(ctx)
	return slices.DeleteFunc(list, func(i Info) bool { return g.May(ctx, i.Name) != nil }), err
}

// Find implements [Contexts].
func (g Guarded) Find(ctx context.Context, name string) (Info, error) {
	if err := g.May(ctx, name); err != nil {
		return Info{}, err
	}
	return g.Contexts.Find(ctx, name)
}

// Create implements [Contexts].
func (g Guarded) Create(ctx context.Context, of Creation) (Info, error) {
	if err := g.May(ctx, of.Name); err != nil {
		return Info{}, err
	}
	return g.Contexts.Create(ctx, of)
}

// Fork implements [Contexts].
func (g Guarded) Fork(ctx context.Context, key history.Key, cycle int64, f Fork) (Info, error) {
	for _, name := range []string{f.Name, f.SupersededName} {
		if name == "" {
			continue
		}
		if err := g.May(ctx, name); err != nil {
			return Info{}, err
		}
	}
	return g.Contexts.Fork(ctx, key, cycle, f)
}

// Rename implements [Contexts].
func (g Guarded) Rename(ctx context.Context, key history.Key, name string) error {
	if err := g.May(ctx, name); err != nil {
		return err
	}
	return g.Contexts.Rename(ctx, key, name)
}

// Given is contexts in the place of a store that keeps them, for tests that stand between a caller
// and an engine.
type Given struct {
	store.Store // nil
	Contexts    Contexts
}
