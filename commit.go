package pact

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/provenance"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// CommitOptions are the options of [Context.Commit].
type CommitOptions struct {
	Note
	// Edit, if not nil, makes edits part of the commit: both become durable in one step, or
	// neither does. A prepared candidate is discarded.
	Edit func(*Batch) error
	// Pruning says what to prune. It is E_CONFLICT if a candidate is prepared, because the
	// commit publishes that candidate as it is.
	Pruning *Pruning
	// End, if not nil, ends an attempt as [Context.EndAttempt] does, in the same durable step.
	End *Outcome
	// Next, if not nil, edits the working state of the next cycle, in the same durable step.
	Next        func(*Batch) error
	NextMessage string // of the log entry of Next
}

// Commit ends the cycle and returns the new snapshot. It publishes the prepared candidate, if there is one; otherwise
// it expires, prunes and seals the nodes of the working state (03 §7). The snapshot is durable before Commit returns.
// A commit that fails leaves nothing behind. If another writer was faster, the error is E_CONFLICT with a [Conflict].
// Cost: what changed, never the length of the history; where a limit is exceeded also a look at all that may help it,
// 0.1 to 0.2 µs a node. In a process that renders no thread, one commit in some thousands also reads the context
// again, to free the memory of turns that the store can load on demand.
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
		x, err := c.edited(ctx, s, working, s.Head, stamps, o.Edit)
		if err != nil {
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
	next, err := c.apply(ctx, s, changes...)
	if err != nil {
		return nil, c.lost(ctx, s, err, c.commitAgain(s, opts))
	}
	c.state.Store(next)
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
		end, err := ended(*o.End, c.clock())
		if err != nil {
			return nil, err
		}
		commit.Attempt = &end
	}
	if o.Next == nil {
		return []engine.Change{commit}, nil
	}
	x, err := c.edited(ctx, s, commit.After, commit.Sealed, commit.Stamps, o.Next)
	if err != nil {
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
		return engine.Change{}, fault.Wrap(fault.Store, err, "the report of the commit cannot be encoded",
			"report it as a fault of the library")
	}
	if string(report) != "{}" {
		e.Report = report
	}
	return engine.Change{
		Before: s.Working, After: cand.sealed.WithCycle(cand.stamps.Cycle), Sealed: cand.sealed,
		Stamps: cand.stamps, Entry: e,
	}, nil
}

// Conflict says what other writers did to a context since an edit or a commit last saw it. That call changed nothing.
// [errors.As] finds the Conflict in the E_CONFLICT that the call returns. Call Rebase to repeat the call on what is
// there now, or drop it. Nothing is merged automatically.
type Conflict struct {
	// Meanwhile are the log entries that the call did not know, oldest first, at most 100:
	// the edits and commits, who made them and why.
	Meanwhile []history.Entry
	More      bool // whether the log has later entries than these

	context *Context
	again   func(context.Context) (*Sealed, error)
}

// maxMeanwhile bounds the entries in an error: a person reads no more.
const maxMeanwhile = 100

// Error says what the first few of the other writers did.
func (l *Conflict) Error() string {
	const named = 3
	var list []string
	for _, e := range l.Meanwhile[:min(named, len(l.Meanwhile))] {
		text := "revision " + strconv.FormatInt(e.Revision, 10) + ", " + string(e.Kind) + " of cycle " +
			strconv.FormatInt(e.Cycle, 10)
		if e.Actor != "" {
			text += " by " + e.Actor
		}
		if e.Message != "" {
			text += ": " + strconv.Quote(e.Message)
		}
		list = append(list, text)
	}
	if l.More || len(l.Meanwhile) > named {
		list = append(list, "and more")
	}
	return "meanwhile " + strings.Join(list, "; ")
}

