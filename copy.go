package pact

import (
	"context"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/transfer"
)

// CopyOptions are the options of [CopyContexts]. A nil *CopyOptions is the zero CopyOptions.
type CopyOptions struct {
	Contexts []string              // names of the contexts to copy; none means all
	Progress func(done, total int) // if not nil, called with the number of snapshots that are done
}

// CopyContexts copies contexts from one store to another of whatever kind: snapshots,
// drafts, the log with its digests, times and request tokens, attempts, undone lines, the
// marks of erasures, and forks with what they share. [Context.Copy] copies less, under a
// name of your choice. If the origin of a fork is not copied itself, CopyContexts copies
// what the fork shares with it, in the form in which a store keeps a deleted context.
//
// CopyContexts copies each context as it is at one moment, while others go on writing.
// The target hides a context until everything is there, every revision and every digest
// is the same, and [Verify] holds; then all contexts appear at one moment. A copy that
// was interrupted leaves what it did hidden in the target, and the next copy continues
// from there.
//
// Errors: E_CONTEXT_NOT_FOUND if the source lacks a name; E_CONFLICT if the target has it,
// if another process is copying the same contexts, or if something was erased in the source
// meanwhile. Cost: reading and writing the contexts once, then reading them once in the target.
func CopyContexts(ctx context.Context, from, to *DB, o *CopyOptions) (_ *inspect.Copied, err error) {
	if o == nil {
		o = &CopyOptions{}
	}
	return transfer.Copy(ctx, from.kept(), to.kept(), o.Contexts, o.Progress)
}

// DiscardCopies deletes what interrupted copies left hidden in a store, for the named
// contexts or for all, and returns their names in order. A copy of what a fork shares with
// a deleted origin is called @ and its key in the source. A copy that is under way fails.
func DiscardCopies(ctx context.Context, db *DB, names ...string) ([]string, error) {
	return transfer.Discard(ctx, db.kept(), names)
}
