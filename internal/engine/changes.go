package engine

import (
	"iter"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// Info is what the engine knows about a context without reading its nodes.
type Info struct {
	history.Info
	Stamps tree.Stamps
}

// State is the latest snapshot and the working state of a context, with what is needed to
// change them.
type State struct {
	Info
	Head    *tree.Tree // the latest snapshot, or the empty tree of a new context; its Cycle is Info.Cycle
	Working *tree.Tree // the working state; its Cycle is Stamps.Cycle
	Idle    []string   // of the entry that published Head
	From    Contexts   // which it was loaded from
}

// Guard is the cycle and the revision that a writer saw before its change. The engine refuses the
// change with E_CONFLICT if the context has another cycle or revision now.
type Guard struct{ Cycle, Revision int64 }

// Change is one batch of edits, one commit, or both in one step. Before is the working state in
// the store, After the working state to write, and Sealed the snapshot to publish, nil if there
// is no commit. If there is one, After equals Sealed except for the cycle.
type Change struct {
	Before, After *tree.Tree
	Sealed        *tree.Tree
	Stamps        tree.Stamps   // the counters afterwards
	Entry         history.Entry // for the log; the engine sets Revision, Kind, Digest and Thread
	// Attempt, if not nil, is what [Contexts.PutAttempt] would write behind the change, in
	// the same step; Apply sets it to the record as it is stored.
	Attempt *history.Attempt
}

// After returns the state that changes leave. Cost: that of [ListedAfter] for each.
func (s State) After(changes ...Change) State {
	for i := range changes {
		c := &changes[i]
		s.Revision++
		s.Listed = ListedAfter(s.Listed, c, s.First)
		s.Working, s.Stamps = c.After, c.Stamps
		if c.Sealed != nil {
			s.Head, s.Cycle, s.Idle = c.Sealed, c.Sealed.Cycle(), c.Entry.Idle
		}
	}
	return s
}

// logged returns the entry as the engine writes it into the log: with the digests of the
// snapshot that the revision published or, if it published none, of the working state.
func logged(e history.Entry, kind history.Kind, t *tree.Tree) history.Entry {
	e.Kind, e.Digest, e.Thread = kind, t.Digest().String(), ""
	if kind != history.Edit && kind != history.Superseded && kind != history.Erasing {
		e.Thread = t.ThreadDigest().String()
	}
	return e
}

// Creation is the first state of a context.
type Creation struct {
	Name     string
	Edition  selector.Edition
	Tree     *tree.Tree
	Imported bool // Tree is a snapshot of its cycle; a new context has none before its first commit
	Stamps   tree.Stamps
	Entry    history.Entry
	// Changes yields those to make in the same step, as Apply does; nil for none. Create reads them once
	// and holds what it writes of them, but no tree of them.
	Changes iter.Seq2[Change, error]
	// Attempts returns those of a history, oldest first, with the ids that they have in a context that
	// is no fork; nil for none. Create calls it after it has read the changes.
	Attempts func() []history.Attempt
}

// First returns the cycle of the first snapshot of a context that begins like this, even if
// that snapshot is still to come.
func (g *Creation) First() int64 {
	if g.Imported {
		return g.Tree.Cycle()
	}
	return g.Tree.Cycle() + 1
}

// Fork describes a new context that begins with a snapshot of another one and shares the
// history up to it.
type Fork struct {
	Name  string        // of the new context
	Entry history.Entry // for the log; the engine sets Revision, Kind, Cycle, TimeNS, Digest and Thread
	// SupersededName is the new name of the forked context if the fork takes over its name; ""
	// leaves the name. The engine then tests the guard and logs the entry in that context too,
	// so that its revision grows: neither writer loses work of the other unseen.
	SupersededName string
	Guard          Guard // what the caller saw of the forked context
}
