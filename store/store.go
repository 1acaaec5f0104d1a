// Package store is the contract for keeping the histories of contexts, and the
// store that keeps them in memory. What every store must do is written down as
// a test suite in storetest.
package store

import (
	"context"
	"encoding/json"
	"iter"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/tree"
)

// Key identifies a context within its store for as long as the context lives, also when it
// is renamed.
type Key int64

// Info is what a store knows about a context without reading its nodes.
type Info struct {
	Key      Key
	Name     string
	Edition  string // of the selector language; fixed when the context is created
	First    int64  // cycle of the oldest snapshot: 1, or that of an imported document
	Cycle    int64  // cycle of the latest snapshot, First-1 if there is none yet
	Revision int64  // counts batches of edits and commits, from 1
	Stamps   tree.Stamps
	Fork     int64  // the number of a fork among all contexts that share history, 0 for any other context
	Origin   Origin // where a fork began
	Erasures int64  // counts the erasures that changed its snapshots or its log
}

// Origin is the snapshot from which a fork was made: its context, its cycle, and the
// revision that published it. That context may have been deleted since.
type Origin struct {
	Key             Key
	Cycle, Revision int64
}

// State is the latest snapshot and the working state of a context, with what is needed to
// change them.
type State struct {
	Info
	Head    *tree.Tree // the latest snapshot, or the empty tree of a new context; its Cycle is Info.Cycle
	Working *tree.Tree // the working state; its Cycle is Stamps.Cycle
	Idle    []string   // of the entry that published Head
}

// Guard is the cycle and the revision that a writer saw before its change. A store refuses
// the change with E_CONFLICT if the context has another cycle or revision by then.
type Guard struct{ Cycle, Revision int64 }

// Change is one batch of edits, one commit, or both in one step. Before is the working
// state that the store has, After the one that it is to have, and Sealed the snapshot to
// publish, nil if there is no commit. If there is one, After equals Sealed except for the
// cycle.
type Change struct {
	Before, After *tree.Tree
	Sealed        *tree.Tree
	Stamps        tree.Stamps // the counters afterwards
	Entry         Entry       // for the log; Revision and Kind are the store's to set
}

// Kind tells the entries of a log apart.
type Kind string

// The kinds of entry.
const (
	Create     Kind = "create"
	Edit       Kind = "edit"
	Commit     Kind = "commit"
	Forked     Kind = "fork"  // the first entry of a fork of its own
	Superseded Kind = "aside" // a fork took over the name of the context

	Erasing Kind = "erase" // something was taken for good out of the context
)

// Entry is one revision in the log of a context. The store sets Digest and Thread.
type Entry struct {
	Revision int64           `json:"revision"`
	Kind     Kind            `json:"kind"`
	Cycle    int64           `json:"cycle"` // that was published or is being worked on
	TimeNS   int64           `json:"time_ns"`
	Actor    string          `json:"actor,omitempty"`
	Message  string          `json:"message,omitempty"`
	Request  string          `json:"request,omitempty"` // token by which a retry is recognised
	Report   json.RawMessage `json:"report,omitempty"`  // what a commit removed, held back, and why
	Digest   string          `json:"digest,omitempty"`  // of the snapshot or, after an edit, of the working state
	Thread   string          `json:"thread,omitempty"`  // of the snapshot's thread, made of its blocks
	Sent     string          `json:"sent,omitempty"`    // SHA-256 of the bytes that the model was sent

	// Idle are the removable groups that the snapshot has empty because something
	// kept them (02 §5.3.1), which the next commit looks at again. Only an entry
	// that publishes a snapshot has any.
	Idle []string `json:"-"`
}

// Logged returns the entry as a store writes it into the log: with the digests of the
// snapshot that the revision published or, if it published none, of the working state.
func (e Entry) Logged(kind Kind, t *tree.Tree) Entry {
	e.Kind, e.Digest, e.Thread = kind, t.Digest().String(), ""
	if kind != Edit && kind != Superseded && kind != Erasing {
		e.Thread = t.ThreadDigest().String()
	}
	return e
}

// Creation is the first state of a context.
type Creation struct {
	Name     string
	Edition  string
	Tree     *tree.Tree
	Imported bool // Tree is a snapshot of its cycle; a new context has none before its first commit
	Stamps   tree.Stamps
	Entry    Entry
	Changes  []Change // to make in the same step, as Apply does
}

// First returns the cycle of the first snapshot of a context that begins like this, also if
// that snapshot is still to come.
func (g *Creation) First() int64 {
	if g.Imported {
		return g.Tree.Cycle()
	}
	return g.Tree.Cycle() + 1
}

// Fork describes a new context that begins as a snapshot of another one and shares the
// history up to it.
type Fork struct {
	Name  string // of the new context
	Entry Entry  // for the log; Revision, Kind, Cycle and TimeNS are the store's to set
	// SupersededName is the new name of the context that is forked, where the fork
	// takes over its name; "" leaves it. Then the store tests the guard, and logs
	// the entry in that context too, so that its revision moves on: neither side
	// loses work of the other unseen.
	SupersededName string
	Guard          Guard // what the caller saw of the context that is forked
}

