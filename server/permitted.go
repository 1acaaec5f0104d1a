package server

import (
	"context"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
)

// permitted is the contexts that a caller may use. It checks the methods that find, list and make
// contexts, and those to which a caller can give a key that it guessed, by the name of the context. A
// Context gives the others the key of what it found here. permitted refuses calls that concern all of a
// store; every copy begins with Branches.
type permitted struct {
	engine.Contexts
	may func(ctx context.Context, name string) error // nil for a name that the caller may use
}

// List implements [engine.Contexts]. It leaves out what the caller may not use.
func (p permitted) List(ctx context.Context) ([]engine.Info, error) {
	list, err := p.Contexts.List(ctx)
	return slices.DeleteFunc(list, func(i engine.Info) bool { return p.may(ctx, i.Name) != nil }), err
}

// Find implements [engine.Contexts].
func (p permitted) Find(ctx context.Context, name string) (engine.Info, error) {
	if err := p.may(ctx, name); err != nil {
		return engine.Info{}, err
	}
	return p.Contexts.Find(ctx, name)
}

// Create implements [engine.Contexts].
func (p permitted) Create(ctx context.Context, of engine.Creation) (*engine.State, error) {
	if err := p.may(ctx, of.Name); err != nil {
		return nil, err
	}
	return p.Contexts.Create(ctx, of)
}

// Fork implements [engine.Contexts].
func (p permitted) Fork(ctx context.Context, key history.Key, cycle int64, f engine.Fork) (*engine.State, error) {
	for _, name := range []string{f.Name, f.SupersededName} {
		if name == "" {
			continue
		}
		if err := p.may(ctx, name); err != nil {
			return nil, err
		}
	}
	return p.Contexts.Fork(ctx, key, cycle, f)
}

// Rename implements [engine.Contexts].
func (p permitted) Rename(ctx context.Context, key history.Key, name string) error {
	if err := p.may(ctx, name); err != nil {
		return err
	}
	return p.Contexts.Rename(ctx, key, name)
}

// Info implements [engine.Contexts].
func (p permitted) Info(ctx context.Context, key history.Key) (engine.Info, error) {
	info, err := p.Contexts.Info(ctx, key)
	if err == nil {
		err = p.may(ctx, info.Name)
	}
	if err != nil {
		return engine.Info{}, err
	}
	return info, nil
}

// Log implements [engine.Contexts].
func (p permitted) Log(ctx context.Context, key history.Key, from, to int64) ([]history.Entry, error) {
	if _, err := p.Info(ctx, key); err != nil {
		return nil, err
	}
	return p.Contexts.Log(ctx, key, from, to)
}

// Request implements [engine.Contexts].
func (p permitted) Request(ctx context.Context, key history.Key, token string) (*history.Entry, error) {
	if _, err := p.Info(ctx, key); err != nil {
		return nil, err
	}
	return p.Contexts.Request(ctx, key, token)
}

// Attempts implements [engine.Contexts].
func (p permitted) Attempts(ctx context.Context, key history.Key, from, to int64) ([]history.Attempt, error) {
	if _, err := p.Info(ctx, key); err != nil {
		return nil, err
	}
	return p.Contexts.Attempts(ctx, key, from, to)
}

// Erase implements [engine.Contexts]. The caller must be one that may use every context, because an erasure
// changes all that share history; one that names nothing changes none.
func (p permitted) Erase(ctx context.Context, key history.Key, e engine.Erase) (*history.Erased, error) {
	if e.Nothing() {
		return p.Contexts.Erase(ctx, key, e)
	}
	all, err := p.Contexts.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, i := range all {
		if err := p.may(ctx, i.Name); err != nil {
			return nil, err
		}
	}
	return p.Contexts.Erase(ctx, key, e)
}

// AddToken implements [engine.Contexts].
func (permitted) AddToken(context.Context, history.AccessToken) error { return unguarded() }

// Tokens implements [engine.Contexts].
func (permitted) Tokens(context.Context) ([]history.AccessToken, error) { return nil, unguarded() }

// RevokeToken implements [engine.Contexts].
func (permitted) RevokeToken(context.Context, string) error { return unguarded() }

// Branches implements [engine.Contexts].
func (permitted) Branches(context.Context) ([]engine.Branch, error) { return nil, unguarded() }

// Compact implements [engine.Contexts].
func (permitted) Compact(context.Context) (string, error) { return "", unguarded() }

// unguarded returns the error for what concerns all of a store: E_CONFLICT.
func unguarded() error {
	return fault.New(fault.Conflict, "the call concerns all of the store, of which the caller may use a part",
		"make the call with a token for all contexts, or on the store itself")
}
