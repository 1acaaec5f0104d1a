package pact

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/contexttree/pact/internal/fault"
)

// Send writes the canonical thread of the candidate (02 §12), which it prepares
// where none is, and notes the SHA-256 of exactly those bytes: the commit that
// publishes the candidate keeps it in the log, where Verify holds the snapshot
// to it. An edit discards the note with the candidate; sending again writes the
// same bytes. Of the options it takes those that prune, for a candidate
// that is not prepared yet. E_CONFLICT where the candidate was discarded or
// published while it was being written.
func (c *Context) Send(ctx context.Context, w io.Writer, opts ...CallOption) (*Snapshot, error) {
	k := c.call(opts)
	cand := c.state.Load().candidate
	if cand != nil && k.prunes() {
		return nil, fixedCandidate()
	}
	if cand == nil {
		if _, err := c.Prepare(ctx, opts...); err != nil {
			return nil, err
		}
		cand = c.state.Load().candidate
	}
	if cand == nil {
		return nil, lostCandidate()
	}
	sum := sha256.New()
	if err := cand.sealed.WriteThread(ctx, io.MultiWriter(w, sum)); err != nil {
		return nil, err
	}
	c.write.Lock()
	defer c.write.Unlock()
	s := c.state.Load()
	if s.candidate == nil || s.candidate.sealed != cand.sealed {
		return nil, lostCandidate()
	}
	next, noted := *s, *cand
	noted.sent = hex.EncodeToString(sum.Sum(nil))
	next.candidate = &noted
	c.state.Store(&next)
	return &Snapshot{tree: noted.sealed, edition: Edition(s.Edition), Report: &noted.report}, nil
}

// prunes reports whether the call asks for pruning.
func (k *call) prunes() bool { return !k.policy.Empty() || len(k.prune)+len(k.choose) > 0 }

func fixedCandidate() error {
	return fault.New(fault.Conflict, "a candidate is prepared, and is published as it is", "give the pruning to Prepare")
}

func lostCandidate() error {
	return fault.New(fault.Conflict, "the candidate was discarded or published while its thread was being written", "send the one that there is now")
}