// Damage is something in a store that differs from what was written. It is the cause of the
// E_STORE that a reader gets.
type Damage struct {
	NoCycle  bool     // the store cannot tell which cycle is damaged
	Cycle    int64    // the damaged cycle
	Node     string   // id of the damaged node, "" where it is not known
	Suspects []string // where Node is "": ids of the nodes of which one is damaged, if they are few
	What     string   // what is damaged, in words
	Recorded string   // what it should be, "" where that says nothing
	Found    string   // and is
	// Derived says that it is made of rows that do not have the damage, so that readers
	// get right answers without it and the store can make it anew.
	Derived bool
}

// Error says what is damaged.
func (d *Damage) Error() string {
	if d.Recorded == "" {
		return d.What
	}
	return d.What + ": recorded is " + d.Recorded + ", found " + d.Found
}

// Err returns the error for a reader of what is damaged: E_STORE.
func (d *Damage) Err() error {
	e := fault.Wrap(fault.Store, d, "the store is damaged", "restore it from a backup or an export")
	e.Node = d.Node
	return e
}

// Store keeps contexts. It has the methods that every store needs; a store can do more by
// implementing [Forker], [AttemptKeeper], [Renamer], [Deleter], [Eraser], [Checker] or
// [Copier]. Use [Power] to get one of these.
//
// Every method is safe for concurrent use and returns errors of package fault, by whose
// codes callers decide: E_STORE if the medium fails or the store is closed, E_BUSY if
// others hold the store for too long, E_CONTEXT_NOT_FOUND if there is no such context,
// E_CONFLICT if a name is taken or a guard does not hold. Package storetest tests a store
// for all this.
type Store interface {
	// Contexts lists the contexts by name, in the order of their bytes.
	Contexts(ctx context.Context) ([]Info, error)
	// Find returns one by its name.
	Find(ctx context.Context, name string) (Info, error)
	// Info returns one by its key, as it is now. Whoever keeps trees in memory asks
	// it for Erasures before giving them out again. Cost: a few look-ups.
	Info(ctx context.Context, key Key) (Info, error)
	// Create makes a context. Its first revision is 1.
	Create(ctx context.Context, g Creation) (Info, error)
	// Load reads the latest snapshot and the working state.
	Load(ctx context.Context, key Key) (*State, error)
	// History yields the snapshots of the cycles from..to, oldest first (05 §2).
	// The trees share what did not change from one to the next, and the store
	// holds a bounded number of them for its reader. An error ends it: that of a
	// cycle without a snapshot, E_SNAPSHOT_NOT_FOUND, comes before the first tree,
	// E_CONFLICT if an erasure changed the snapshots that are still to come.
	History(ctx context.Context, key Key, from, to int64) iter.Seq2[*tree.Tree, error]
	// Apply makes changes, one revision each, all or none, durable before it
	// returns (03 §7). The guard is for the first of them. E_CONFLICT also where a
	// request token of theirs is in the log already.
	Apply(ctx context.Context, key Key, g Guard, changes ...Change) error
	// Has reports whether a node of this id is or ever was in the context.
	Has(ctx context.Context, key Key, id string) (bool, error)
	// Log returns the entries with a revision from..to, oldest first.
	Log(ctx context.Context, key Key, from, to int64) ([]Entry, error)
	// Request returns the entry that carries a request token, nil if there is none.
	Request(ctx context.Context, key Key, token string) (*Entry, error)
	// Close releases the store. Using it afterwards is E_STORE.
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

// Errors that every store gives in the same words.

// NoContext returns the error for a name that no context has: E_CONTEXT_NOT_FOUND.
func NoContext(name string) error {
	return fault.At(fault.ContextNotFound, fault.NoOffset, name, "there is no context "+strconv.Quote(name),
		"create it; Contexts lists those that are there")
}

// NoKey returns the error for a key that no context has: E_CONTEXT_NOT_FOUND.
func NoKey(key Key) error {
	return fault.New(fault.ContextNotFound, "there is no context with the key "+strconv.FormatInt(int64(key), 10)+
		" any more", "somebody deleted it; Contexts lists those that are there")
}

// NameTaken returns the error for a name that another context has: E_CONFLICT.
func NameTaken(name string) error {
	return fault.New(fault.Conflict, "there is a context "+strconv.Quote(name)+" already",
		"choose another name, or delete that one")
}

// Moved returns the error for a guard that does not hold: E_CONFLICT.
func Moved(g Guard, cycle, revision int64) error {
	return fault.New(fault.Conflict, sprintMoved(g, cycle, revision),
		"nothing was changed: read the context again and repeat the call")
}

// NoSnapshot returns the error for a cycle without a snapshot: E_SNAPSHOT_NOT_FOUND.
func NoSnapshot(cycle int64) error {
	return fault.New(fault.SnapshotNotFound, "there is no snapshot "+label(cycle),
		"Find says which cycles the context has")
}
