package provenance

import (
	"context"
	"iter"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/thread"
	"github.com/contexttree/pact/tree"
)

// SharedPrefix says how much of the thread of an older state stands at the
// beginning of that of a newer one. Cost: that of [thread.Common]; nothing is
// rendered.
func SharedPrefix(ctx context.Context, older, newer *tree.Tree) (*inspect.SharedPrefix, error) {
	common, err := thread.Common(ctx, older, newer)
	if err != nil {
		return nil, err
	}
	return sharedPrefix(common, older), nil
}

func sharedPrefix(common thread.Prefix, older *tree.Tree) *inspect.SharedPrefix {
	p := &inspect.SharedPrefix{Blocks: common.Blocks, Bytes: common.Bytes, Complete: common.Complete()}
	p.OfBlocks, p.OfBytes = older.ThreadSize()
	if p.Complete {
		return p
	}
	p.Older = common.Old.ID
	if common.New != nil {
		p.Newer = common.New.ID
	}
	return p
}

// Prefixes yields for every snapshot of the cycles first..last, oldest first, how
// much of the thread of the cycle before it repeats. Only the first snapshot of
// the context has nothing to compare with. Tokens are counted where there is a
// counter. An error ends it.
//
// Cost: reading the snapshots, and one path through the sums for each of them.
// Counting reads every content once; the tree keeps what was counted.
func (s *Source) Prefixes(ctx context.Context, first, last int64, counter tree.Counter) iter.Seq2[inspect.Prefix, error] {
	return func(yield func(inspect.Prefix, error) bool) {
		snapshots, err := s.Store.History(ctx, s.State.Key, max(first-1, s.State.First), last)
		if err != nil {
			yield(inspect.Prefix{}, err)
			return
		}
		log, err := s.Log(ctx, first, last)
		if err != nil {
			yield(inspect.Prefix{}, err)
			return
		}
		var before *tree.Tree
		for _, t := range snapshots {
			if t.Cycle() < first {
				before = t
				continue
			}
			p, err := s.prefix(ctx, before, t, log, counter)
			if err == nil {
				err = ctx.Err()
			}
			if !yield(p, err) || err != nil {
				return
			}
			before = t
		}
	}
}

// prefix compares a snapshot with the one before it, nil without one.
func (s *Source) prefix(ctx context.Context, before, t *tree.Tree, log *Log, counter tree.Counter) (inspect.Prefix, error) {
	p := inspect.Prefix{Cycle: t.Cycle()}
	p.Blocks, p.Bytes = t.ThreadSize()
	if before != nil {
		common, err := thread.Common(ctx, before, t)
		if err != nil {
			return p, err
		}
		p.Shared = sharedPrefix(common, before)
		if !p.Shared.Complete {
			if p.Break, err = s.causes(before, t, log).ofBreak(ctx, common.Old, common.New); err != nil {
				return p, err
			}
		}
	}
	if counter == nil {
		return p, nil
	}
	return p, countTokens(ctx, tree.Tokens(counter), &p, before, t)
}

// countTokens adds what a snapshot, and what it shares with the one before, has
// in tokens.
func countTokens(ctx context.Context, m *tree.Measure, p *inspect.Prefix, before, t *tree.Tree) error {
	all, err := m.Sum(ctx, t.Root())
	if p.Tokens = &all; err != nil || p.Shared == nil {
		return err
	}
	of, err := m.Sum(ctx, before.Root())
	if err != nil {
		return err
	}
	shared, err := m.First(ctx, t, p.Shared.Blocks)
	p.Shared.Tokens, p.Shared.OfTokens = &shared, &of
	return err
}

// ofBreak says why the threads of two neighbours differ from one block on. now is
// nil where the newer thread ends before it.
func (c *Causes) ofBreak(ctx context.Context, old, now *tree.Node) (*inspect.Break, error) {
	b := &inspect.Break{Node: old.ID}
	var err error
	switch {
	case now != nil && now.ID == old.ID, now == nil && c.newer.Has(old.ID):
		b.Cause = c.edit(diff.ByEdit)
	case !c.newer.Has(old.ID):
		if b.Cause, err = c.ofRemoval(ctx, old, tree.Block); err != nil {
			return nil, err
		}
		if b.Cause.Kind == diff.ByEdit && c.replacement(old.ID) != "" {
			b.Cause.Kind = diff.ByReordering
		}
	case !c.older.Has(now.ID):
		b.Node = now.ID
		e := c.newer.Entry(now.ID)
		if b.Cause, err = c.ofAddition(ctx, tree.Difference{New: now, NewClass: e.Class(), NewParent: c.newer.Parent(now.ID)}); err != nil {
			return nil, err
		}
		b.Cause.Kind = diff.ByInsertion
		if c.replacement(now.ID) != "" {
			b.Cause.Kind = diff.ByReordering
		}
	default:
		b.Node = now.ID
		b.Cause = c.edit(diff.ByReordering)
	}
	b.Ranges = diff.Ranges{Previous: diff.RangeOf(c.older, b.Node), New: diff.RangeOf(c.newer, b.Node)}
	return b, nil
}

// edit is the cause of what an edit of the newer cycle did.
func (c *Causes) edit(kind diff.Kind) diff.Cause {
	cycle := c.newer.Cycle()
	return diff.Cause{Kind: kind, Cycle: cycle, Author: c.log.editor(cycle)}
}
