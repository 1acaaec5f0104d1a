package store

import (
	"context"
	"encoding/json"
	"iter"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/tree"
)

// Key identifies a context within its store for as long as the context lives, also when it
// is renamed.
type Key int64

// Info describes a context, without its nodes.
type Info struct {
	Key      Key
	Name     string
	Edition  string // of the selector language; fixed when the context is created
	First    int64  // cycle of the oldest snapshot: 1, or that of an imported document
	Cycle    int64  // cycle of the latest snapshot, First-1 if there is none yet
	Revision int64  // counts batches of edits and commits, from 1
	Stamps   tree.Stamps
	Fork     int64  // its number among all forks of a family of contexts, 0 for a context that is no fork
	Origin   Origin // where a fork began
	Erasures int64  // counts the erasures that changed its snapshots or its log
	Listed   Listed
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

// Guard is the cycle and the revision that a writer saw before its change. A store refuses the
// change with E_CONFLICT if the context has another cycle or revision now.
type Guard struct{ Cycle, Revision int64 }

// Change is one batch of edits, one commit, or both in one step. Before is the working state in
// the store, After the working state to write, and Sealed the snapshot to publish, nil if there
// is no commit. If there is one, After equals Sealed except for the cycle.
type Change struct {
	Before, After *tree.Tree
	Sealed        *tree.Tree
	Stamps        tree.Stamps // the counters afterwards
	Entry         Entry       // for the log; the store sets Revision and Kind
	// Attempt, if not nil, is what [AttemptKeeper.PutAttempt] would write behind the change, in
	// the same step; Apply sets it to the record as it is stored. Only an AttemptKeeper takes it.
	Attempt *Attempt
}

// Kind is the kind of a log entry.
type Kind string

// The kinds of entry.
const (
	Create     Kind = "create"
	Edit       Kind = "edit"
	Commit     Kind = "commit"
	Forked     Kind = "fork"  // the first entry that a fork does not share
	Superseded Kind = "aside" // a fork took over the name of the context

	Erasing Kind = "erase" // an erasure removed something from the context
)

// Entry is one revision in the log of a context. The store sets Digest and Thread.
type Entry struct {
	Revision int64           `json:"revision"`
	Kind     Kind            `json:"kind"`
	Cycle    int64           `json:"cycle"` // published by this revision, or current
	TimeNS   int64           `json:"time_ns"`
	Actor    string          `json:"actor,omitempty"`
	Message  string          `json:"message,omitempty"`
	Request  string          `json:"request,omitempty"` // token by which a retry is recognised
	Report   json.RawMessage `json:"report,omitempty"`  // what a commit removed and held back, and why
	Digest   string          `json:"digest,omitempty"`  // of the snapshot or, after an edit, of the working state
	Thread   string          `json:"thread,omitempty"`  // of the snapshot's thread, made of its blocks
	Sent     string          `json:"sent,omitempty"`    // SHA-256 of the bytes that the model was sent

	// Anew is how many bytes of the thread of the snapshot the call sent anew because it does not
	// begin with the whole thread of the snapshot before it, 0 if it does. Writers work it out.
	Anew int64 `json:"-"`

	// Idle are the removable groups that are empty in the snapshot and that something kept (02
	// §5.3.1); the next commit looks at them again. Only an entry that publishes a snapshot has
	// any.
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
	// Attempts are those of a history, oldest first, with the ids that they have in a context
	// that is no fork. A store that keeps no attempts leaves them out.
	Attempts []Attempt
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
	Name  string // of the new context
	Entry Entry  // for the log; the store sets Revision, Kind, Cycle and TimeNS
	// SupersededName is the new name of the forked context if the fork takes over its name; ""
	// leaves the name. The store then tests the guard and logs the entry in that context too,
	// so that its revision grows: neither writer loses work of the other unseen.
	SupersededName string
	Guard          Guard // what the caller saw of the forked context
}

// Damage is something in a store that differs from what was written. It is the cause of the
// E_STORE that a reader gets.
type Damage struct {
	NoCycle  bool     // the store cannot tell which cycle is damaged
	Cycle    int64    // the damaged cycle
	Node     string   // id of the damaged node, "" if it is not known
	Suspects []string // if Node is "": ids of nodes, one of which is damaged, if they are few
	What     string   // what is damaged, in words
	Recorded string   // what it should be, "" if the store does not know
	Found    string   // what it is
	// Derived says that the store made the damaged part from rows that are sound, so that
	// readers get right answers without it and the store can make it again.
	Derived bool
}

// Error says what is damaged.
func (d *Damage) Error() string {
	if d.Recorded == "" {
		return d.What
	}
	return d.What + ": recorded is " + d.Recorded + ", found " + d.Found
}

// Err returns the error for a reader of the damaged part: E_STORE.
func (d *Damage) Err() error {
	e := fault.Wrap(fault.Store, d, "the store is damaged", "restore it from a backup or an export")
	e.Node = d.Node
	return e
}

// Store keeps contexts. It has the methods that every store needs; a store can do more by
// implementing [Forker], [AttemptKeeper], [Renamer], [Deleter], [Eraser], [Checker], [Copier]
// or [TokenKeeper]. Use [Power] to get one of these.
//
// Every method is safe for concurrent use and returns errors of package fault. Callers decide
// by their codes: E_STORE if the medium fails or the store is closed, E_BUSY if others hold the
// store for too long, E_CONTEXT_NOT_FOUND if there is no such context, E_CONFLICT if a name is
// taken or a guard does not hold. Package storetest tests all this.
type Store interface {
	// Contexts lists the contexts by name, in the order of their bytes.
	Contexts(ctx context.Context) ([]Info, error)
	// Find returns the context with a name.
	Find(ctx context.Context, name string) (Info, error)
	// Info returns the context with a key, as it is now. Whoever keeps trees in memory compares
	// Erasures before using them again. Cost: a few look-ups.
	Info(ctx context.Context, key Key) (Info, error)
	// Create makes a context. Its first revision is 1.
	Create(ctx context.Context, g Creation) (Info, error)
	// Load reads the latest snapshot and the working state.
	Load(ctx context.Context, key Key) (*State, error)
	// History yields the snapshots of the cycles from..to, oldest first (05 §2). The trees
	// share what did not change from one to the next, and the store holds a bounded number of
	// them for its reader. An error ends it: E_SNAPSHOT_NOT_FOUND for a cycle without a
	// snapshot comes before the first tree, E_CONFLICT says that an erasure changed the
	// snapshots still to come.
	History(ctx context.Context, key Key, from, to int64) iter.Seq2[*tree.Tree, error]
	// Apply makes changes, one revision each, all or none, durable before it returns (03 §7).
	// The guard is for the first of them. Apply also returns E_CONFLICT if the log already has
	// a request token of a change, and the errors of an attempt.
	Apply(ctx context.Context, key Key, g Guard, changes ...Change) error
	// Has reports whether a node with this id is or ever was in the context.
	Has(ctx context.Context, key Key, id string) (bool, error)
	// Log returns the entries with a revision from..to, oldest first.
	Log(ctx context.Context, key Key, from, to int64) ([]Entry, error)
	// Request returns the entry that carries a request token, nil if there is none.
	Request(ctx context.Context, key Key, token string) (*Entry, error)
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

// Errors that every store gives in the same words.

// NoContext returns the error for a name that no context has: E_CONTEXT_NOT_FOUND.
func NoContext(name string) error {
	return fault.At(fault.ContextNotFound, fault.NoOffset, name, "there is no context "+strconv.Quote(name),
		"create it; Contexts lists those that are there")
}

// NoKey returns the error for a key that no context has: E_CONTEXT_NOT_FOUND.
func NoKey(key Key) error {
	return fault.New(fault.ContextNotFound, "there is no context with the key "+strconv.FormatInt(int64(key), 10)+
		" any more", "it was deleted; Contexts lists those that are there")
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
