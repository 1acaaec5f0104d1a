package pact

import (
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// Note is what the log keeps of one call beside what the call did. A nil *Note
// is the zero Note.
type Note struct {
	Actor   string // who makes the call; "" for the actor of the Context
	Message string // why, for whoever reads the log
	// Request is a token for the call, "" for none. A call with a token that the
	// log holds already does nothing, so that it can be repeated after a lost
	// answer. A token belongs to one call: E_CONFLICT where the log holds it with
	// a call of another kind.
	Request string
}

// Pruning says what a commit removes beyond what expires (02 §7). A nil *Pruning
// removes nothing more, as the zero Pruning does.
type Pruning struct {
	// Policy gives the limits. One that limits tokens needs a Context with a
	// counter: E_DOCUMENT_INVALID without.
	Policy lifecycle.Policy
	// IDs names blocks outside cores and whole turns to remove. What the rules
	// protect is held back, and the report says why.
	IDs []string
	// Select holds selectors in the edition of the context, without an address:
	// what one of them selects in the working state is removed like what IDs
	// names.
	Select []string
	// Rewrite names sealed turns that go because what is sent now does not go on
	// from them: earlier messages were rewritten, and what is still sent of them
	// was added again. They go whatever their age, before Policy is looked at, and
	// leave no stub. What is pinned, retained or referred to from elsewhere is
	// held back all the same.
	Rewrite []string
}

// empty reports whether nothing is asked for.
func (p *Pruning) empty() bool {
	return p == nil || p.Policy.Empty() && len(p.IDs)+len(p.Select)+len(p.Rewrite) == 0
}

// CommitOptions says how a commit differs from the plain one.
type CommitOptions struct {
	Note
	// Edit, if not nil, makes edits part of the commit: both are published in one
	// durable step, or neither. A prepared candidate is discarded.
	Edit func(*Batch) error
	// Pruning says what to prune. E_CONFLICT together with a prepared candidate,
	// which is published as it is.
	Pruning *Pruning
}

// entry begins the log entry of a call.
func (c *Context) entry(n *Note, s tree.Stamps) store.Entry {
	e := store.Entry{Cycle: s.Cycle, TimeNS: s.LastNS, Actor: c.actor}
	if n == nil {
		return e
	}
	if n.Actor != "" {
		e.Actor = n.Actor
	}
	e.Message, e.Request = n.Message, n.Request
	return e
}

// request returns the token of a call, "" for none.
func (n *Note) request() string {
	if n == nil {
		return ""
	}
	return n.Request
}
