package store

import (
	"context"
	"errors"
	"reflect"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/tree"
)

// Power returns the store as a type P that can do more than [Store], such as [Forker]. If
// the store does not implement P, the error is E_STORE, wraps [errors.ErrUnsupported] and
// names P.
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
	// Fork makes a context that begins as the snapshot of a cycle of another,
	// E_SNAPSHOT_NOT_FOUND if there is none. Snapshots, ids and log up to there are
	// those of the other; drafts are not. Cost: O(1) that grows with what is
	// shared.
	Fork(ctx context.Context, key Key, cycle int64, f Fork) (Info, error)
}

// AttemptKeeper keeps the records of the calls of providers (03 §6).
type AttemptKeeper interface {
	// PutAttempt writes the record of a call of a provider and returns it as it
	// is kept, durable before it returns. Without an id it is a new one: of the
	// cycle under way, E_CONFLICT if that is another by now, with the next
	// number in it. With an id it ends the one that is running, wherever in what
	// the context shares: status, end, tokens and error are taken over, and the
	// request where there is one; all else stays. E_ATTEMPT_NOT_FOUND if none has the id, E_CONFLICT if it
	// ended before.
	PutAttempt(ctx context.Context, key Key, a Attempt) (Attempt, error)
	// Attempts returns those of the cycles from..to, in the order in which they
	// were started.
	Attempts(ctx context.Context, key Key, from, to int64) ([]Attempt, error)
}

// Renamer gives contexts other names.
type Renamer interface {
	// Rename gives a context another name, E_CONFLICT if another has it.
	Rename(ctx context.Context, key Key, name string) error
}

// Deleter removes contexts.
type Deleter interface {
	// Delete removes a context and everything it holds, except for what forks
	// share with it, which goes with the last of them.
	Delete(ctx context.Context, key Key) error
}

// Eraser removes for good what must not be kept (docs/erasure.md).
type Eraser interface {
	// Erase takes nodes and entries of the log for good out of a context and
	// out of all that share history with it, drafts and deleted lines included,
	// and logs that in each context concerned. Digests that cover what goes are
	// computed anew or go too. It is done whole or not at all; then what nothing
	// refers to is cleaned up, and Remains says what of that is left to do. With
	// nothing named it cleans up what earlier ones left; as a dry run it only
	// says what that is.
	// E_NODE_NOT_FOUND for an id that never was. Cost: the rows of all contexts
	// concerned.
	Erase(ctx context.Context, key Key, e Erase) (*Erased, error)
}

// Checker looks for damage.
type Checker interface {
	// Check looks for damage that no snapshot of a context shows, nil without
	// any. Cost: all rows of the context.
	Check(ctx context.Context, key Key) (*Damage, error)
	// CheckAll looks for damage that is not a context's own: of the medium, in what
	// says which contexts there are, and what no context has. Cost: everything
	// that is stored, once.
	CheckAll(ctx context.Context) (*Damage, error)
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
}

var _ Complete = (*Memory)(nil)
