package engine

import (
	"context"
	"strings"

	"github.com/contexttree/pact/history"
)

// Copier lets contexts be copied between stores (docs/stores.md): it hands out the
// histories of a store as they are stored, and takes in those of another store. A copy is
// hidden until FinishCopies: its key finds it, no name does.
type Copier interface {
	// Lines lists every branch of history. An origin comes before its forks.
	Lines(ctx context.Context) ([]Line, error)
	// Revisions returns the revisions from..to of a context, oldest first, without what they did.
	Revisions(ctx context.Context, key history.Key, from, to int64) ([]Revision, error)
	// Part returns some of the revisions from..to of a context, oldest first, with what they did.
	// from is the first revision of a branch, or comes after one that published a snapshot. A part that
	// ends before to, and before the latest revision, ends with one that published a snapshot.
	Part(ctx context.Context, key history.Key, from, to int64) (*Part, error)
	// BeginCopy makes a hidden branch with the first revision of a part. Origin.Key of a fork is the
	// key of the origin in this store. E_CONFLICT if there is already an unfinished copy of a branch
	// with this name.
	BeginCopy(ctx context.Context, l Line, first *Part) (history.Key, error)
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
	FinishCopies(ctx context.Context, lines []Line) error
}

// Line is one branch of history: a context, or what a deleted context left to its forks.
type Line struct {
	Info         // Cycle and Revision are the latest that the store holds
	Forks  int64 // the highest number that a fork got; counted in the first branch of a family
	Shared bool  // the context is deleted, and the branch is what its forks share
	// Unfinished says that this is a copy under way. Name is then the name of the branch that is
	// being copied.
	Unfinished bool
}

// unfinishedPrefix begins the name of an unfinished copy. No context can have such a name.
const unfinishedPrefix = "@copy:"

// UnfinishedName is the name that a store keeps an unfinished copy under.
func UnfinishedName(name string) string { return unfinishedPrefix + name }

// copiedName returns the name of the branch that an unfinished copy copies.
func copiedName(unfinishedName string) string {
	return strings.TrimPrefix(unfinishedName, unfinishedPrefix)
}
