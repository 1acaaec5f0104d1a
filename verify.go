package pact

import (
	"context"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/verify"
	"github.com/contexttree/pact/store"
)

// Verify reads a context again from its store and checks all of it: what the
// store can tell of its own rows, the log, the content hash of every version of
// a node, the rules for nodes and their canonical order (02 §2.2, §4), and of
// every snapshot the digests that its commit recorded, the thread, rendered
// again, and the bytes that were sent. What was committed before there were
// digests is counted and not held to any. progress, if not nil, is told how many
// snapshots are done.
//
// A context that does not hold is no error: the answer has the first defect.
// E_CONTEXT_NOT_FOUND where the context is gone, E_STORE where the medium fails.
// Cost: everything that is stored, once, without the contents of other contexts,
// and rendering every snapshot.
//
// Specification: 06 §6.
func Verify(ctx context.Context, c *Context, progress func(done, total int)) (*inspect.Verification, error) {
	s := c.state.Load()
	return verify.Keyed(ctx, c.store, s.Key, s.Name, progress)
}

// VerifyNamed is Verify for a context that may be too damaged to be opened.
// E_CONTEXT_NOT_FOUND where the store has none of this name.
func VerifyNamed(
	ctx context.Context, s store.Store, name string, progress func(done, total int),
) (*inspect.Verification, error) {
	return verify.Named(ctx, s, name, progress)
}

// VerifyAll is Verify for everything in a store: which contexts there are, what
// belongs to none of them, and every context. A context that cannot be read has a
// defect and hides no other. progress, if not nil, is told how many snapshots are
// done of all that there are. Cost: everything that is stored, once, and rendering
// every snapshot.
func VerifyAll(ctx context.Context, s store.Store, progress func(done, total int)) (*inspect.StoreVerification, error) {
	return verify.All(ctx, s, progress)
}
