package pact

import (
	"context"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/transfer"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// CopyOptions are options of Copy; nil stands for none.
type CopyOptions struct {
	Contexts []string              // names of those to copy; all if there are none
	Progress func(done, total int) // told how many snapshots are done; may be nil
}

// Copy copies contexts from one store to another of whatever kind: snapshots,
// drafts, the log with its digests, times and request tokens, attempts, what was
// undone, the marks of erasures, and forks with what they share. Of an origin that
// is not copied itself comes what its forks share, as it is there of a deleted one.
// Both stores need the powers [store.Copier], [store.AttemptKeeper] and
// [store.Deleter].
//
// Each context is copied as it is at one moment, while others go on writing. In the
// target it is hidden until everything is there, every revision and every digest is
// the same, and [Verify] holds; then all contexts appear at one moment. A copy that
// was interrupted leaves what it did hidden in the target, and the next one goes on
// with it.
//
// E_CONTEXT_NOT_FOUND for a name that the source does not have; E_CONFLICT for one
// that the target has, where another copy of the same contexts is under way, and
// where something was erased in the source meanwhile. Cost: what is copied, read
// and written once, then read twice in the target.
func Copy(ctx context.Context, from, to store.Store, o *CopyOptions) (_ *inspect.Copied, err error) {
	defer tree.Recover(&err)
	if o == nil {
		o = &CopyOptions{}
	}
	return transfer.Copy(ctx, from, to, o.Contexts, o.Progress)
}

// DiscardCopies deletes what interrupted copies left hidden in a store, of the
// contexts that are named or of all, and returns their names, in order; what is left
// of a deleted origin is called @ and its key in the source. A copy that is under way
// fails then.
func DiscardCopies(ctx context.Context, s store.Store, names ...string) ([]string, error) {
	return transfer.Discard(ctx, s, names)
}
