package engine

import (
	"context"
	"strings"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/tree"
)

// Copier lets contexts be copied between stores (docs/stores.md): it hands out the
// histories of a store as they are stored, and takes in those of another store. A copy is
// hidden until FinishCopies: its key finds it, no name does.
type Copier interface {
	// Lines lists every line of history. An origin comes before its forks.
	Lines(ctx context.Context) ([]Line, error)
	// Revisions returns what the log holds of the revisions from..to of a context,
	// oldest first.
	Revisions(ctx context.Context, key history.Key, from, to int64) ([]Revision, error)
	// Base returns the tree that the first revision of a context made: an imported
	// snapshot, or the empty tree of a new context, which is not a snapshot.
	Base(ctx context.Context, key history.Key) (*tree.Tree, error)
	// BeginCopy makes a hidden line and writes its first revision. base is the tree that this
	// revision made; it is nil for a fork, whose Origin.Key is the key of the origin in this
	// store. E_CONFLICT if there is already an unfinished copy of a line with this name.
	BeginCopy(ctx context.Context, l Line, first Revision, base *tree.Tree) (history.Key, error)
	// ExtendCopy adds all pieces to an unfinished copy or none, and returns when they are
	// durable. E_CONFLICT if the guard does not hold, E_CONTEXT_NOT_FOUND if the key is not
	// that of an unfinished copy.
	ExtendCopy(ctx context.Context, key history.Key, g Guard, pieces ...Piece) error
	// CopyAttempts writes attempts of an unfinished copy unchanged, with their ids. They
	// replace attempts that have the same ids.
	CopyAttempts(ctx context.Context, key history.Key, list []history.Attempt) error
	// FinishCopies turns unfinished copies into what the lines with their keys say; it reads
	// Name, Shared, Forks and Erasures of each line, and Listed.Attrs of one that is not Shared. It
	// does so for all of them at one moment or for none; E_CONFLICT if a name is taken.
	FinishCopies(ctx context.Context, lines []Line) error
}

// Line is one line of history: a context, or what a deleted context left to its forks.
type Line struct {
	Info         // Cycle and Revision are the latest that the store holds
	Forks  int64 // the highest number that a fork got; counted in the first line of a family
	Shared bool  // the context is deleted, and the line is what its forks share
	// Unfinished says that this is a copy under way. Name is then the name of the line that is
	// being copied.
	Unfinished bool
}

// Revision is an entry of a log with the state that the context had after it. Digest and Thread
// of the entry are as recorded, "" where the log has none.
type Revision struct {
	history.Entry
	Stamps tree.Stamps  // the counters
	Latest int64        // cycle of the latest snapshot
	Cuts   history.Cuts // of the threads as they were when they were sent
}

// Piece is the change of one or more revisions. Change has the nodes of all of them, and the Entry
// and the Stamps of the last one. The earlier revisions made drafts that nobody can read any
// more, so only their entries remain.
type Piece struct {
	Revisions []Revision
	Change
}

// unfinishedPrefix begins the name of an unfinished copy. No context can have such a name.
const unfinishedPrefix = "@copy:"

// UnfinishedName is the name that a store keeps an unfinished copy under.
func UnfinishedName(name string) string { return unfinishedPrefix + name }

// CopiedName returns the name of the line that an unfinished copy copies.
func CopiedName(unfinishedName string) string {
	return strings.TrimPrefix(unfinishedName, unfinishedPrefix)
}
