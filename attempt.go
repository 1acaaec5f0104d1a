package pact

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/store"
)

// ProviderCall is what an attempt is to call (03 §6.2).
type ProviderCall struct {
	Provider string // whom to call; at most 1 KiB
	Model    string // which of its models; at most 1 KiB
	Params   any    // any value with a JSON form, of which only a SHA-256 is kept; nil is null
}

// Outcome is how an attempt ended (03 §6.1).
type Outcome struct {
	Status   store.AttemptStatus // store.Completed, store.Canceled or store.Failed
	TokenIn  *int64              // tokens that the model was sent; nil where nobody counted
	TokenOut *int64              // tokens that it answered; nil where nobody counted
	Err      error               // why it failed: the first 64 KiB of its text are kept, what is not UTF-8 replaced
}

// StartAttempt begins a call of a provider (03 §6.1): it records the attempt as
// running, durably, and then does what Send does, with the same pruning. The
// record has the SHA-256 of the thread that is written to w. A writer that fails
// ends the attempt as an error, or as canceled where ctx was. Whatever is edited
// from then on, the attempt stands; Verify says whether what was committed is
// what was sent. Within a cycle there may be any number of attempts.
//
// The clock is read once, which lifts no stamp. E_CONFLICT where in the meantime
// the cycle was committed or the candidate edited away, E_DOCUMENT_INVALID and
// E_LIMIT for what no record can hold; nothing was sent then.
//
// Specification: 03 §6, 03 §6.1.
func (c *Context) StartAttempt(ctx context.Context, call ProviderCall, w io.Writer, p *Pruning) (*store.Attempt,
	error) {
	params, err := canon.Encode(call.Params)
	if err != nil {
		return nil, err
	}
	s, err := c.toSend(ctx, p)
	if err != nil {
		return nil, err
	}
	thread, err := store.ThreadHash(ctx, s.candidate.sealed)
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256([]byte(params))
	keeper, err := store.Power[store.AttemptKeeper](c.store)
	if err != nil {
		return nil, err
	}
	a, err := keeper.PutAttempt(ctx, s.Key, store.Attempt{
		Cycle: s.candidate.sealed.Cycle(), Status: store.Running, StartedNS: c.now(),
		Provider: call.Provider, Model: call.Model, Params: hex.EncodeToString(hash[:]), Thread: thread,
	})
	if err != nil {
		return nil, err
	}
	if err := s.candidate.sealed.WriteThread(ctx, w); err != nil {
		o := Outcome{Status: store.Failed, Err: err}
		if ctx.Err() != nil {
			o.Status = store.Canceled
		}
		_, unended := c.end(context.WithoutCancel(ctx), s.Key, a.ID, o)
		return nil, errors.Join(err, unended)
	}
	c.sent(s.candidate, thread)
	return &a, nil
}

// EndAttempt records how an attempt ended, durably: once, and also after its
// cycle was committed. The clock is read once; the end is never before the
// start. E_ATTEMPT_NOT_FOUND where the context has no such attempt, E_CONFLICT
// where it ended before, E_DOCUMENT_INVALID for a status that is no end.
func (c *Context) EndAttempt(ctx context.Context, id string, o Outcome) (*store.Attempt, error) {
	return c.end(ctx, c.state.Load().Key, id, o)
}

func (c *Context) end(ctx context.Context, key store.Key, id string, o Outcome) (*store.Attempt, error) {
	if id == "" {
		return nil, store.NoAttempt(id)
	}
	end := store.Attempt{ID: id, Status: o.Status, EndedNS: c.now(), TokenIn: o.TokenIn, TokenOut: o.TokenOut}
	if o.Err != nil {
		end.Error = fitting(o.Err.Error())
	}
	keeper, err := store.Power[store.AttemptKeeper](c.store)
	if err != nil {
		return nil, err
	}
	a, err := keeper.PutAttempt(ctx, key, end)
	if err != nil {
		return nil, err
	}
	return &a, nil
}

// Attempts returns those of the cycles from..to in the order in which they were
// started, also those of origins that the context shares. The cycle under way
// is the one after the latest snapshot.
func (c *Context) Attempts(ctx context.Context, from, to int64) ([]store.Attempt, error) {
	keeper, err := store.Power[store.AttemptKeeper](c.store)
	if err != nil {
		return nil, err
	}
	return keeper.Attempts(ctx, c.state.Load().Key, from, to)
}

// now reads the clock, which need not be safe for use from several sides.
func (c *Context) now() int64 {
	c.write.Lock()
	defer c.write.Unlock()
	return c.clock()
}

// fitting makes a text that an attempt can hold.
func fitting(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	if len(text) > store.MaxAttemptError {
		text = strings.ToValidUTF8(text[:store.MaxAttemptError], "") // a character may be cut in two
	}
	return text
}
