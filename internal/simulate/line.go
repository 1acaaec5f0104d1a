package simulate

import (
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/manage"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/worth"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
)

// line is the run under one policy: what was decided so far, and the cache of the provider.
type line struct {
	*run
	Outcome
	policy lifecycle.Policy
	rules  *manage.Rules // nil for the run as it was
	list   *manage.List
	ledger *manage.Ledger
	cache  *provider.Cache
	before *provider.Prompt // of the call before, nil for the first

	tokens  []float64          // of the parts of the last call
	calls   [2]*manage.Request // the last call, and the one before first
	removed map[string]bool    // the blocks that the policy took
	shaped  map[string]string  // by block, what is sent in place of its content
	said    map[[2]string]bool // regrets that were noted
}

// line begins the run anew under a policy.
func (r *run) line(p Named) (*line, error) {
	l := &line{run: r, Outcome: Outcome{Policy: p.Name}, policy: p.Policy, cache: r.rules.NewCache(), list: manage.NewList(),
		removed: map[string]bool{}, shaped: map[string]string{}, said: map[[2]string]bool{}}
	if err := l.policy.Check(); err != nil {
		return nil, err
	}
	l.ledger = manage.NewLedger(func(model string) (manage.Price, bool) {
		return manage.Price{Paid: func(u *inspect.ProviderCache) float64 { return *r.prices.Paid(r.model, u) },
			Read: func(tokens int64) float64 { return float64(tokens) * r.rates.CacheRead / record.Million }}, r.priced
	})
	var err error
	l.rules, err = manage.Compile(&l.policy)
	return l, err
}

// spent returns the cost of the calls so far, 0 without a price.
func (l *line) spent() float64 {
	if l.Cost == nil {
		return 0
	}
	return *l.Cost
}

// send counts a call. tokens has those of each block of its prompt.
func (l *line) send(prompt *provider.Prompt, tokens []float64, c Call) worth.Call {
	read, all := 0.0, 0.0
	blocks := l.cache.Call(prompt, l.at).Blocks
	for i, n := range tokens {
		if all += n; i < blocks {
			read += n
		}
	}
	counted := l.tariff.Call(int64(all+0.5), int64(read+0.5))
	c.Sent, c.Read, c.Written, c.Cost = counted.Sent, counted.Read, counted.Written, counted.Money
	if l.before != nil {
		shared := l.run.rules.Compare(l.before, prompt)
		c.Broke = !shared.Complete
		if c.Broke {
			c.Reasoning = shared.Reasoning
		}
	}
	l.before = prompt
	l.Sent, l.Read, l.Written = l.Sent+c.Sent, l.Read+c.Read, l.Written+c.Written
	l.last.sent, l.last.read = c.Sent, c.Read
	if c.Cost != nil {
		sum := l.spent() + *c.Cost
		l.Cost = &sum
	}
	if c.Broke {
		l.Breaks++
	}
	if most := l.policy.MaxTokens; most > 0 && c.Sent > int64(most) {
		l.Over++
	}
	l.Reasoning += c.Reasoning
	l.Removed += c.Removed
	if l.o.Calls {
		l.ByCall = append(l.ByCall, c)
	}
	return counted
}

// step sends a call of the run as a recorder that manages by the policy would: both ask the same function.
func (l *line) step(sent *request, cycle int64) error {
	q := sent.managed(l.calls[0])
	l.calls[0], l.calls[1] = l.calls[1], q
	if err := q.Follow(l.list); err != nil {
		return err
	}
	l.ledger.Begin(q, l.at)
	made, err := l.rules.Decide(l.ctx, l.list, q, l.ledger, func() bool { return false })
	if err != nil {
		return err
	}
	leave := 0
	for _, d := range made {
		if l.list.Add(d); d.What == manage.Ended || d.What == manage.Stopped {
			l.Ended = d.Why
		} else if d.Since != "" {
			leave++
		}
	}
	if err := q.Follow(l.list); err != nil {
		return err
	}
	again, _ := q.Again()
	l.Again = max(l.Again, again)
	sending := l.ledger.End(q, leave > 0)
	c := Call{Cycle: cycle}
	l.tokens = l.tokens[:0]
	for i := range q.Parts {
		if l.took(sent, &q.Parts[i], i) {
			c.Removed++
		}
		if d := q.Parts[i].Form(); d == nil || d.What != manage.Gone {
			l.tokens = append(l.tokens, l.sentAs(sent, &q.Parts[i], i))
		}
	}
	told := l.send(sending.Prompt(), l.tokens, c)
	l.ledger.Learn(sending, provider.Usage{In: &told.Sent, Cached: &told.Read, Written: &told.Written})
	return nil
}

// took notes what became of a part, and reports whether the policy has just taken it.
func (l *line) took(sent *request, p *manage.Part, i int) (gone bool) {
	id, d := sent.ids[i], p.Form()
	was := l.removed[id]
	delete(l.removed, id)
	_, short := l.shaped[id]
	delete(l.shaped, id)
	switch {
	case d == nil:
	case d.What == manage.Left || d.What == manage.Gone || d.What == manage.Cleared:
		l.removed[id] = true
		return !was
	default:
		l.shaped[id] = string(d.Text)
		if !short && !was {
			l.Shaped++
		}
	}
	return false
}

// sentAs returns the tokens of a part as it is sent: in proportion to those that the provider counted of it whole.
func (l *line) sentAs(sent *request, p *manage.Part, i int) float64 {
	d := p.Form()
	if d == nil {
		return sent.tokens[i]
	}
	text := provider.Cleared
	if d.What != manage.Cleared {
		content := p.Content()
		if text = content.Text; content.Kind != canon.KindString {
			text = string(content.Value())
		}
	}
	return l.meter.InPlaceOf(sent.sizes[i], perToken*int64(l.o.Counter.Count(text)))
}
