package record

import (
	"context"
	"maps"
	"slices"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/record/provider"
)

// Follower answers [Prefixes] again and again for one context that grows, with the dialect of
// each call's API. It keeps the reports that can no longer change, and what the next call is
// compared with; its zero value has seen nothing. It is not safe for concurrent use, and must
// not be used again after something was erased from the context.
type Follower struct {
	Prices *Prices // for the costs of the calls, nil for none; set it before the first use

	done   follower
	list   []inspect.CallPrefix // of the calls before next
	next   int64                // the first cycle whose report may change; 0 before the first look
	failed bool                 // what done knows is not that of the calls before next
}

// Clone returns a copy that goes on by itself. Cost: the size of what it keeps.
func (f *Follower) Clone() *Follower {
	g := *f
	g.done, g.list = f.done.clone(), slices.Clip(f.list)
	return &g
}

// Next returns the first cycle whose report may still change: those of earlier cycles have been
// reported for good.
func (f *Follower) Next() int64 { return f.next }

// Prefixes is the function [Prefixes] for a context, opened later than the one that it was
// called with before. Cost: that of the calls whose reports were not final then.
func (f *Follower) Prefixes(ctx context.Context, c *pact.Context) ([]inspect.CallPrefix, error) {
	first, last := c.Info().First, c.Info().Cycle
	if f.next == 0 || f.failed {
		*f = Follower{Prices: f.Prices, done: *newFollower(), next: first}
	}
	attempts, err := c.Attempts(ctx, f.next, last+1)
	if err != nil {
		return nil, err
	}
	final := last // its answer is in the working state
	for _, a := range attempts {
		if a.Status == history.Running {
			final = min(final, a.Cycle)
		}
	}
	n := 0
	for n < len(attempts) && attempts[n].Cycle < final {
		n++
	}
	f.failed, f.done.prices = true, f.Prices
	f.done.begin(ctx, c)
	err = f.done.walk(attempts[:n], last, func(p inspect.CallPrefix) bool {
		f.list = append(f.list, p)
		return true
	})
	if err != nil {
		return nil, err
	}
	f.failed, f.next = false, max(f.next, final)
	rest := f.done.clone()
	rest.begin(ctx, c)
	list := slices.Clip(f.list)
	err = rest.walk(attempts[n:], last, func(p inspect.CallPrefix) bool {
		list = append(list, p)
		return true
	})
	f.done.contents, f.done.hashes = contents{}, nil
	return list, err
}

// begin sets the context of the next calls, and forgets the parsed contents.
func (w *follower) begin(ctx context.Context, c *pact.Context) {
	w.ctx, w.c, w.contents, w.hashes, w.records = ctx, c, contents{}, provider.Hashes{}, recordsOf(c)
	w.rebuilt = SourceOf(c.Working()).Rebuilt()
}

// clone copies the fields that a call changes.
func (w *follower) clone() follower {
	f := *w
	f.answers = maps.Clone(w.answers)
	f.left.of, f.left.cuts = maps.Clone(w.left.of), slices.Clone(w.left.cuts)
	f.caches = make(map[*provider.CacheRules]*provider.Cache, len(w.caches))
	for d, cache := range w.caches {
		f.caches[d] = cache.Clone()
	}
	return f
}
