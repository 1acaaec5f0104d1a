package pact

import (
	"context"
	"encoding/hex"
	"io"
	"sync"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
)

// Erasure says what to remove from a context for good, and why. At least one of IDs, Texts
// and Revisions is needed, except to finish an earlier erasure.
type Erasure struct {
	IDs       []string // ids of nodes, which go with everything that is or ever was below them
	Texts     []string // every node and every log entry that contains one of these texts goes
	Revisions []int64  // log entries that lose their actor, message, request token and report
	Reason    string   // for the log; must not contain what is erased
	Actor     string   // who asks for the erasure; "" means the actor of the Context
	// Random gives the salt of the marks. Use crypto/rand.Reader, except in tests: a person who can
	// guess the salt can guess a short text from its mark.
	Random io.Reader
	// Receipt, if not nil, is called once with the receipt (see [history.Erased]) before anything is written, so that
	// the caller has it whatever happens afterwards. If it fails, nothing is erased. If the erasure fails later, the
	// receipt is worthless. Receipt must not use the store.
	Receipt  func(receipt string) error
	DryRun   bool                  // only say what would go
	Progress func(done, total int) // if not nil, called with the number of snapshots that are done
}

// Erase removes nodes for good from every snapshot of the context and of all contexts that share history with it: its
// origins, its forks, undone and deleted lines, and drafts. Of a node only its place remains, and a mark in the
// attribute pact:erased; docs/erasure.md lists what goes and what stays. The log of each of these
// contexts records who did it, when and why. An erasure happens as a whole or not at all. Remains in the answer says
// what is left to clean up in the file; calling Erase with an empty Erasure finishes that.
//
// Every other [Context] of these histories, in this process or another one, reads its state again at its next call
// that takes a context.Context. That discards prepared candidates; a call that changes something returns E_CONFLICT.
// A [Snapshot] that a program still holds gives out no content any more.
//
// If the erasure is done but the context cannot be read again, Erase returns both an answer and an error. Errors:
// E_NODE_NOT_FOUND for an id that never existed; E_DOCUMENT_INVALID without a reason, or if the reason, an id or a
// type contains the text; E_CONFLICT if another writer was faster. Cost: the rows of all contexts concerned.
func (c *Context) Erase(ctx context.Context, e Erasure) (_ *history.Erased, err error) {
	c.write.Lock()
	defer c.write.Unlock()
	s := c.state.Load()
	what := engine.Erase{IDs: e.IDs, Texts: e.Texts, Revisions: e.Revisions, Guard: guard(s), DryRun: e.DryRun,
		Progress: e.Progress,
		Entry:    history.Entry{Actor: e.Actor, Message: e.Reason, TimeNS: max(c.clock(), s.Stamps.LastNS)}}
	if e.Actor == "" {
		what.Entry.Actor = c.actor
	}
	if !e.DryRun && !what.Nothing() {
		if e.Random == nil {
			return nil, fault.New(fault.DocumentInvalid, "the erasure has no source of random bytes",
				"set Random to crypto/rand.Reader")
		}
		what.Salt = make([]byte, engine.SaltSize)
		if _, err := io.ReadFull(e.Random, what.Salt); err != nil {
			return nil, fault.Wrap(fault.Store, err, "the source of random bytes failed",
				"try again, or set Random to another source")
		}
		if e.Receipt != nil { // once, even if the store has to start over because of another writer
			what.Before = sync.OnceValue(func() error { return e.Receipt(hex.EncodeToString(what.Salt)) })
		}
	}
	done, err := c.store.Erase(ctx, s.Key, what)
	if err != nil || e.DryRun {
		return done, err
	}
	if done.Versions > 0 {
		done.Receipt = hex.EncodeToString(what.Salt)
	}
	_, err = c.current(context.WithoutCancel(ctx)) // the erasure is done, and the caller must learn that
	return done, err
}
