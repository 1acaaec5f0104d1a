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
	report Report
	sent   string // SHA-256 of its thread as it was sent, "" before
}

// WithEdit makes edits part of the commit: both are published in one durable
// step, or neither.
func WithEdit(f func(*Batch) error) CallOption { return func(c *call) { c.edit = f } }

// WithPolicy prunes at this commit as a policy says (02 §7). One that limits
// tokens needs a context with a counter: see WithCounter.
func WithPolicy(p Policy) CallOption { return func(c *call) { c.policy = p } }

// WithPrune prunes these nodes at this commit: blocks outside cores and whole
// turns. What the rules protect is held back, and the report says why.
func WithPrune(ids ...string) CallOption {
	return func(c *call) { c.prune = append(c.prune, ids...) }
}

// WithRewrite takes sealed turns out at this commit, because what is sent now does
// not go on from them: earlier messages were rewritten, and what is still sent of
// them was added again. Unlike what WithPrune names, they go whatever their age,
// before the policy is looked at, and leave no stub. What is pinned, retained or
// referred to from elsewhere is held back all the same.
func WithRewrite(turns ...string) CallOption {
	return func(c *call) { c.rewrite = append(c.rewrite, turns...) }
}

// WithPruneSelect prunes what a selector selects in the working state as it is
// at this commit. Of that only blocks outside cores and whole turns can go; the
// rest is held back, and the report says so.
func WithPruneSelect(q *selector.Selector) CallOption {
	return func(c *call) { c.choose = append(c.choose, q) }
}

// Prepare expires, prunes and seals the working state without publishing it
// and returns the candidate: its thread is what to send to the model. Commit
// publishes exactly this candidate; an edit discards it. Of the options it
// takes those that prune. E_PLACEMENT_INVALID where a call would be sent without
// its result or a result without its call, unless the policy says otherwise.
func (c *Context) Prepare(ctx context.Context, opts ...CallOption) (*Snapshot, error) {
	k := c.call(opts)
	c.write.Lock()
	defer c.write.Unlock()
	s := c.state.Load()
	cand, err := c.candidate(ctx, s, s.Working, s.Stamps, k)
	if err != nil {
		return nil, err
	}
	next := *s
	next.candidate = cand
	c.state.Store(&next)
	return &Snapshot{tree: cand.sealed, edition: Edition(s.Edition), Report: &cand.report}, nil
}

// candidate applies the commit sequence (03 §7) up to publication.
func (c *Context) candidate(ctx context.Context, s *state, working *tree.Tree, stamps tree.Stamps, k call) (*candidate, error) {
	retained := c.retained()
	in, err := c.input(ctx, s, working, stamps, retained, k)
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
func (c *Context) input(ctx context.Context, s *state, working *tree.Tree, stamps tree.Stamps, retained map[string]bool, k call) (lifecycle.Input, error) {
	in := lifecycle.Input{
		Before: s.Head, Working: working, Stamps: stamps, Env: c.env(ctx, s),
		Policy: k.policy, Counter: c.counter, Prune: k.prune, Rewrite: k.rewrite,
		Retained: func(id string) bool { return retained[id] },
	}
	for _, q := range k.choose {
		ids, err := (&Snapshot{tree: working, edition: Edition(s.Edition)}).Select(ctx, q)
		if err != nil {
			return in, err
		}
		in.Chosen = append(in.Chosen, ids...)
	}
	var err error
	in.Idle, err = c.idle(ctx, s)
	return in, err
}

// idle returns the removable groups that the last commit left empty because
// something kept them. After opening a context they are read from its log.
func (c *Context) idle(ctx context.Context, s *state) ([]string, error) {
	if s.idle != nil || s.State.Cycle < s.First {
		return s.idle, nil
	}
	log, err := c.provenance(s).Log(ctx, s.State.Cycle, s.State.Cycle)
	if err != nil {
		return nil, err
	}
	return idleIn(log.Report(s.State.Cycle)), nil
}

// idleIn returns the groups that a commit left empty, never nil.
func idleIn(r *Report) []string {
	ids := []string{}
	if r == nil {
		return ids
	}
	for _, h := range r.Held {
		if h.Reason == lifecycle.Cascaded {
			ids = append(ids, h.ID)
		}
	}
	return ids
}

// Commit ends the cycle: it publishes the prepared candidate or, without one,
// expires, prunes and seals (03 §7) what the working state holds. The snapshot
// is durable before Commit returns. A failed commit leaves nothing behind.
// Cost: that of what changed, never of the length of the history.
func (c *Context) Commit(ctx context.Context, opts ...CallOption) (*Snapshot, error) {
	k := c.call(opts)
	c.write.Lock()
	defer c.write.Unlock()
	s := c.state.Load()
	if done, err := c.seen(ctx, s, k.request); err != nil {
		return nil, err
	} else if done != nil && done.Kind != store.Commit {
		return nil, fault.New(fault.Conflict, "the request "+k.request+" was an edit", "give every call a token of its own")
	} else if done != nil {
		return c.At(ctx, Cycle(done.Cycle))
	}
	working, stamps, cand := s.Working, s.Stamps, s.candidate
	if k.edit != nil {
		x := tree.Edit(ctx, working, s.Head, stamps, c.env(ctx, s))
		if err := k.edit(&Batch{ctx, x, Edition(s.Edition)}); err != nil {
			return nil, err
		}
		working, stamps, cand = x.Tree(), x.Stamps, nil
	}
	if cand != nil && k.prunes() {
		return nil, fixedCandidate()
	}
	if cand == nil {
		var err error
		if cand, err = c.candidate(ctx, s, working, stamps, k); err != nil {
			return nil, err
		}
	}
	change, err := cand.change(s.Working, k)
	if err != nil {
		return nil, err
	}
	if err := c.store.Apply(ctx, s.Key, guard(s), change); err != nil {
		return nil, err
	}
	next := state{State: s.State}
	next.Revision++
	next.State.Cycle, next.Stamps = cand.sealed.Cycle(), cand.stamps
	next.Head, next.Working, next.idle = cand.sealed, change.After, idleIn(&cand.report)
	next.past = []*tree.Tree{s.Head} // which an undo goes back to
	c.state.Store(&next)
	return &Snapshot{tree: cand.sealed, edition: Edition(s.Edition), Report: &cand.report}, nil
}

// change is the candidate as the store is told of it.
func (cand *candidate) change(before *tree.Tree, k call) (store.Change, error) {
	e := k.entry(cand.stamps)
	e.Cycle, e.Sent = cand.sealed.Cycle(), cand.sent
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
