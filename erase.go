package pact

import (
	"context"
	"encoding/hex"
	"io"
	"sync"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
)

// Erasure says what to take out of a context for good, and why.
type Erasure struct {
	IDs       []string // of nodes, which go with everything that is or ever was below them
	Texts     []string // every node, and every entry of a log, that holds one goes
	Revisions []int64  // of entries of the log that lose actor, message, request and report
	Reason    string   // for the log
	Actor     string   // who asks for it, "" for the context's actor
	// Random is read once, for the salt of the marks: crypto/rand.Reader but in
	// tests. Who can guess it can guess a short text by its mark.
	Random io.Reader
	// Receipt, if not nil, is given the receipt (see [Erased]) once and before
	// anything is written, so that whoever keeps it has it whatever happens
	// afterwards. Nothing is erased where it fails. An erasure that fails later
	// leaves a receipt of nothing. It must not use the store.
	Receipt  func(receipt string) error
	DryRun   bool                  // only say what would go
	Progress func(done, total int) // is told how many snapshots were gone through, if not nil
}

// Erased says what an erasure took.
type Erased struct {
	store.Erased
	// Receipt is the salt in hexadecimal, "" where nothing was erased. It is
	// given out once and kept nowhere: with it and with a copy of a node one can
	// show later what it was (see [Mark]).
	Receipt string `json:"receipt,omitempty"`
}

// Erase takes nodes for good out of every snapshot of the context and of all
// that share history with it: its origins, its forks, lines that were undone or
// deleted, and drafts. What is left of a node is its place, and a mark in
// [ErasedName]; docs/erasure.md has what goes and what stays. The log of each
// context concerned says who did it, when and why. It is done whole or not at
// all; Remains says what is left to clean up in the file, which a call with
// nothing named finishes.
//
// Every other [Context] of these histories, in this process or another one, is read
// again at its next call that takes a context.Context; prepared candidates are
// discarded then, and a call that changes something is E_CONFLICT. A [Snapshot] that
// somebody still holds keeps what it has in memory.
//
// Where it is done and the context cannot be read again, the answer comes with the
// error.
//
// E_NODE_NOT_FOUND for an id that never was, E_DOCUMENT_INVALID without a reason,
// or where reason, ids or types hold the text, E_CONFLICT where another writer
// was here. Cost: the rows of all contexts concerned.
func (c *Context) Erase(ctx context.Context, e Erasure) (*Erased, error) {
	c.write.Lock()
	defer c.write.Unlock()
	s := c.state.Load()
	what := store.Erase{IDs: e.IDs, Texts: e.Texts, Revisions: e.Revisions, Guard: guard(s), DryRun: e.DryRun,
		Progress: e.Progress,
		Entry:    store.Entry{Actor: e.Actor, Message: e.Reason, TimeNS: max(c.clock(), s.Stamps.LastNS)}}
	if e.Actor == "" {
		what.Entry.Actor = c.actor
	}
	if !e.DryRun && !what.Nothing() {
		if e.Random == nil {
			return nil, fault.New(fault.DocumentInvalid, "the erasure has no source of random bytes",
				"set Random to crypto/rand.Reader")
		}
		what.Salt = make([]byte, store.SaltSize)
		if _, err := io.ReadFull(e.Random, what.Salt); err != nil {
			return nil, fault.Wrap(fault.Store, err, "the source of random bytes failed", "")
		}
		if e.Receipt != nil { // once, although others may be in the way and the store work it out again
			what.Before = sync.OnceValue(func() error { return e.Receipt(hex.EncodeToString(what.Salt)) })
		}
	}
	eraser, err := store.Power[store.Eraser](c.store)
	if err != nil {
		return nil, err
	}
	of, err := eraser.Erase(ctx, s.Key, what)
	if err != nil {
		return nil, err
	}
	done := &Erased{Erased: *of}
	if of.Versions > 0 && !e.DryRun {
		done.Receipt = hex.EncodeToString(what.Salt)
	}
	if e.DryRun {
		return done, nil
	}
	_, err = c.current(context.WithoutCancel(ctx)) // what is done is said
	return done, err
}

// Mark returns the mark that an erasure with this receipt leaves of a node.
func Mark(ctx context.Context, receipt string, n Node) (string, error) {
	salt, err := hex.DecodeString(receipt)
	if err != nil || len(salt) != store.SaltSize {
		return "", fault.New(fault.DocumentInvalid, "the receipt is not 64 hexadecimal digits",
			"give the receipt that the erasure returned")
	}
	return n.node.Mark(ctx, salt)
}
