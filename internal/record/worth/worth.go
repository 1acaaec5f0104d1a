package worth

import (
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/lifecycle"
)

// Tariff is how a provider caches and charges the requests to one model.
type Tariff struct {
	Rules *provider.CacheRules
	Model string
	Money func(u *inspect.ProviderCache) float64 // what a call costs; nil if the model has no price
	Read  func(tokens int64) float64             // what it costs to read tokens from the cache
}

// Call is what a provider counts of a request: tokens sent, of these read from its cache and written to
// it, and money, nil without a price.
type Call struct {
	Sent    int64    `json:"sent"`
	Read    int64    `json:"read"`
	Written int64    `json:"written"`
	Money   *float64 `json:"money,omitempty"`
}

// Ends says up to how many of its tokens a request has the provider write its cache: up to its last marker, and up to the
// last one that asks for an hour; up to its end where the provider caches without markers.
type Ends struct{ Cached, Hour int64 }

// EndsOf reads a request. upTo returns the tokens of its first n blocks. Cost: linear in the markers.
func (t *Tariff) EndsOf(p *provider.Prompt, upTo func(n int) float64) (e Ends) {
	if !t.Rules.Marked {
		e.Cached = int64(upTo(len(p.Blocks)) + 0.5)
		return e
	}
	for i := len(p.Marks) - 1; i >= 0 && e.Hour == 0; i-- {
		at := int64(upTo(p.Marks[i].Block+1) + 0.5)
		if e.Cached = max(e.Cached, at); p.Marks[i].Lifetime == "1h" {
			e.Hour = at
		}
	}
	return e
}

// Call returns what a request counts of whose tokens the provider has some in its cache.
func (t *Tariff) Call(sent, read int64, e Ends) Call {
	c := Call{Sent: sent, Read: read}
	least := t.Rules.LeastTokens(t.Model)
	if c.Read < least {
		c.Read = 0
	}
	if step := t.Rules.Step; step > 1 {
		c.Read -= c.Read % step
	}
	if e.Cached = min(e.Cached, sent); e.Cached >= least {
		c.Written = max(0, e.Cached-c.Read)
	}
	if t.Money == nil {
		return c
	}
	told := &inspect.ProviderCache{In: &c.Sent, Read: &c.Read, Written: &c.Written}
	if hour := min(c.Written, e.Hour-c.Read); hour > 0 {
		told.Written1h = &hour
	}
	money := t.Money(told)
	c.Money = &money
	return c
}

// Spent is what a run has cost: as it is managed, before a call; as it would be without, up to and with
// that call.
type Spent struct {
	Calls            int64
	Managed, Without float64
}

// patience is the part of the calls so far, a sixth, that has to earn a cut back. Of 1, 3, 6 and 12 it
// cost least on made runs of 40 to 200 calls: a cut that waits for more to be due breaks the prefix less
// often.
const patience = 6

// Caches reports whether a request is long enough to be cached. A cut that leaves less is never worth
// it: later calls would read nothing.
func (t *Tariff) Caches(c Call) bool { return c.Sent >= t.Rules.LeastTokens(t.Model) }

// Pays reports whether a cut goes now, given what the call costs if all stays and if the cut is made: when
// that costs nothing, because nothing behind the cut is in the cache; or, with when pays, when the run has
// saved as much before as the cut costs, so that it is never dearer than without the policy, and few
// further calls earn it back.
func (t *Tariff) Pays(when lifecycle.When, keep, cut Call, s Spent) bool {
	if keep.Money == nil {
		return cut.Sent-cut.Read <= keep.Sent-keep.Read
	}
	extra := *cut.Money - *keep.Money
	if extra <= 0 {
		return true
	}
	if when == lifecycle.WhenCold || s.Managed+*cut.Money > s.Without {
		return false
	}
	return patience*extra <= float64(s.Calls)*t.Read(keep.Sent-cut.Sent)
}

// Add adds a call. Money stays nil once a call has none.
func (c *Call) Add(o Call) {
	first := *c == Call{}
	c.Sent, c.Read, c.Written = c.Sent+o.Sent, c.Read+o.Read, c.Written+o.Written
	switch {
	case o.Money == nil || !first && c.Money == nil:
		c.Money = nil
	case first:
		money := *o.Money
		c.Money = &money
	default:
		money := *c.Money + *o.Money
		c.Money = &money
	}
}
