package engine

import (
	"context"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/store"
)

// Guarded is the contexts that a caller may use. It checks the methods that find, list and make
// contexts, and those to which a caller can give a key that it guessed, by the name of the context. A
// Context gives the others the key of what it found here. Guarded refuses calls that concern all of a
// store; every copy begins with Branches.
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

// Info implements [Contexts].
func (g Guarded) Info(ctx context.Context, key history.Key) (Info, error) {
	info, err := g.Contexts.Info(ctx, key)
	if err == nil {
		err = g.May(ctx, info.Name)
	}
	if err != nil {
		return Info{}, err
	}
	return info, nil
}

// Log implements [Contexts].
func (g Guarded) Log(ctx context.Context, key history.Key, from, to int64) ([]history.Entry, error) {
	if _, err := g.Info(ctx, key); err != nil {
		return nil, err
	}
	return g.Contexts.Log(ctx, key, from, to)
}

// Request implements [Contexts].
func (g Guarded) Request(ctx context.Context, key history.Key, token string) (*history.Entry, error) {
	if _, err := g.Info(ctx, key); err != nil {
		return nil, err
	}
	return g.Contexts.Request(ctx, key, token)
}

// Attempts implements [Contexts].
func (g Guarded) Attempts(ctx context.Context, key history.Key, from, to int64) ([]history.Attempt, error) {
	if _, err := g.Info(ctx, key); err != nil {
		return nil, err
	}
	return g.Contexts.Attempts(ctx, key, from, to)
}

// Erase implements [Contexts]. The caller must be one that may use every context, because an erasure
// changes all that share history; one that names nothing changes none.
func (g Guarded) Erase(ctx context.Context, key history.Key, e Erase) (*history.Erased, error) {
	if e.Nothing() {
		return g.Contexts.Erase(ctx, key, e)
	}
	all, err := g.Contexts.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, i := range all {
		if err := g.May(ctx, i.Name); err != nil {
			return nil, err
		}
	}
	return g.Contexts.Erase(ctx, key, e)
}

// AddToken implements [Contexts].
func (Guarded) AddToken(context.Context, history.AccessToken) error { return unguarded() }

// Tokens implements [Contexts].
func (Guarded) Tokens(context.Context) ([]history.AccessToken, error) { return nil, unguarded() }

// RevokeToken implements [Contexts].
func (Guarded) RevokeToken(context.Context, string) error { return unguarded() }

// Branches implements [Contexts].
func (Guarded) Branches(context.Context) ([]Branch, error) { return nil, unguarded() }

// Compact implements [Contexts].
func (Guarded) Compact(context.Context) (string, error) { return "", unguarded() }

// unguarded returns the error for what concerns all of a store: E_CONFLICT.
func unguarded() error {
	return fault.New(fault.Conflict, "the call concerns all of the store, of which the caller may use a part",
		"make the call with a token for all contexts, or on the store itself")
}

// Given is contexts in the place of a store that keeps them, for tests that stand between a caller
// and an engine.
type Given struct {
	store.Store // nil
	Contexts    Contexts
}

// Hidden is contexts in a value that other modules see. Package pact embeds one in its DB. The zero Hidden is
// of a closed store.
type Hidden struct{ contexts Contexts }

// Hide returns contexts in a value that shows them to nobody but [Of].
func Hide(c Contexts) Hidden { return Hidden{c} }

func (h Hidden) hidden() Contexts {
	if h.contexts == nil {
		closed := store.NewMemory()
		_ = closed.Close() // it has nothing to fail at
		return Open(closed)
	}
	return h.contexts
}

// Of returns the contexts that a DB hides from other modules.
func Of(holder interface{ hidden() Contexts }) Contexts { return holder.hidden() }
