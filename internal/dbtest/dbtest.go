package dbtest

import (
	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/store"
)

// Open returns the contexts of a store that was opened, or the error.
func Open[S store.Store](s S, err error) (*pact.DB, error) {
	if err != nil {
		return nil, err
	}
	return pact.NewDB(s), nil
}

// Of returns contexts as callers of package pact see them.
func Of(c engine.Contexts) *pact.DB { return pact.NewDB(engine.Given{Contexts: c}) }

// Engine returns the engine of a store that was opened, or the error.
func Engine[S store.Store](s S, err error) (*engine.Engine, error) {
	if err != nil {
		return nil, err
	}
	return engine.Open(s), nil
}
