package runs

import (
	"slices"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
)

// tokensOf returns what the provider counted of a request, nil if it did not.
func tokensOf(s *view.Step) *int64 {
	if s.Call == nil || s.Call.Provider == nil {
		return nil
	}
	return s.Call.Provider.In
}

// rate notes what it costs to read a token from the cache at a call.
func (l *ledger) rate(s *view.Step) {
	sum, missed := 0.0, 1
	if s.Call != nil {
		in := int64(1)
		if told := tokensOf(s); told != nil {
			in = max(in, *told)
		}
		if paid := l.prices.Paid(s.Call.Model, &inspect.ProviderCache{In: &in, Read: &in}); paid != nil {
			sum, missed = *paid/float64(in), 0
		}
	}
	if n := len(l.rates); n > 0 {
		sum, missed = sum+l.rates[n-1], missed+l.missed[n-1]
	}
	l.rates, l.missed = append(l.rates, sum), append(l.missed, missed)
}

// size says how many tokens the call before and this one have, and what the calls for a summary cost.
func (l *ledger) size(r *Rewrite, s *view.Step) error {
	r.Tokens = RewriteTokens{l.last, tokensOf(s), inspect.Counted}
	older := s.Before
	if l.older != nil {
		r.Tokens.Before, older, l.older = nil, l.older, nil
	}
	if r.Tokens.Before == nil || r.Tokens.After == nil {
		before, err := older.Tokens(l.ctx, l.tokens)
		if err != nil {
			return err
		}
		after, err := s.Now.Tokens(l.ctx, l.tokens)
		if err != nil {
			return err
		}
		r.Tokens = RewriteTokens{&before, &after, inspect.Computed}
	}
	if r.By != ByAgent {
		return nil
	}
	sum, priced := 0.0, true
	for _, i := range l.asides[l.before] {
		r.Price.Calls = append(r.Price.Calls, i.Name)
		c, err := pact.Open(l.ctx, l.db, i.Name, nil)
		if err != nil {
			return err
		}
		attempts, err := c.Attempts(l.ctx, l.before+1, i.Cycle)
		if err != nil {
			return err
		}
		for _, a := range attempts {
			told, err := record.ReportedCache(a)
			if err != nil {
				return err
			}
			paid := l.prices.Paid(a.Model, told)
			if priced = priced && paid != nil; priced {
				sum += *paid
			}
		}
	}
	if priced && len(r.Price.Calls) > 0 {
		r.Price.Summary = &sum
	}
	return nil
}

// save computes what the rewrites saved.
func (l *ledger) save() {
	agent, provider := len(l.rates), len(l.rates) // at which the next rewrite by them is
	for i := len(l.made.List) - 1; i >= 0; i-- {
		r, at := &l.made.List[i], l.starts[i]
		end := agent
		switch r.By {
		case ByAgent:
			agent = at
		case ByProvider:
			end, provider = min(end, provider), at
			if k, _ := slices.BinarySearch(l.ended, at+1); k < len(l.ended) {
				end = min(end, l.ended[k])
			}
		}
		r.Saved.Calls = end - at
		if r.Tokens.Before == nil || r.Tokens.After == nil {
			continue
		}
		each := max(0, *r.Tokens.Before-*r.Tokens.After)
		all, rate, missed := each*int64(end-at), l.rates[end-1], l.missed[end-1]
		if at > 0 {
			rate, missed = rate-l.rates[at-1], missed-l.missed[at-1]
		}
		if r.Saved.Tokens = &all; missed == 0 {
			cost := float64(each) * rate
			r.Saved.Cost = &cost
		}
	}
}
