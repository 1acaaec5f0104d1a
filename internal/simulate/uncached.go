package simulate

import (
	"fmt"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
)

// uncached adds up what a run would have read from the cache if its requests had asked for caching. Only recorded
// requests count, because a log that requests are rebuilt from has no markers.
type uncached struct {
	calls  int   // without a marker, whose provider counted nothing read and nothing written
	marked bool  // a call has a marker, or its provider read or wrote something
	before int64 // tokens of the call before
	again  int64 // tokens that repeat the call before
	fresh  int64 // tokens that would have been written
}

// add adds a call.
func (u *uncached) add(s *view.Step) {
	c := s.Call
	if c == nil || c.Markers == nil {
		return
	}
	p := c.Provider
	if *c.Markers > 0 || p == nil || p.In == nil || p.Read == nil || *p.Read > 0 || p.Written != nil && *p.Written > 0 {
		u.marked = u.marked || *c.Markers > 0 || p != nil && p.Read != nil && *p.Read > 0
		u.before = 0
		return
	}
	u.calls++
	same := int64(0)
	if c.Shared != nil && c.Cut == nil {
		same = min(u.before, *p.In)
	}
	u.again, u.fresh, u.before = u.again+same, u.fresh+*p.In-same, *p.In
}

// found returns the finding, none if a request asks for caching or too little is repeated to be cached.
func (u *uncached) found(r *Result, prices *record.Prices) []Finding {
	const least = 2 * 1024
	if u.marked || u.calls < 2 || u.again < least {
		return nil
	}
	found := Finding{What: NoCaching, Evidence: inspect.Computed, Tokens: &u.again, Says: fmt.Sprintf(
		"this program asks for no caching: none of its %s has a marker (seen), and %s that the call before had sent were paid in full",
		view.Plural(u.calls, "recorded request"), tokens(u.again))}
	if price, known := prices.Model(r.Model); known {
		cost := (float64(u.again)*(price.Input-price.CacheRead) - float64(u.fresh)*(price.CacheWrite-price.Input)) / record.Million
		if cost <= 0 {
			return nil
		}
		found.Cost = &cost
	}
	return []Finding{found}
}
