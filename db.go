package pact

import (
	"context"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// DB keeps contexts in a store, which keeps bytes: a file (package store/sqlite), a database
// (package store/postgres), memory ([store.NewMemory]), or one that you write. It is safe for
// concurrent use. A process needs one DB for each store, because what one has read the others read
// again; several processes can use the same store. Copies of a DB share its store. The zero DB is closed.
type DB struct {
	// Edition is that of contexts that are made without one, also by imports of logs and by recorders; "" means
	// canonical. Set it before other goroutines use the DB.
	Edition selector.Edition
	hiddenContexts
}

// The packages of this module get the contexts of a DB with engine.Of.
type hiddenContexts = engine.Hidden

// NewDB returns the contexts of a store. It reads nothing. Close the DB and not the store. A type that
// wraps a store hides what else that store can do: give it the methods of [store.Packer] and
// [store.Cleaner] if the store has them. The DB of nil is closed.
func NewDB(s store.Store) *DB {
	if given, ok := s.(engine.Given); ok {
		return &DB{hiddenContexts: engine.Hide(given.Contexts)}
	}
	if s == nil {
		return new(DB)
	}
	return &DB{hiddenContexts: engine.Hide(engine.Open(s))}
}

// Close waits for work in the background and closes the store. Every later call returns E_STORE.
func (db *DB) Close() error { return engine.Of(db).Close() }

// Compact joins all cycles of each context but the last one, makes damaged checkpoints anew and reclaims space:
// others may have to wait, as [store.Cleaner] says of the store. remains says why some of it is still there, "" if
// nothing is; a later call can finish. Errors: E_BUSY if others hold the store, E_STORE if there is no room for a
// second copy. Cost: reading everything in the store, and writing it once.
func (db *DB) Compact(ctx context.Context) (remains string, err error) {
	return engine.Of(db).Compact(ctx)
}

// Keyed returns HMAC-SHA256 of a text in hexadecimal, with a secret of the store as its key: it
// recognizes a text, and nobody without the store can guess it. Cost: a look-up.
func (db *DB) Keyed(ctx context.Context, text string) (string, error) {
	return engine.Of(db).Keyed(ctx, text)
}

// Find returns what a store knows of a context without reading its nodes. It returns
// E_CONTEXT_NOT_FOUND if no context has this name.
func (db *DB) Find(ctx context.Context, name string) (history.Info, error) {
	info, err := engine.Of(db).Find(ctx, name)
	return info.Info, err
}
