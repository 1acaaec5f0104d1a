package store

import (
	"context"
	"errors"
	"reflect"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/tree"
)

// Power returns the store as a type P that can do more than [Store], such as [Forker]. If the
// store does not implement P, the error is E_STORE, wraps [errors.ErrUnsupported] and names P.
func Power[P any](s Store) (P, error) {
	p, ok := s.(P)
	if !ok {
		return p, fault.Wrap(fault.Store, errors.ErrUnsupported, "the store does not implement "+
			reflect.TypeFor[P]().String(),
			"use a store that does, such as that of package store/sqlite")
	}
	return p, nil
}

// Snapshot reads the snapshot of a cycle (05 §2). It returns E_SNAPSHOT_NOT_FOUND if the
// context has none. Cost: reading the snapshot.
func Snapshot(ctx context.Context, s Store, key Key, cycle int64) (*tree.Tree, error) {
	for t, err := range s.History(ctx, key, cycle, cycle) {
		return t, err
	}
	return nil, NoSnapshot(cycle)
}

// Forker makes forks.
type Forker interface {
	// Fork makes a context that begins with the snapshot of a cycle of another context;
	// E_SNAPSHOT_NOT_FOUND if there is none. It shares the snapshots, the ids and the log of
	// that context up to there, but not its drafts. Cost: independent of how much they share.
	Fork(ctx context.Context, key Key, cycle int64, f Fork) (Info, error)
}

// AttemptKeeper keeps the records of the calls of providers (03 §6).
type AttemptKeeper interface {
	// PutAttempt writes the record of a call of a provider and returns it as it is stored. The
	// record is durable before PutAttempt returns. Without an id it starts an attempt with the
	// next number of its cycle; E_CONFLICT if that cycle is no longer the current one. With an
	// id it ends the running attempt of that id, also one that the context shares: it takes
	// status, end, tokens, error and, if there is one, the request, and leaves all else.
	// E_ATTEMPT_NOT_FOUND if no attempt has the id, E_CONFLICT if the attempt has ended.
	PutAttempt(ctx context.Context, key Key, a Attempt) (Attempt, error)
	// Attempts returns the attempts of the cycles from..to, in the order in which they started.
	Attempts(ctx context.Context, key Key, from, to int64) ([]Attempt, error)
}

// Renamer gives contexts other names.
type Renamer interface {
	// Rename gives a context another name, E_CONFLICT if another has it.
	Rename(ctx context.Context, key Key, name string) error
}

// Deleter removes contexts.
type Deleter interface {
	// Delete removes a context and everything it holds. What forks share with it stays until
	// the last of them is deleted.
	Delete(ctx context.Context, key Key) error
}

// Eraser removes for good what must not be kept (docs/erasure.md).
type Eraser interface {
	// Erase removes nodes and log entries for good from a context and from all contexts that
	// share history with it, including drafts and deleted contexts, and logs that in each of
	// these. It replaces or removes the digests that cover what it erases. It erases everything
	// or nothing; afterwards it cleans up what nothing refers to, and Remains says what is left
	// of that. If nothing is named, it only cleans up after earlier erasures; a dry run of that
	// only says what is left. E_NODE_NOT_FOUND for an id that never was. Cost: the
	// snapshots of all contexts that share the history, from the first that has a named node on, or all of
	// them if a text is named.
	Erase(ctx context.Context, key Key, e Erase) (*Erased, error)
}

// Checker looks for damage.
type Checker interface {
	// Check looks for damage that no snapshot of a context shows; nil if there is none. Cost:
	// all rows of the context.
	Check(ctx context.Context, key Key) (*Damage, error)
	// CheckAll looks for damage that belongs to no single context: in the medium, in the list
	// of contexts, and in rows without a context. Cost: everything in the store, once.
	CheckAll(ctx context.Context) (*Damage, error)
}

// Tracer finds what became of one node without reading the rest of a history.
type Tracer interface {
	// Trace returns the log entries of every cycle, oldest first, that added, changed, moved or removed a
	// node, or a node that was ever below it or referred to it, or whose report names it. There may be
	// those of other cycles too, and none if there never was such a node. Cost: what the store groups
	// together with these cycles, and the newest ones.
	Trace(ctx context.Context, key Key, id string) ([]Entry, error)
}

// Complete is a store with every optional interface, as both stores of this module are.
type Complete interface {
	Store
	Forker
	AttemptKeeper
	Renamer
	Deleter
	Eraser
	Checker
	Copier
	TokenKeeper
}
