// Package memory is a store that keeps contexts in memory.
package memory

import (
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/store"
)

// New returns an empty store. It keeps all snapshots, which share what did not change, until it is
// closed: the cost of a history is that of its changes.
func New() store.Complete { return engine.InMemory() }
