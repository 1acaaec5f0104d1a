package view

import (
	"strconv"

	"github.com/contexttree/pact/inspect"
)

// Totals sum up what providers counted of some calls, all attempts of each, and what that cost.
type Totals struct {
	Calls   int   `json:"calls"`
	Counted int   `json:"counted"` // calls whose tokens a provider counted
	Told    int   `json:"told"`    // of these, calls of which it also said how many tokens came from its cache
	In      int64 `json:"tokens_in"`
	Out     int64 `json:"tokens_out"`
	Read    int64 `json:"read"`    // of In, from the cache
	Written int64 `json:"written"` // of In, to the cache
	Priced  int   `json:"priced"`  // calls whose cost is known
	// Paid is the counts of the provider at the prices of AsOf, nil if the cost of no call is known.
	Paid      *float64 `json:"paid,omitempty"`
	BreakCost float64  `json:"lost,omitempty"`  // of Paid, what breaks of the cache cost
	Again     int64    `json:"again,omitempty"` // tokens that breaks of the cache had sent again
	Currency  string   `json:"currency,omitempty"`
}

// IsZero reports whether no tokens were counted.
func (t Totals) IsZero() bool { return t.Counted == 0 }

// Add adds a call.
func (t *Totals) Add(s *Step) {
	t.Calls++
	c := s.Call
	if c == nil {
		return
	}
	if u := c.Provider; u != nil && u.In != nil {
		t.Counted++
		if u.Read != nil {
			t.Told++
		}
		t.count(u)
	}
	for i := range c.Earlier {
		t.count(&c.Earlier[i])
	}
	if c.CacheBreak != nil {
		t.Again += c.CacheBreak.Again
	}
	if c.Cost == nil {
		return
	}
	sum := c.Cost.Paid
	if t.Paid != nil {
		sum += *t.Paid
	}
	t.Priced, t.Paid, t.Currency = t.Priced+1, &sum, c.Cost.Currency
	if c.Cost.BreakCost != nil {
		t.BreakCost += *c.Cost.BreakCost
	}
}

func (t *Totals) count(u *inspect.ProviderCache) {
	for _, one := range []struct{ sum, of *int64 }{{&t.In, u.In}, {&t.Out, u.Out}, {&t.Read, u.Read}, {&t.Written, u.Written}} {
		if one.of != nil {
			*one.sum += *one.of
		}
	}
}

// FromCache says how many of the tokens of some calls came from the cache, if told of them say it.
func FromCache(read int64, told, calls int) string {
	n := strconv.FormatInt(read, 10)
	switch {
	case told == 0:
		n = "an unknown part"
	case told < calls:
		n = "at least " + n
	}
	return n + " of them read from the cache"
}
