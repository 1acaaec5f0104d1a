package provenance

import (
	"context"
	"iter"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/differ"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
)

// SharedPrefix says how much of the thread of an older state the thread of a newer one begins
// with. Cost: that of [tree.CommonBlocks].
func SharedPrefix(ctx context.Context, older, newer *tree.Tree) (*inspect.SharedPrefix, error) {
	n, err := tree.CommonBlocks(ctx, older, newer)
	if err != nil {
		return nil, err
	}
	p := new(inspect.SharedPrefix)
	p.Blocks, p.Bytes, err = newer.ThreadPrefix(n)
	if err != nil {
		return nil, err
	}
	p.OfBlocks, p.OfBytes = older.ThreadSize()
	if p.Complete = n == p.OfBlocks; p.Complete {
		return p, nil
	}
	old, _, err := older.BlockAt(n)
	if err != nil {
		return nil, err
	}
	p.Older = old.ID
	if now, _, err := newer.BlockAt(n); err != nil {
		return nil, err
	} else if now != nil {
		p.Newer = now.ID
	}
	return p, nil
}

// SentAnew returns how many bytes of the thread of a newer state its call sends anew because it does
// not begin with the whole thread of the older one, 0 if it does. Cost: that of [SharedPrefix].
func SentAnew(ctx context.Context, older, newer *tree.Tree) (int64, error) {
	p, err := SharedPrefix(ctx, older, newer)
	if err != nil || p.Complete {
		return 0, err
	}
	_, size := newer.ThreadSize()
	return size - p.Bytes, nil
}

// logWindow is how many cycles of the log Prefixes holds at a time. Its entries have whatever was said of a commit.
const logWindow = engine.Window / 16

// Prefixes yields for every snapshot of the cycles first..last, oldest first, how much of the
// thread of the previous cycle it repeats. Only the first snapshot of the context has no
// previous one. It counts tokens if it has a counter. An error ends it.
//
// Cost: reading the snapshots, and one path through the sums for each of them. Counting reads
// every content once; the tree keeps the counts.
func (s *Source) Prefixes(
	ctx context.Context, first, last int64, counter tree.Counter,
) iter.Seq2[inspect.Prefix, error] {
	return func(yield func(inspect.Prefix, error) bool) {
		var log *Log // of the cycles up to logged
		logged := first - 1
		window := int64(engine.Window)
		if counter != nil { // the trees keep the counts
			window = last - first + 2
		}
		for pair, err := range engine.Pairs(ctx, s.Store, s.State.Key, max(first-1, s.State.First), last, window) {
			if err == nil && pair.Now.Cycle() > logged {
				from := logged + 1
				logged = min(logged+logWindow, last)
				log, err = s.Log(ctx, from, logged)
			}
			if err != nil {
				yield(inspect.Prefix{}, err)
				return
			}
			if pair.Now.Cycle() < first {
				continue
			}
			p, err := s.prefix(ctx, pair.Before, pair.Now, log, counter)
			if err == nil {
				err = ctx.Err()
			}
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}

// prefix compares a snapshot with the previous one, nil if there is none.
func (s *Source) prefix(
	ctx context.Context, before, t *tree.Tree, log *Log, counter tree.Counter,
) (p inspect.Prefix, err error) {
	p.Cycle = t.Cycle()
	p.Blocks, p.Bytes = t.ThreadSize()
	if before != nil {
		if p.Shared, err = SharedPrefix(ctx, before, t); err != nil {
			return p, err
		}
		if !p.Shared.Complete {
			if p.Break, err = s.causes(before, t, log).ofBreak(ctx, p.Shared.Older, p.Shared.Newer); err != nil {
				return p, err
			}
		}
	}
	if counter == nil {
		return p, nil
	}
	return p, countTokens(ctx, tree.Tokens(counter), &p, before, t)
}

// countTokens adds how many tokens a snapshot has, and how many of them it shares with the
// previous one.
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

// ofBreak says why the threads of two neighbours differ from one block on: older is its id in
// the older thread, newer in the newer one, "" for a thread that ends before it.
func (c *Causes) ofBreak(ctx context.Context, older, newer string) (*inspect.Break, error) {
	b := &inspect.Break{Node: older}
	stays, err := c.newer.Has(older)
	if err != nil {
		return nil, err
	}
	was, err := c.older.Has(newer)
	if err != nil {
		return nil, err
	}
	moved := ""
	switch {
	case newer == older, newer == "" && stays:
		b.Cause = c.edit(diff.ByEdit)
	case !stays:
		n, err := c.older.Node(older)
		if err != nil {
			return nil, err
		}
		if b.Cause, err = c.ofRemoval(ctx, n, tree.Block); err != nil {
			return nil, err
		}
		if b.Cause.Kind == diff.ByEdit {
			if moved, err = c.replacement(older); err != nil {
				return nil, err
			}
		}
	case !was:
		b.Node = newer
		e, err := c.newer.Entry(newer)
		if err != nil {
			return nil, err
		}
		d, err := addition(c.newer, e)
		if err != nil {
			return nil, err
		}
		if b.Cause, err = c.ofAddition(ctx, d); err != nil {
			return nil, err
		}
		b.Cause.Kind = diff.ByInsertion
		if moved, err = c.replacement(newer); err != nil {
			return nil, err
		}
	default:
		b.Node = newer
		b.Cause = c.edit(diff.ByReordering)
	}
	if moved != "" {
		b.Cause.Kind = diff.ByReordering
	}
	path, err := c.newer.Path(b.Node)
	if err == nil && path == nil {
		path, err = c.older.Path(b.Node)
	}
	if err != nil {
		return nil, err
	}
	n := path[len(path)-1].Node()
	b.Role, b.Kind = n.RoleIn(path[1].Class()), n.Kind
	b.Ranges, err = differ.RangesOf(c.older, b.Node, c.newer, b.Node)
	return b, err
}

// edit is the cause of a change that an edit of the newer cycle made.
func (c *Causes) edit(kind diff.Kind) diff.Cause {
	cycle := c.newer.Cycle()
	return diff.Cause{Kind: kind, Cycle: cycle, Author: c.log.editor(cycle)}
}
