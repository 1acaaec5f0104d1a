package pact

import (
	"context"
	"io"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/selector"
)

// Send writes the canonical thread of the candidate (02 §12), which it prepares
// where none is, and notes the SHA-256 of exactly those bytes: the commit that
// publishes the candidate keeps it in the log, where Verify holds the snapshot
// to it. An edit discards the note with the candidate; sending again writes the
// same bytes. The pruning is for a candidate that is not prepared yet: E_CONFLICT with
// one that is, as it is published as it was prepared, and where the candidate was discarded or
// published while it was being written.
func (c *Context) Send(ctx context.Context, w io.Writer, p *Pruning) (*Snapshot, error) {
	s, err := c.toSend(ctx, p)
	if err != nil {
		return nil, err
	}
	sum, err := s.candidate.sealed.WriteThreadHashed(ctx, w)
	if err != nil {
		return nil, err
	}
	if !c.sent(s.candidate, sum.String()) {
		return nil, lostCandidate()
	}
	return &Snapshot{tree: s.candidate.sealed, edition: selector.Edition(s.Edition), Report: &s.candidate.report}, nil
}

// toSend returns the state with the candidate to send, which it prepares where
// none is.
func (c *Context) toSend(ctx context.Context, p *Pruning) (*state, error) {
	s := c.state.Load()
	if s.candidate != nil && !p.empty() {
		return nil, fixedCandidate()
	}
	if s.candidate == nil {
		if _, err := c.Prepare(ctx, p); err != nil {
			return nil, err
		}
		s = c.state.Load()
	}
	if s.candidate == nil {
		return nil, lostCandidate()
	}
	return s, nil
}

// sent notes the SHA-256 of the thread of a candidate with it, and is false
// where it is not the candidate any more.
func (c *Context) sent(cand *candidate, sum string) bool {
	c.write.Lock()
	defer c.write.Unlock()
	s := c.state.Load()
	if s.candidate == nil || s.candidate.sealed != cand.sealed {
		return false
	}
	next, noted := *s, *cand
	noted.sent = sum
	next.candidate = &noted
	c.state.Store(&next)
	return true
}

func fixedCandidate() error {
	return fault.New(fault.Conflict, "a candidate is prepared, and is published as it is", "give the pruning to Prepare")
}

func lostCandidate() error {
	return fault.New(fault.Conflict, "the candidate was discarded or published while its thread was being written", "send the one that there is now")
}
