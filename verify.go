package pact

import (
	"context"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/verify"
)

// Verify reads a context again from its store and checks all of it: the store's own rows,
// the log, the content hash of every version of a node, the rules for nodes and their
// canonical order (02 §2.2, §4), the block that each version renders to (02 §12.5), and
// for every snapshot the digests that its commit recorded and the hash of the bytes that
// were sent. It counts commits from before digests were recorded, but can check them
// against none. Verify calls progress, if it is not nil, with the number of snapshots
// that are done.
//
// A damaged context is not an error: the answer holds the first defect. Errors:
// E_CONTEXT_NOT_FOUND if the context was deleted, E_STORE if the medium fails. Cost:
// reading everything that is stored for the context once, and the digests of what each
// snapshot changed. If the bytes that were sent were recorded, Verify also hashes the
// part of each thread that does not repeat the thread before it.
//
// Specification: 06 §6.
func Verify(ctx context.Context, c *Context, progress func(done, total int)) (_ *inspect.Verification, err error) {
	s := c.state.Load()
	return verify.Keyed(ctx, c.store, s.Key, s.Name, progress)
}

// VerifyNamed is [Verify] for a context that may be too damaged to be opened. It returns
// E_CONTEXT_NOT_FOUND if the store has no context of this name.
func VerifyNamed(
	ctx context.Context, db *DB, name string, progress func(done, total int),
) (_ *inspect.Verification, err error) {
	return verify.Named(ctx, db.kept(), name, progress)
}

// VerifyAll verifies everything in a store: the list of contexts, rows that belong to no
// context, and every context as [Verify] does. It goes on after a context that cannot be
// read and reports that as its defect. It calls progress, if that is not nil, with the
// number of snapshots that are done and that there are. Cost: reading everything that is
// stored once.
func VerifyAll(ctx context.Context, db *DB, progress func(done, total int)) (_ *inspect.StoreVerification,
	err error) {
	return verify.All(ctx, db.kept(), progress)
}
