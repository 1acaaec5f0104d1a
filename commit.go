package pact

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/provenance"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
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
	// End, if not nil, ends an attempt as [Context.EndAttempt] does, in the same durable step.
	End *AttemptEnd
	// Next, if not nil, edits the working state of the next cycle, in the same durable step.
	Next        func(*Batch) error
	NextMessage string // of the log entry of Next
}

// AttemptEnd says which attempt ended, and how.
type AttemptEnd struct {
	ID string
	Outcome
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
func (c *Context) Commit(ctx context.Context, opts *CommitOptions) (_ *Sealed, err error) {
	o := optionsOf(opts)
	c.write.Lock()
	defer c.write.Unlock()
	s := c.state.Load()
	if done, err := c.seen(ctx, s, o.Request); err != nil {
		return nil, err
	} else if done != nil && done.Kind != history.Commit {
		return nil, fault.New(fault.Conflict, "the request token "+strconv.Quote(o.Request)+" belongs to an edit",
			"give every call a token of its own")
	} else if done != nil {
		return c.repeated(ctx, done)
	}
	working, stamps, cand := s.Working, s.Stamps, s.candidate
	if o.Edit != nil {
		x := tree.Edit(ctx, working, s.Head, stamps, c.env(ctx, s))
		b := Batch{ctx: ctx, editor: x, edition: selector.Edition(s.Edition)}
		if err := b.run(o.Edit); err != nil {
			return nil, err
		}
		working, stamps, cand = x.Draft(), x.Stamps, nil // no reader has this tree
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
	change, err := cand.change(ctx, s, c.entry(&o.Note, cand.stamps))
	if err != nil {
		return nil, err
	}
	changes, err := c.withNext(ctx, s, change, &o)
	if err != nil {
		return nil, err
	}
	if err := c.store.Apply(ctx, s.Key, guard(s), changes...); err != nil {
		return nil, c.lost(ctx, s, err, c.commitAgain(s, opts))
	}
	next := state{State: s.State}
	next.Revision += int64(len(changes))
	next.State.Cycle, next.Head, next.Idle = cand.sealed.Cycle(), cand.sealed, change.Entry.Idle
	last := &changes[len(changes)-1]
	next.Working, next.Stamps = last.After, last.Stamps
	next.past = []*tree.Tree{s.Head} // an undo goes back to it
	c.state.Store(&next)
	c.settle(ctx, s.Head, cand.sealed)
	return cand.snapshot(s), nil
}

// repeated returns the snapshot that the commit of a log entry published.
func (c *Context) repeated(ctx context.Context, done *history.Entry) (*Sealed, error) {
	s, err := c.At(ctx, Cycle(done.Cycle))
	if err != nil {
		return nil, err
	}
	sealed := &Sealed{Snapshot: s, Report: &lifecycle.Report{}, Repeated: true}
	if len(done.Report) > 0 {
		err = json.Unmarshal(done.Report, sealed.Report)
	}
	if err != nil {
		return nil, fault.Wrap(fault.Store, err, "the log has a damaged report of this commit", "verify the context")
	}
	return sealed, nil
}

// snapshot returns the candidate of a state as callers see it.
func (cand *candidate) snapshot(s *state) *Sealed {
	return &Sealed{Snapshot: s.show(cand.sealed), Report: &cand.report}
}

// withNext adds to a commit the end of an attempt and the edits of the next cycle.
func (c *Context) withNext(ctx context.Context, s *state, commit engine.Change, o *CommitOptions) ([]engine.Change,
	error) {
	if o.End != nil {
		end, err := ended(o.End.ID, o.End.Outcome, c.clock())
		if err != nil {
			return nil, err
		}
		commit.Attempt = &end
	}
	if o.Next == nil {
		return []engine.Change{commit}, nil
	}
	x := tree.Edit(ctx, commit.After, commit.Sealed, commit.Stamps, c.env(ctx, s))
	b := Batch{ctx: ctx, editor: x, edition: selector.Edition(s.Edition)}
	if err := b.run(o.Next); err != nil {
		return nil, err
	}
	after := x.Tree()
	if after.Digest() == commit.After.Digest() {
		return []engine.Change{commit}, nil
	}
	note := Note{Actor: o.Actor, Message: o.NextMessage}
	return []engine.Change{commit, {Before: commit.After, After: after, Stamps: x.Stamps, Entry: c.entry(&note, x.Stamps)}},
		nil
}

// commitAgain returns a function that repeats a commit, because another writer was
// faster, once the context was read again.
func (c *Context) commitAgain(s *state, opts *CommitOptions) func(context.Context) (*Sealed, error) {
	return func(ctx context.Context) (*Sealed, error) {
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

// change describes the candidate of a state for the store.
func (cand *candidate) change(ctx context.Context, s *state, e history.Entry) (_ engine.Change, err error) {
	e.Cycle, e.Sent, e.Idle = cand.sealed.Cycle(), cand.sent, commit.Idle(&cand.report)
	if e.Anew, err = provenance.SentAnew(ctx, s.Head, cand.sealed); err != nil {
		return engine.Change{}, err
	}
	report, err := json.Marshal(cand.report)
	if err != nil {
		return engine.Change{}, fault.Wrap(fault.Store, err, "the report of the commit cannot be encoded", "")
	}
	if string(report) != "{}" {
		e.Report = report
	}
	return engine.Change{
		Before: s.Working, After: cand.sealed.WithCycle(cand.stamps.Cycle), Sealed: cand.sealed,
		Stamps: cand.stamps, Entry: e,
	}, nil
}
