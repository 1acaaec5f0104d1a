package pact

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/address"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/provenance"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// Prepare expires, prunes and seals the working state without publishing the result. It returns this candidate for
// the next snapshot, whose thread is what to send to the model. [Context.Commit] then publishes exactly this
// candidate. An edit discards it; another Prepare replaces it. A call without its result or a result without its call
// is a warning in the report, unless the policy asks for more. Cost: that of [Context.Commit].
func (c *Context) Prepare(ctx context.Context, p *Pruning) (_ *Sealed, err error) {
	c.write.Lock()
	defer c.write.Unlock()
	s, err := c.current(ctx)
	if err != nil {
		return nil, err
	}
	cand, err := c.candidate(ctx, s, s.Working, s.Stamps, p)
	if err != nil {
		return nil, err
	}
	next := *s
	next.candidate = cand
	c.state.Store(&next)
	return cand.snapshot(s), nil
}

// candidate applies the commit sequence (03 §7) up to publication.
func (c *Context) candidate(ctx context.Context, s *state, working *tree.Tree, stamps tree.Stamps,
	p *Pruning) (*candidate, error) {
	retained := c.retained()
	in, err := c.input(ctx, s, working, stamps, retained, p)
	if err != nil {
		return nil, err
	}
	sealed, after, report, err := commit.Run(ctx, in)
	if err != nil {
		return nil, err
	}
	if len(retained) > 0 {
		report.Retained = slices.Sorted(maps.Keys(retained))
	}
	return &candidate{sealed: sealed, stamps: after, report: report}, nil
}

// input returns what a commit of a working state depends on.
func (c *Context) input(ctx context.Context, s *state, working *tree.Tree, stamps tree.Stamps, retained map[string]bool,
	pruning *Pruning) (in commit.Input, err error) {
	p := optionsOf(pruning)
	in = commit.Input{
		Before: s.Head, Working: working, Stamps: stamps, Env: c.env(ctx, s),
		Idle: s.Idle, Policy: p.Policy, Counter: c.counter, Prune: p.IDs, Rewrite: p.Rewrite,
		Retained: func(id string) bool { return retained[id] },
		At:       func(cycle int64) (*tree.Tree, error) { return engine.Snapshot(ctx, c.store, s.Key, cycle) },
	}
	if p.Policy.Empty() && !p.WithoutKept {
		kept, err := policyOf(working)
		if err != nil {
			return in, err
		}
		in.Policy = optionsOf(kept)
	}
	if in.Rules, err = c.compiled(in.Policy.Rules, s.Edition); err != nil {
		return in, err
	}
	for _, q := range p.Select {
		ids, err := s.show(working).Select(ctx, q, &SelectOptions{Edition: p.Edition})
		if err != nil {
			return in, err
		}
		in.Chosen = append(in.Chosen, ids...)
	}
	return in, nil
}

