package record

import (
	"context"
	"strings"
	"time"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/record/manage"
	"github.com/contexttree/pact/internal/record/provider"
)

// mostKeys bounds how many keys a recorder remembers.
const mostKeys = 1 << 17

// fromOneAnswer reports whether one answer had two calls, as far as this recorder saw it.
func (r *Recorder) fromOneAnswer(a, b string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.issued[a] > 0 && r.issued[a] == r.issued[b]
}

// noteIssued notes the calls of an answer.
func (r *Recorder) noteIssued(name provider.API, a *provider.Answer) {
	if r.entry == nil || name != provider.Responses {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.issued) >= mostKeys {
		clear(r.issued)
	}
	r.answers++
	for _, p := range provider.AnswerParts(name, a.Content) {
		if p.Kind == "call" {
			r.issued[p.Call] = r.answers
		}
	}
}

// noteCount notes the count of a provider.
func (r *Recorder) noteCount(s *manage.Sending, a *provider.Answer) {
	if r.ledger == nil {
		return
	}
	r.ledger.Learn(s, a.Usage)
	if most := r.options.Policy.MaxTokens; s != nil && a.Usage.In != nil && most > 0 && *a.Usage.In > int64(most) {
		r.count(func(s *Stats) { s.Managed.Over++ })
	}
}

// mostLooked is how many contexts lastCall reads.
const mostLooked = 64

// lastCall returns when the contexts of a recorder recorded their last call: the zero time without a call, and
// with too many contexts to read.
func lastCall(ctx context.Context, s *pact.DB, name string) (last time.Time, err error) {
	list, err := pact.List(ctx, s)
	looked := 0
	for _, i := range list {
		if strings.HasSuffix(i.Name, originalsOf("")) || !keepsFor(originalsOf(name), i.Name) {
			continue
		}
		if looked++; looked > mostLooked {
			return time.Time{}, nil
		}
		c, err := pact.Open(ctx, s, i.Name, nil)
		if err != nil {
			return time.Time{}, err
		}
		attempts, err := c.Attempts(ctx, i.Cycle, i.Cycle+1)
		if err != nil {
			return time.Time{}, err
		}
		for _, a := range attempts {
			if at := time.Unix(0, a.StartedNS); a.StartedNS > 0 && at.After(last) {
				last = at
			}
		}
	}
	return last, err
}
