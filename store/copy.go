package store

import (
	"context"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/tree"
)

// Copier hands out the histories of a store as they are kept, and takes in those
// of another: what a copy needs beyond [Store] (docs/stores.md). A copy is hidden
// until FinishCopies: no name leads to it, its key does.
type Copier interface {
	// Lines lists every line of history, each after its origin.
	Lines(ctx context.Context) ([]Line, error)
	// Revisions returns what the log holds of the revisions from..to of a context,
	// oldest first.
	Revisions(ctx context.Context, key Key, from, to int64) ([]Revision, error)
	// Base returns the tree that the first revision of a context made: an imported
	// snapshot, or the empty tree of a new context, which is not a snapshot.
	Base(ctx context.Context, key Key) (*tree.Tree, error)
	// BeginCopy makes a hidden line and writes its first revision. base is the tree
	// that the revision made; a fork has none, and Origin.Key is the origin in this
	// store. E_CONFLICT if there is an unfinished copy under the name of the line.
	BeginCopy(ctx context.Context, l Line, first Revision, base *tree.Tree) (Key, error)
	// ExtendCopy adds pieces to an unfinished copy, all or none, durable before it
	// returns. E_CONFLICT if the guard does not hold, E_CONTEXT_NOT_FOUND if
	// the key is that of no unfinished copy.
	ExtendCopy(ctx context.Context, key Key, g Guard, pieces ...Piece) error
	// CopyAttempts writes attempts of an unfinished copy as they are, with their
	// ids, in the place of those that have the same ids.
	CopyAttempts(ctx context.Context, key Key, list []Attempt) error
	// FinishCopies makes unfinished copies what the lines of their keys say: Name,
	// Shared, Forks and Erasures count. It does so for all of them at one moment or for none;
	// E_CONFLICT if a name is taken.
	FinishCopies(ctx context.Context, lines []Line) error
}

// Line is one line of history: a context, or what is there of one.
type Line struct {
	Info         // Cycle and Revision are of what is there
	Forks  int64 // the highest number that a fork got, in the first line of those that share history
	Shared bool  // the context is deleted, and this is what its forks share
	// Unfinished says that this is a copy under way. Name is then that of the line
	// which is copied.
	Unfinished bool
}

// Revision is an entry of a log with the state that the context had after it.
// Digest and Thread of the entry are as they were recorded, "" where they were not.
type Revision struct {
	Entry
	Stamps tree.Stamps // the counters
	Latest int64       // cycle of the latest snapshot
}

// Piece is what one or more revisions did: the Change is that of the last of
// them, whose Entry and Stamps it has. Those before it left drafts that nobody can
// read any more, and only their entries.
type Piece struct {
	Revisions []Revision
	Change
}

// unfinished is what the name of an unfinished copy begins with. No context can
// have such a name.
const unfinished = "@copy:"

// UnfinishedName is the name that a store keeps an unfinished copy under.
func UnfinishedName(name string) string { return unfinished + name }

// CopiedName returns the name of the line that an unfinished copy is of.
func CopiedName(unfinishedName string) string { return strings.TrimPrefix(unfinishedName, unfinished) }

// CopyUnderWay is the error for a copy that is begun where there is one.
func CopyUnderWay(name string) error {
	return fault.New(fault.Conflict, "there is an unfinished copy of "+name, "wait until it is done, or go on with it")
}

// NoCopy is the error for a key that is not that of an unfinished copy.
func NoCopy() error {
	return fault.New(fault.ContextNotFound, "the unfinished copy is gone", "somebody else finished it or began anew")
}
