package engine

import (
	"context"
	"iter"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/tree"
)

// Contexts keeps contexts: an [Engine] does, and a server lends it to a request within the rights
// of its token.
//
// Every method is safe for concurrent use and returns errors of package fault. Callers decide
// by their codes: E_STORE if the medium fails or the store is closed, E_BUSY if others hold the
// store for too long, E_CONTEXT_NOT_FOUND if there is no such context, E_CONFLICT if a name is
// taken or a guard does not hold. Package enginetest tests all this.
type Contexts interface {
	// List lists the contexts by name, in the order of their bytes.
	List(ctx context.Context) ([]Info, error)
	// Find returns the context with a name.
	Find(ctx context.Context, name string) (Info, error)
	// Info returns the context with a key, as it is now. A caller that keeps trees in memory
	// compares Erasures before it uses them again. Cost: a few look-ups.
	Info(ctx context.Context, key history.Key) (Info, error)
	// Present returns E_CONFLICT if a context was deleted, or if something in it was erased since it had so
	// many erasures. Cost: a look-up, unless it was asked a moment ago.
	Present(ctx context.Context, key history.Key, erasures int64) error
	// Create makes a context, and returns its state. Its first revision is 1.
	Create(ctx context.Context, g Creation) (*State, error)
	// Load reads the latest snapshot and the working state.
	Load(ctx context.Context, key history.Key) (*State, error)
	// History yields the snapshots of the cycles from..to, oldest first (05 §2). The trees
	// share what did not change from one to the next, and the store holds a bounded number of
	// them for its reader. An error ends it: E_SNAPSHOT_NOT_FOUND for a cycle without a
	// snapshot comes before the first tree, E_CONFLICT says that an erasure changed the
	// snapshots still to come.
	History(ctx context.Context, key history.Key, from, to int64) iter.Seq2[*tree.Tree, error]
	// Deltas yields what each snapshot of the cycles from+1..to has other than the one before it,
	// oldest first. Errors are those of History. Cost: what differs.
	Deltas(ctx context.Context, key history.Key, from, to int64) iter.Seq2[Delta, error]
	// Apply makes changes, one revision each, all or none, durable before it returns (03 §7).
	// The guard is for the first of them. Apply also returns E_CONFLICT if the log already has
	// a request token of a change, and the errors of an attempt.
	Apply(ctx context.Context, key history.Key, g Guard, changes ...Change) error
	// Has reports whether a node with this id is or ever was in the context.
	Has(ctx context.Context, key history.Key, id string) (bool, error)
	// Log returns the entries with a revision from..to, oldest first.
	Log(ctx context.Context, key history.Key, from, to int64) ([]history.Entry, error)
	// Request returns the entry that carries a request token, nil if there is none.
	Request(ctx context.Context, key history.Key, token string) (*history.Entry, error)

	// Fork makes a context that begins with the snapshot of a cycle of another context;
	// E_SNAPSHOT_NOT_FOUND if there is none. It shares the snapshots, the ids and the log of
	// that context up to there, but not its drafts. It returns the state of the new context. Cost: reading the
	// snapshot; what is written is independent of how much they share.
	Fork(ctx context.Context, key history.Key, cycle int64, f Fork) (*State, error)

	// PutAttempt writes the record of a call of a provider and returns it as it is stored. The
	// record is durable before PutAttempt returns. Without an id it starts an attempt with the
	// next number of its cycle; E_CONFLICT if that cycle is no longer the current one. With an
	// id it ends the running attempt of that id, also one that the context shares: it takes
	// status, end, tokens, error and, if there is one, the request, and leaves all else.
	// E_ATTEMPT_NOT_FOUND if no attempt has the id, E_CONFLICT if the attempt has ended.
	PutAttempt(ctx context.Context, key history.Key, a history.Attempt) (history.Attempt, error)
	// Attempts returns the attempts of the cycles from..to, in the order in which they started.
	Attempts(ctx context.Context, key history.Key, from, to int64) ([]history.Attempt, error)

	// Rename gives a context another name, E_CONFLICT if another has it.
	Rename(ctx context.Context, key history.Key, name string) error

	// Delete removes a context and everything it holds. What forks share with it stays until
	// the last of them is deleted.
	Delete(ctx context.Context, key history.Key) error

	// Erase removes nodes and log entries for good from a context and from all contexts that
	// share history with it, including drafts and deleted contexts, and logs that in each of
	// these. It replaces or removes the digests that cover what it erases. It erases everything
	// or nothing; afterwards it cleans up what nothing refers to, and Remains says what is left
	// of that. If nothing is named, it only cleans up after earlier erasures; a dry run of that
	// only says what is left. E_NODE_NOT_FOUND for an id that never was. Cost: the rows of all
	// contexts that share the history.
	Erase(ctx context.Context, key history.Key, e Erase) (*history.Erased, error)

	// Check looks for damage that no snapshot of a context shows; nil if there is none. Cost:
	// all rows of the context.
	Check(ctx context.Context, key history.Key) (*history.Damage, error)
	// CheckAll looks for damage that belongs to no single context: in the medium, in the list
	// of contexts, and in rows without a context. Cost: everything in the store, once.
	CheckAll(ctx context.Context) (*history.Damage, error)

	// Trace returns the log entries of every cycle, oldest first, that added, changed, moved or removed a
	// node, or a node that was ever below it or referred to it, or whose report names it. There may be
	// those of other cycles too, and none if there never was such a node. Cost: what the store groups
	// together with these cycles, and the newest ones.
	Trace(ctx context.Context, key history.Key, id string) ([]history.Entry, error)

	// Keyed returns HMAC-SHA256 of a text in hexadecimal, with a secret of the store as its key: texts
	// that are equal are found, and nobody without the secret guesses one.
	Keyed(ctx context.Context, text string) (string, error)

	// AddToken keeps a token; E_CONFLICT if there is one with its name. It is durable before
	// AddToken returns.
	AddToken(ctx context.Context, t history.AccessToken) error
	// Tokens lists the tokens by name, in the order of their bytes. Cost: one row each.
	Tokens(ctx context.Context) ([]history.AccessToken, error)
	// RevokeToken removes a token; E_DOCUMENT_INVALID if there is none with this name.
	RevokeToken(ctx context.Context, name string) error

	// Branches lists every branch of history. An origin comes before its forks. It and the next six are for copies
	// between stores: they hand out histories as they are stored, and take in those of another store. A copy is hidden
	// until FinishCopies: its key finds it, no name does.
	Branches(ctx context.Context) ([]Branch, error)
	// Revisions returns the revisions from..to of a context, oldest first, without what they did.
	Revisions(ctx context.Context, key history.Key, from, to int64) ([]Revision, error)
	// Part returns some of the revisions from..to of a context, oldest first, with what they did.
	// from is the first revision of a branch, or comes after one that published a snapshot. A part that
	// ends before to, and before the latest revision, ends with one that published a snapshot.
	Part(ctx context.Context, key history.Key, from, to int64) (*Part, error)
	// BeginCopy makes a hidden branch with the first revision of a part. Origin.Key of a fork is the
	// key of the origin in this store. E_CONFLICT if there is already an unfinished copy of a branch
	// with this name.
	BeginCopy(ctx context.Context, l Branch, first *Part) (history.Key, error)
	// ExtendCopy adds a part to an unfinished copy, in place of those of its revisions that the copy
	// has behind its last snapshot, and returns when all of it is durable. If it fails, it may have
	// added a beginning of the part. E_CONFLICT if the part does not follow what the copy has,
	// E_CONTEXT_NOT_FOUND if the key is not that of an unfinished copy.
	ExtendCopy(ctx context.Context, key history.Key, p *Part) error
	// CopyAttempts writes attempts of an unfinished copy unchanged, with their ids. They
	// replace attempts that have the same ids.
	CopyAttempts(ctx context.Context, key history.Key, list []history.Attempt) error
	// FinishCopies turns unfinished copies into what the branches with their keys say; it reads
	// Name, Shared, Forks and Erasures of each branch, and Listed.Attrs of one that is not Shared. It
	// does so for all of them at one moment or for none; E_CONFLICT if a name is taken.
	FinishCopies(ctx context.Context, branches []Branch) error

	// Compact joins all cycles of each context but the last one, makes damaged checkpoints anew and
	// has the store clean up. remains says why the store could not do so completely, "" if it did:
	// a later call can.
	Compact(ctx context.Context) (remains string, err error)

	// Close releases the store. Every later call returns E_STORE.
	Close() error
}

// Collect returns all trees of a history.
func Collect(history iter.Seq2[*tree.Tree, error]) (list []*tree.Tree, err error) {
	for t, err := range history {
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

// Snapshot reads the snapshot of a cycle (05 §2). It returns E_SNAPSHOT_NOT_FOUND if the
// context has none. Cost: reading the snapshot.
func Snapshot(ctx context.Context, s Contexts, key history.Key, cycle int64) (*tree.Tree, error) {
	for t, err := range s.History(ctx, key, cycle, cycle) {
		return t, err
	}
	return nil, noSnapshot(cycle)
}