// Send writes the canonical thread of the candidate (02 §12), which it prepares if there is none, and remembers the
// SHA-256 of exactly these bytes. The commit that publishes the candidate records the hash in the log, and [Verify]
// checks the snapshot against it. An edit discards the hash with the candidate; sending again writes the same bytes.
// p applies to a candidate that Send prepares: it is E_CONFLICT to give one if a candidate is prepared already.
// E_CONFLICT also means that the candidate was discarded or published during the write.
func (c *Context) Send(ctx context.Context, w io.Writer, p *Pruning) (_ *Sealed, err error) {
	s, err := c.toSend(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := c.writeThread(ctx, w, s.candidate); err != nil {
		return nil, err
	}
	return s.candidate.snapshot(s), nil
}

// writeThread writes the thread of a candidate, and remembers with it the SHA-256 of these bytes.
func (c *Context) writeThread(ctx context.Context, w io.Writer, cand *candidate) error {
	h := sha256.New()
	if err := cand.sealed.WriteThread(ctx, io.MultiWriter(w, h)); err != nil {
		return err
	}
	c.write.Lock()
	defer c.write.Unlock()
	s := c.state.Load()
	if !s.prepares(cand) {
		return lostCandidate()
	}
	next, noted := *s, *cand
	noted.sent = hex.EncodeToString(h.Sum(nil))
	next.candidate = &noted
	c.state.Store(&next)
	return nil
}

// prepares reports whether a candidate is still the one that a commit would publish.
func (s *state) prepares(cand *candidate) bool {
	return s.candidate != nil && s.candidate.sealed == cand.sealed
}

// toSend returns a state with a candidate to send. It prepares one if there is none.
func (c *Context) toSend(ctx context.Context, p *Pruning) (*state, error) {
	s, err := c.current(ctx)
	if err != nil {
		return nil, err
	}
	if s.candidate != nil && !p.empty() {
		return nil, fixedCandidate()
	}
	if s.candidate == nil {
		if _, err := c.Prepare(ctx, p); err != nil {
			return nil, err
		}
		s = c.state.Load()
	}
	if s.candidate == nil {
		return nil, lostCandidate()
	}
	return s, nil
}

func fixedCandidate() error {
	return fault.New(fault.Conflict,
		"a candidate is prepared, and the commit has other options for pruning",
		"give the options to Prepare")
}

func lostCandidate() error {
	return fault.New(fault.Conflict, "the candidate was discarded or published while its thread was being written",
		"send the current candidate")
}

// PlanPruning returns what a commit with this pruning would remove, how much that would free and how much of the
// provider's cached prefix it would cost: at working the next commit of this context, even if a candidate is
// prepared, at a snapshot the first commit of a fork of it. It changes nothing and does not read the clock. Cost:
// that of preparing the commit twice; for a fork also reading that snapshot and the log entry that published it.
func (c *Context) PlanPruning(ctx context.Context, at Address, p *Pruning) (*inspect.PrunePlan, error) {
	s, err := c.current(ctx)
	if err != nil {
		return nil, err
	}
	if at.isWorking() {
		return c.plan(ctx, s, c.retained(), p)
	}
	cycle, err := address.Snapshot(string(at), s.Info.Info)
	if err != nil {
		return nil, err
	}
	fork := &state{State: s.State}
	if fork.Head, err = c.treeAt(ctx, s, Cycle(cycle)); err != nil {
		return nil, err
	}
	log, err := c.provenance(s).Log(ctx, cycle, cycle)
	if err != nil {
		return nil, err
	}
	published, _ := log.Publication(cycle)
	fork.State.Cycle, fork.Idle, fork.Stamps.Cycle = cycle, published.Idle, cycle+1
	fork.Working = fork.Head.WithCycle(fork.Stamps.Cycle)
	return c.plan(ctx, fork, nil, p)
}

func (c *Context) plan(ctx context.Context, s *state, retained map[string]bool, p *Pruning) (_ *inspect.PrunePlan,
	err error) {
	in, err := c.input(ctx, s, s.Working, s.Stamps, retained, p)
	if err != nil {
		return nil, err
	}
	in.Env.Clock = func() int64 { return math.MinInt64 } // every stamp is the last one plus 1
	after, _, report, err := commit.Run(ctx, in)
	if err != nil {
		return nil, err
	}
	report.Retained = slices.Sorted(maps.Keys(retained))
	in.Policy, in.Prune, in.Chosen = lifecycle.Policy{}, nil, nil
	before, _, _, err := commit.Run(ctx, in)
	if err != nil {
		return nil, err
	}
	plan := &inspect.PrunePlan{Cycle: s.Stamps.Cycle, Report: &report}
	if plan.Before, err = provenance.Weigh(ctx, before, c.counter); err != nil {
		return nil, err
	}
	if plan.After, err = provenance.Weigh(ctx, after, c.counter); err != nil || s.State.Cycle < s.First {
		return plan, err
	}
	plan.Cached, err = provenance.Cached(ctx, s.Head, before, after, c.counter)
	return plan, err
}
