package pact

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/provenance"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// PlanPruning returns what a commit with this pruning would remove, how much that would
// free and how much of the provider's cached prefix it would cost. It changes nothing and
// does not read the clock. It plans for the working state, even if a candidate is prepared.
// Cost: that of preparing the commit twice.
func (c *Context) PlanPruning(ctx context.Context, p *Pruning) (*inspect.PrunePlan, error) {
	s, err := c.current(ctx)
	if err != nil {
		return nil, err
	}
	return c.plan(ctx, s, c.retained(), p)
}

// PlanFork returns what PlanPruning would return for a fork of this context at a snapshot.
// Cost: also reading that snapshot and the log entry that published it.
func (c *Context) PlanFork(ctx context.Context, at Address, p *Pruning) (_ *inspect.PrunePlan, err error) {
	s := c.state.Load()
	cycle, err := at.cycle(s.Info)
	if err != nil {
		return nil, err
	}
	fork := &state{State: s.State}
	if fork.Head, err = c.treeAt(ctx, s, Cycle(cycle)); err != nil {
		return nil, err
	}
	log, err := provenance.LogOf(c.Log(ctx, 0))
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
	if plan.Before, err = c.weight(ctx, before); err != nil {
		return nil, err
	}
	if plan.After, err = c.weight(ctx, after); err != nil || s.State.Cycle < s.First {
		return plan, err
	}
	if plan.Cached, err = cachedPrefix(ctx, s.Head, before, after); err == nil && c.counter != nil {
		err = countLost(ctx, plan.Cached, s.Head, before, c.counter)
	}
	return plan, err
}

func (c *Context) weight(ctx context.Context, t *tree.Tree) (w inspect.Weight, err error) {
	sum := t.Root().Summary()
	w = inspect.Weight{Nodes: sum.Blocks + sum.Containers, Turns: t.Region(tree.Seq).Children().Len()}
	w.Blocks, w.Bytes = t.ThreadSize()
	if c.counter != nil {
		w.Tokens, err = tree.Tokens(c.counter).Sum(ctx, t.Root())
	}
	return w, err
}

func cachedPrefix(ctx context.Context, last, without, with *tree.Tree) (*inspect.CachedPrefix, error) {
	before, err := provenance.SharedPrefix(ctx, last, without)
	if err != nil {
		return nil, err
	}
	after, err := provenance.SharedPrefix(ctx, last, with)
	if err != nil {
		return nil, err
	}
	lost := max(0, before.Bytes-after.Bytes) // if pruning takes all that is new, the closing bracket is shared too
	cached := &inspect.CachedPrefix{Without: before.Bytes, With: after.Bytes, Lost: lost, Shared: after}
	if before.Blocks > after.Blocks {
		for b, err := range with.Blocks(after.Blocks) {
			if err != nil {
				return nil, err
			}
			if b.Node().Kind != "thinking" {
				continue
			}
			if has, err := last.Has(b.Node().ID); err != nil {
				return nil, err
			} else if has {
				cached.Reasoning++
			}
		}
	}
	return cached, nil
}

// countLost counts the tokens of the blocks that only the thread without pruning still
// shares with the last one.
func countLost(ctx context.Context, cached *inspect.CachedPrefix, last, without *tree.Tree,
	counter Counter) error {
	n, err := tree.CommonBlocks(ctx, last, without)
	if err != nil || n <= cached.Shared.Blocks {
		return err
	}
	measure, left := tree.Tokens(counter), n-cached.Shared.Blocks
	for b, err := range last.Blocks(cached.Shared.Blocks) {
		if err != nil {
			return err
		}
		tokens, err := measure.Own(ctx, b.Entry)
		cached.LostTokens += tokens
		if left--; err != nil || left == 0 {
			return err
		}
	}
	return nil
}