// Rebase reads the context again, as [Context.Refresh] does, and repeats the call: the
// function that edits runs once more and sees what is there now, and every rule is checked
// again. It returns the snapshot if the call was a commit, nil if it was an edit.
//
// It changes nothing and returns E_CONFLICT in three cases: another writer was faster again (with a new Conflict);
// the call was to publish a prepared candidate, because the thread that was sent is not the one that would be
// committed now; or the call was a commit without a function that edits, and another writer has committed its drafts.
func (l *Conflict) Rebase(ctx context.Context) (_ *Sealed, err error) {
	if err := l.context.Refresh(ctx); err != nil {
		return nil, err
	}
	return l.again(ctx)
}

// lost adds to the E_CONFLICT of a change what others did since s was read. It returns any other error as it is.
func (c *Context) lost(ctx context.Context, s *state, err error, again func(context.Context) (*Sealed, error)) error {
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.Conflict {
		return err
	}
	list, failed := c.store.Log(ctx, s.Key, s.Revision+1, s.Revision+maxMeanwhile+1)
	if failed != nil || len(list) == 0 { // no other writer was here: the request is in the log already
		return err
	}
	told := *f
	told.Err = &Conflict{
		Meanwhile: list[:min(len(list), maxMeanwhile)], More: len(list) > maxMeanwhile, context: c, again: again,
	}
	return &told
}

// A context lets go of the turns that no call asks for when its commits have added so much to memory: this many
// turns, or this many bytes of rendered blocks and enough turns that the store has a checkpoint that leads to most of
// them. Reading the context again costs a few milliseconds, which all these commits share.
const (
	settleTurns = 1536
	settleBytes = 16 << 20
	settleAfter = 256
)

// recentTurns is how many of the newest turns show whether the program renders or measures the thread.
const recentTurns = 64

// settle notes a commit and, once enough commits have come together, reads the context again. Then turns that the
// store loads on demand leave memory, except in snapshots that the program holds. If it renders or measures threads
// again and again, everything stays, because it would have to be rendered anew. If the state cannot be read, or
// another writer made it, nothing changes.
func (c *Context) settle(ctx context.Context, before, now *tree.Tree) {
	s := &c.settling
	s.turns++
	s.bytes += now.Root().Summary().Bytes - before.Root().Summary().Bytes
	s.due = max(s.due, settleTurns)
	if s.turns < s.due && (s.bytes < settleBytes || s.turns < settleAfter*(s.due/settleTurns)) {
		return
	}
	due := s.due
	*s = settling{due: due}
	if now.CachesRecent(recentTurns) {
		return
	}
	state := c.state.Load()
	loaded, err := c.store.Load(ctx, state.Key)
	if err != nil || loaded.Revision != state.Revision || loaded.Erasures != state.Erasures {
		return
	}
	if !loaded.Head.OnDemand() {
		s.due = 2 * due // the store has no checkpoint: the next try costs as much
		return
	}
	next := *state
	next.State = *loaded
	c.state.CompareAndSwap(state, &next) // if it fails, a reader has loaded the state after an erasure
}

func guard(s *state) engine.Guard { return engine.Guard{Cycle: s.State.Cycle, Revision: s.Revision} }

// apply makes changes of a state durable, and returns the state that they leave.
func (c *Context) apply(ctx context.Context, s *state, changes ...engine.Change) (*state, error) {
	if err := c.store.Apply(ctx, s.Key, guard(s), changes...); err != nil {
		return nil, err
	}
	return &state{State: s.State.After(changes...)}, nil
}

// seen returns the log entry of a request that was carried out before, nil if there is
// none. If another process carried it out, seen loads the state that this left.
func (c *Context) seen(ctx context.Context, s *state, token string) (*history.Entry, error) {
	if token == "" {
		return nil, nil
	}
	e, err := c.store.Request(ctx, s.Key, token)
	if e == nil || err != nil || e.Revision <= s.Revision {
		return e, err
	}
	loaded, err := c.load(ctx, s.Key)
	if err != nil {
		return nil, err
	}
	c.state.Store(loaded)
	return e, nil
}
