package manage

import (
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/worth"
)

// End adds a request as it is sent, and returns what the provider should count. cut says that parts leave with it.
func (l *Ledger) End(q *Request, cut bool) *Sending {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := q.sentForm()
	q.sum.sent = true
	call := q.sum.call(f, q.sum.on.sent.Call(&f.prompt, q.sum.at))
	l.total.Sent.Add(call)
	if call.Money != nil {
		q.sum.spent.Managed += *call.Money
	}
	return &Sending{counts: q.sum.counts, form: f, cache: q.sum.on.sent, Expects: call, cut: cut}
}

// Sending is a request whose answer will have the count of the provider.
type Sending struct {
	Expects worth.Call // what the provider should count
	counts  *Counting
	form    *form
	cache   *provider.Cache
	cut     bool // parts leave with it
}

// Prompt returns the request as the provider reads it.
func (s *Sending) Prompt() *provider.Prompt { return &s.form.prompt }

// AsAsked returns the request as the agent asked for it. A recorder that only observes sends it so.
func (q *Request) AsAsked() *Sending {
	f := &form{}
	formOf(q, q.sum, asCame, f)
	return &Sending{counts: q.sum.counts, form: f, cache: q.sum.on.asked}
}

// Learn notes the count of a provider. s is nil for a request that the ledger does not know.
func (l *Ledger) Learn(s *Sending, u provider.Usage) {
	if s == nil || u.In == nil || *u.In == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s.counts.Learn(s.form.parts, float64(*u.In), s.cut)
	s.cache.SetCounts(&s.form.prompt, u)
}
