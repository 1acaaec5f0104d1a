package engine

import "github.com/contexttree/pact/store"

// Given is contexts in the place of a store that keeps them, for who stands between a caller
// and an engine: a server, or a test.
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
