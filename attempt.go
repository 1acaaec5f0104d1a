package pact

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"strings"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/engine"
)

// ProviderCall names the provider and the model that an attempt calls (03 §6.2).
type ProviderCall struct {
	Provider string // the provider's name; at most 1 KiB
	Model    string // the model's name; at most 1 KiB
	Params   any    // any value with a JSON form; only its SHA-256 is kept; nil means null
	Request  string // the rest of the request, from history.PackRequest, kept whole; "" for none
	// Edit, if not nil, edits the working state first: the edits and the record of the attempt
	// become durable in one step, or neither does. A prepared candidate is discarded.
	Edit    func(*Batch) error
	Message string // of the log entry of Edit
}

// Outcome says which attempt ended, and how (03 §6.1).
type Outcome struct {
	ID       string                // of the attempt
	Status   history.AttemptStatus // history.Completed, history.Canceled or history.Failed
	TokenIn  *int64                // tokens that the model was sent; nil if they were not counted
	TokenOut *int64                // tokens that the model answered; nil if they were not counted
	Err      error                 // why it failed; the first 64 KiB of its text are kept as UTF-8
	Request  string                // from history.PackRequest; replaces that of the call, "" keeps it
}

// StartAttempt begins a call of a provider (03 §6.1): it records the attempt durably as running, with the digest of the
// thread that it sends, then does what [Context.Send] does with the same pruning; it writes nothing to [io.Discard]. If
// w fails, the attempt ends as failed, or as canceled if ctx was canceled. If the candidate was discarded or published
// during the write, the attempt ends as failed, and the error is E_CONFLICT. Later edits do not touch the attempt;
// [Verify] says whether the commit published what was sent. A cycle can have any number of attempts.
//
// StartAttempt reads the clock once, and does not use up a stamp. Errors: E_CONFLICT if the cycle was committed or
// the candidate discarded meanwhile, E_DOCUMENT_INVALID and E_LIMIT for a call that cannot be recorded, and what
// call.Edit returns. In these cases, but for a candidate lost during the write, nothing was sent or edited.
//
// Specification: 03 §6, 03 §6.1.
func (c *Context) StartAttempt(ctx context.Context, call ProviderCall, w io.Writer, p *Pruning) (_ *history.Attempt,
	err error) {
	params, err := canon.Encode(call.Params)
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256([]byte(params))
	a := &history.Attempt{Status: history.Running, Provider: call.Provider, Model: call.Model,
		Params: hex.EncodeToString(hash[:]), Request: call.Request}
	var s *state
	if call.Edit != nil {
		s, err = c.startEdited(ctx, &call, a, p)
	} else {
		s, err = c.startSent(ctx, a, p)
	}
	if err != nil {
		return nil, err
	}
	if w != io.Discard {
		err = c.writeThread(ctx, w, s.candidate)
	} else if !c.state.Load().prepares(s.candidate) {
		err = lostCandidate()
	}
	if err != nil {
		o := Outcome{ID: a.ID, Status: history.Failed, Err: err}
		if ctx.Err() != nil {
			o.Status = history.Canceled
		}
		_, unended := c.EndAttempt(context.WithoutCancel(ctx), o)
		return nil, errors.Join(err, unended)
	}
	return a, nil
}

// startSent records the start of an attempt that sends the candidate, which it prepares if there is none.
func (c *Context) startSent(ctx context.Context, a *history.Attempt, p *Pruning) (*state,
	error) {
	s, err := c.toSend(ctx, p)
	if err != nil {
		return nil, err
	}
	sends(a, s.candidate)
	a.StartedNS = c.now()
	*a, err = c.store.PutAttempt(ctx, s.Key, *a)
	return s, err
}

// startEdited records edits and the start of an attempt that sends what they make, in one step.
func (c *Context) startEdited(ctx context.Context, call *ProviderCall, a *history.Attempt,
	p *Pruning) (*state, error) {
	c.write.Lock()
	defer c.write.Unlock()
	s := c.state.Load()
	x, err := c.edited(ctx, s, s.Working, s.Head, s.Stamps, call.Edit)
	if err != nil {
		return nil, err
	}
	after := x.Tree()
	cand, err := c.candidate(ctx, s, after, x.Stamps, p)
	if err != nil {
		return nil, err
	}
	sends(a, cand)
	a.StartedNS = c.clock()
	next := &state{State: s.State}
	if after.Digest() == s.Working.Digest() {
		*a, err = c.store.PutAttempt(ctx, s.Key, *a)
	} else {
		change := engine.Change{Before: s.Working, After: after, Stamps: x.Stamps,
			Entry: c.entry(&Note{Message: call.Message}, x.Stamps), Attempt: a}
		next, err = c.apply(ctx, s, change)
	}
	if err != nil {
		return nil, err
	}
	next.candidate = cand
	c.state.Store(next)
	return next, nil
}

// sends notes in an attempt what a candidate sends.
func sends(a *history.Attempt, cand *candidate) {
	a.Cycle, a.Thread = cand.sealed.Cycle(), cand.sealed.ThreadDigest().String()
}

// EndAttempt records durably how an attempt ended. It can do so once, also after the cycle was committed. It reads
// the clock once; the end is never before the start. Errors: E_ATTEMPT_NOT_FOUND if the context has no such attempt,
// E_CONFLICT if it has ended already, E_DOCUMENT_INVALID for a status that is not an end.
func (c *Context) EndAttempt(ctx context.Context, o Outcome) (*history.Attempt, error) {
	end, err := ended(o, c.now())
	if err != nil {
		return nil, err
	}
	a, err := c.store.PutAttempt(ctx, c.state.Load().Key, end)
	if err != nil {
		return nil, err
	}
	return &a, nil
}

// ended returns the end of an attempt as a store takes it.
func ended(o Outcome, now int64) (history.Attempt, error) {
	if o.ID == "" {
		return history.Attempt{}, engine.NoAttempt(o.ID)
	}
	end := history.Attempt{ID: o.ID, Status: o.Status, EndedNS: now, TokenIn: o.TokenIn, TokenOut: o.TokenOut,
		Request: o.Request}
	if o.Err != nil {
		end.Error = fitForAttempt(o.Err.Error())
	}
	return end, nil
}

// Attempts returns the attempts of the cycles from..to in the order in which they were started, including those of
// cycles that a fork shares with its origin. The current cycle is the one after the latest snapshot.
func (c *Context) Attempts(ctx context.Context, from, to int64) ([]history.Attempt, error) {
	return c.store.Attempts(ctx, c.state.Load().Key, from, to)
}

// now reads the clock. It holds the lock because a caller's clock need not be safe for concurrent use.
func (c *Context) now() int64 {
	c.write.Lock()
	defer c.write.Unlock()
	return c.clock()
}

// fitForAttempt makes a text valid and short enough for the record of an attempt.
func fitForAttempt(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	if len(text) > history.MaxAttemptError {
		text = strings.ToValidUTF8(text[:history.MaxAttemptError], "") // a character may be cut in two
	}
	return text
}
