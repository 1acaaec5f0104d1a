package pact

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// CommitOptions are the options of [Context.Commit]. A nil *CommitOptions is the zero
// CommitOptions.
type CommitOptions struct {
	Note
	// Edit, if not nil, makes edits part of the commit: both become durable in one step, or
	// neither does. A prepared candidate is discarded.
	Edit func(*Batch) error
	// Pruning says what to prune. It is E_CONFLICT if a candidate is prepared, because the
	// commit publishes that candidate as it is.
	Pruning *Pruning
}

// Commit ends the cycle and returns the new snapshot. It publishes the prepared
// candidate, if there is one; otherwise it expires, prunes and seals the nodes of the
// working state (03 §7). The snapshot is durable before Commit returns. A commit that
// fails leaves nothing behind. If another writer was faster, the error is E_CONFLICT with
// a [Conflict]. Cost: what changed, never the length of the history. In a process that
// renders no thread, one commit in some thousands also reads the context again, to free
// the memory of turns that the store can load on demand.
//
// Specification: 02 §8, 02 §8.1, 02 §8.3, 02 §8.5, 03 §2, 03 §2.1, 03 §2.2, 03 §2.4.
// Specification: 05 §2, 05 §2.1, 05 §2.1.1.
func (c *Context) Commit(ctx context.Context, opts *CommitOptions) (_ *Snapshot, err error) {
	defer tree.Recover(&err)
	o := orZero(opts)
	c.write.Lock()
	defer c.write.Unlock()
	s := c.state.Load()
	if done, err := c.seen(ctx, s, o.Request); err != nil {
		return nil, err
	} else if done != nil && done.Kind != store.Commit {
		return nil, fault.New(fault.Conflict, "the request token "+strconv.Quote(o.Request)+" belongs to an edit",
			"give every call a token of its own")
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
		working, stamps, cand = x.Draft(), x.Stamps, nil // nobody else reads this tree
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
	next.past = []*tree.Tree{s.Head} // an undo goes back to it
	c.state.Store(&next)
	c.settle(ctx, s.Head, cand.sealed)
	return &Snapshot{tree: cand.sealed, edition: selector.Edition(s.Edition), Report: &cand.report}, nil
}

// commitAgain returns a function that repeats a commit, because another writer was
// faster, once the context was read again.
func (c *Context) commitAgain(s *state, opts *CommitOptions) func(context.Context) (*Snapshot, error) {
	return func(ctx context.Context) (*Snapshot, error) {
		if opts != nil && opts.Edit != nil {
			return c.Commit(ctx, opts)
		}
		if s.candidate != nil {
			return nil, fault.New(fault.Conflict, "the prepared candidate is not what this commit would publish",
				"prepare a new candidate and send it")
		}
		if c.state.Load().State.Cycle != s.State.Cycle {
			return nil, fault.New(fault.Conflict, "another writer has committed the drafts of this cycle",
				"read the context again, and decide whether there is more to commit")
		}
		return c.Commit(ctx, opts)
	}
}

// change describes the candidate for the store.
func (cand *candidate) change(before *tree.Tree, e store.Entry) (store.Change, error) {
	e.Cycle, e.Sent, e.Idle = cand.sealed.Cycle(), cand.sent, cand.report.Idle()
	report, err := json.Marshal(cand.report)
	if err != nil {
		return store.Change{}, fault.Wrap(fault.Store, err, "the report of the commit cannot be encoded", "")
	}
	if string(report) != "{}" {
		e.Report = report
	}
	return store.Change{
		Before: before, After: cand.sealed.WithCycle(cand.stamps.Cycle), Sealed: cand.sealed,
		Stamps: cand.stamps, Entry: e,
	}, nil
}
