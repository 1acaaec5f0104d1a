package view

import (
	"context"
	"iter"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/prices"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/record"
)

// Step is one call of a run: how its thread and its request compare with the call before, what the provider counted,
// what was paid, and what broke.
type Step struct {
	inspect.Prefix
	Broke *CacheBreak `json:"broke,omitempty" doc:"Absent if nothing broke"`
	// Before and Now are the snapshots of the call before, nil for the first, and of this one; nil unless asked for.
	Before, Now *pact.Snapshot `json:"-"`
}

// Changes are what a call brought beside the call before: all of its nodes for the first call.
type Changes struct {
	Added   []*tree.Entry // that the call before lacks, in document order
	Changed []*tree.Entry // whose contents differ
	Gone    []string
	Differ  int // nodes of both that differ in anything but the time that they have left
}

// Changes compares the snapshots of a step, which must have them. Cost: what differs.
func (s *Step) Changes() (c Changes, err error) {
	now := tree.Of(s.Now)
	if s.Before == nil {
		for e, err := range now.All() {
			if err != nil {
				return Changes{}, err
			}
			c.Added = append(c.Added, e.Entry)
		}
		return c, nil
	}
	// as of one cycle: the time that nodes have left differs in each call in all that have a ttl
	differences, err := tree.Differences(tree.Of(s.Before).WithCycle(now.Cycle()), now)
	if err != nil {
		return Changes{}, err
	}
	for _, d := range differences {
		if d.New == nil {
			c.Gone = append(c.Gone, d.Old.ID)
			continue
		}
		if d.Old != nil {
			if c.Differ++; d.Old.SameContent(d.New) {
				continue
			}
		}
		e, err := now.Entry(d.New.ID)
		switch {
		case err != nil:
			return Changes{}, err
		case d.Old == nil:
			c.Added = append(c.Added, e)
		default:
			c.Changed = append(c.Changed, e)
		}
	}
	return c, nil
}

// WalkOptions say how to walk over a run.
type WalkOptions struct {
	Dialect   string         // by whose rules requests are compared, "" for those of the API that was called
	Prices    *record.Prices // nil for the built-in ones
	Snapshots bool           // also yield the snapshots
}

// Walk yields the calls of a context between two addresses, oldest first; an error ends it. Everything that reports
// on calls goes over them with it. E_SNAPSHOT_NOT_FOUND if there is no snapshot at an address, and the errors of
// [record.Prefixes]. Cost: that of [pact.Context.Prefixes] and [record.Prefixes], with snapshots that of their history.
func Walk(ctx context.Context, c *pact.Context, from, to pact.Address, o WalkOptions) iter.Seq2[*Step, error] {
	return func(yield func(*Step, error) bool) {
		list := o.Prices
		if list == nil {
			list = prices.BuiltIn()
		}
		a, b, err := cyclesAt(c, from, to)
		if err != nil {
			yield(nil, err)
			return
		}
		next, stop := iter.Pull2(record.Prefixes(ctx, c, a, b, o.Dialect, list))
		defer stop()
		call, failed, more := next()
		walk(ctx, c, from, to, o.Snapshots, func(cycle int64) (*inspect.CallPrefix, error) {
			for more && failed == nil && call.Cycle < cycle {
				call, failed, more = next()
			}
			if failed != nil || !more || call.Cycle != cycle {
				return nil, failed
			}
			p := call
			return &p, nil
		}, yield)
	}
}

// walk is Walk with the reports on recorded calls, asked for in the order of their cycles.
func walk(ctx context.Context, c *pact.Context, from, to pact.Address, snapshots bool,
	told func(cycle int64) (*inspect.CallPrefix, error), yield func(*Step, error) bool) {
	var before *pact.Snapshot
	history := func() (*pact.Snapshot, error, bool) { return nil, nil, false }
	if snapshots {
		next, stop := iter.Pull2(historyBefore(ctx, c, from, to))
		defer stop()
		history = next
	}
	for p, err := range c.Prefixes(ctx, from, to) {
		s := &Step{Prefix: p}
		if err == nil {
			s.Call, err = told(p.Cycle)
		}
		for err == nil && snapshots && s.Now == nil {
			var now *pact.Snapshot
			if now, err, _ = history(); err != nil || now == nil {
				break
			}
			if now.Cycle() == p.Cycle {
				s.Before, s.Now = before, now
			}
			before = now
		}
		if err != nil {
			yield(nil, err)
			return
		}
		s.Broke = CacheBreakOf(&s.Prefix)
		if !yield(s, nil) {
			return
		}
	}
}

// historyBefore yields the snapshots between two addresses, and the one before the first of them.
func historyBefore(ctx context.Context, c *pact.Context, from, to pact.Address) iter.Seq2[*pact.Snapshot, error] {
	return func(yield func(*pact.Snapshot, error) bool) {
		a, b, err := cyclesAt(c, from, to)
		if err != nil {
			yield(nil, err)
			return
		}
		first := c.Info().First
		for s, err := range c.History(ctx, pact.Cycle(max(first, a-1)), pact.Cycle(b)) {
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}

// cyclesAt returns the cycles at two addresses, the earlier first.
func cyclesAt(c *pact.Context, from, to pact.Address) (first, last int64, err error) {
	if first, err = c.CycleAt(from); err == nil {
		last, err = c.CycleAt(to)
	}
	return min(first, last), max(first, last), err
}
