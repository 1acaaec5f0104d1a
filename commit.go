package pact

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// candidate is a cycle that was expired, pruned and sealed but not published.
type candidate struct {
	sealed *tree.Tree
	stamps tree.Stamps
	report lifecycle.Report
	sent   string // SHA-256 of its thread as it was sent, "" before
}

// Prepare expires, prunes and seals the working state without publishing it
// and returns the candidate: its thread is what to send to the model. Commit
// publishes exactly this candidate; an edit discards it, and preparing again
// makes another one. E_PLACEMENT_INVALID where a call would be sent without its
// result or a result without its call, unless the policy says otherwise. Cost:
// that of what changed, never of the length of the history.
func (c *Context) Prepare(ctx context.Context, p *Pruning) (*Snapshot, error) {
	c.write.Lock()
	defer c.write.Unlock()
	s := c.state.Load()
	cand, err := c.candidate(ctx, s, s.Working, s.Stamps, p)
	if err != nil {
		return nil, err
	}
	next := *s
	next.candidate = cand
	c.state.Store(&next)
	return &Snapshot{tree: cand.sealed, edition: selector.Edition(s.Edition), Report: &cand.report}, nil
}

// candidate applies the commit sequence (03 §7) up to publication.
func (c *Context) candidate(ctx context.Context, s *state, working *tree.Tree, stamps tree.Stamps, p *Pruning) (*candidate, error) {
	retained := c.retained()
	in, err := c.input(ctx, s, working, stamps, retained, p)
	if err != nil {
		return nil, err
	}
	sealed, after, report, err := lifecycle.Commit(ctx, in)
	if err != nil {
		return nil, err
	}
	report.Retained = slices.Sorted(maps.Keys(retained))
	return &candidate{sealed: sealed, stamps: after, report: report}, nil
}

// input is what a commit of a working state depends on.
func (c *Context) input(ctx context.Context, s *state, working *tree.Tree, stamps tree.Stamps, retained map[string]bool, pruning *Pruning) (lifecycle.Input, error) {
	p := orZero(pruning)
	in := lifecycle.Input{
		Before: s.Head, Working: working, Stamps: stamps, Env: c.env(ctx, s),
		Idle: s.Idle, Policy: p.Policy, Counter: c.counter, Prune: p.IDs, Rewrite: p.Rewrite,
		Retained: func(id string) bool { return retained[id] },
	}
	for _, text := range p.Select {
		ids, err := (&Snapshot{tree: working, edition: selector.Edition(s.Edition)}).Select(ctx, text, nil)
		if err != nil {
			return in, err
		}
		in.Chosen = append(in.Chosen, ids...)
	}
	return in, nil
}

// Commit ends the cycle: it publishes the prepared candidate or, without one,
// expires, prunes and seals (03 §7) what the working state holds. The snapshot
// is durable before Commit returns. A failed commit leaves nothing behind; where
// another writer was faster, its E_CONFLICT has a [Conflict].
// Cost: that of what changed, never of the length of the history.
func (c *Context) Commit(ctx context.Context, opts *CommitOptions) (*Snapshot, error) {
	o := orZero(opts)
	c.write.Lock()
	defer c.write.Unlock()
	s := c.state.Load()
	if done, err := c.seen(ctx, s, o.Request); err != nil {
		return nil, err
	} else if done != nil && done.Kind != store.Commit {
		return nil, fault.New(fault.Conflict, "the request "+o.Request+" was an edit", "give every call a token of its own")
	} else if done != nil {
		return c.At(ctx, Cycle(done.Cycle))
	}
	working, stamps, cand := s.Working, s.Stamps, s.candidate
	if o.Edit != nil {
		x := tree.Edit(ctx, working, s.Head, stamps, c.env(ctx, s))
		b := Batch{ctx: ctx, editor: x, edition: selector.Edition(s.Edition)}
		if err := b.run(o.Edit); err != nil {
			return nil, err
		}
		working, stamps, cand = x.Tree(), x.Stamps, nil
	}
	if cand != nil && !o.Pruning.empty() {
		return nil, fixedCandidate()
	}
	if cand == nil {
		var err error
		if cand, err = c.candidate(ctx, s, working, stamps, o.Pruning); err != nil {
			return nil, err
		}
	}
	change, err := cand.change(s.Working, c.entry(&o.Note, cand.stamps))
	if err != nil {
		return nil, err
	}
	if err := c.store.Apply(ctx, s.Key, guard(s), change); err != nil {
		return nil, c.lost(ctx, s, err, c.commitAgain(s, opts))
	}
	next := state{State: s.State}
	next.Revision++
	next.State.Cycle, next.Stamps = cand.sealed.Cycle(), cand.stamps
	next.Head, next.Working, next.Idle = cand.sealed, change.After, change.Entry.Idle
	next.past = []*tree.Tree{s.Head} // which an undo goes back to
	c.state.Store(&next)
	return &Snapshot{tree: cand.sealed, edition: selector.Edition(s.Edition), Report: &cand.report}, nil
}

// change is the candidate as the store is told of it.
func (cand *candidate) change(before *tree.Tree, e store.Entry) (store.Change, error) {
	e.Cycle, e.Sent, e.Idle = cand.sealed.Cycle(), cand.sent, cand.report.Idle()
	report, err := json.Marshal(cand.report)
	if err != nil {
		return store.Change{}, fault.Wrap(fault.Store, err, "the report of the commit cannot be written", "")
	}
	if string(report) != "{}" {
		e.Report = report
	}
	return store.Change{
		Before: before, After: cand.sealed.WithCycle(cand.stamps.Cycle), Sealed: cand.sealed,
		Stamps: cand.stamps, Entry: e,
	}, nil
}
