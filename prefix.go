package pact

import (
	"context"
	"iter"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/thread"
	"github.com/contexttree/pact/tree"
)

// CyclePrefix says of one cycle how large its thread is and how much of the
// thread before stands at its beginning. Providers cache by that prefix, byte
// for byte.
type CyclePrefix struct {
	Cycle  int64         `json:"cycle"`
	Blocks int           `json:"blocks"`
	Bytes  int64         `json:"bytes"`
	Tokens *int64        `json:"tokens,omitempty"` // nil where the context has no counter
	Prefix *SharedPrefix `json:"prefix,omitempty"` // none in the first cycle
	Break  *Break        `json:"break,omitempty"`  // where the prefix is not the whole thread before
}

// SharedPrefix says how much of the thread of one snapshot stands, block for
// block, at the beginning of that of another.
type SharedPrefix struct {
	Blocks   int    `json:"blocks"`
	OfBlocks int    `json:"of_blocks"`
	Bytes    int64  `json:"bytes"`
	OfBytes  int64  `json:"of_bytes"`
	Tokens   *int64 `json:"tokens,omitempty"`    // nil where none were counted
	OfTokens *int64 `json:"of_tokens,omitempty"` // of the older thread
	Complete bool   `json:"complete"`
	Old      string `json:"older,omitempty"` // the first block that differs, as the older thread has it
	New      string `json:"newer,omitempty"` // and as the newer has it
}

// Share is what part of the older thread is the same, between 0 and 1.
func (p *SharedPrefix) Share() float64 {
	if p.Complete || p.OfBytes == 0 {
		return 1
	}
	return float64(p.Bytes) / float64(p.OfBytes)
}

// Break is why a prefix ends: the first node that differs, what made it differ
// (expiry, pruning, an edit, an insertion or a reordering) and its bytes in both
// threads.
type Break struct {
	Node  string `json:"node"`
	Cause Cause  `json:"cause"`
	diff.Ranges
}

// SharePrefix compares the threads of two snapshots from their beginning.
// Cost: that of [thread.Common]; nothing is rendered.
func SharePrefix(ctx context.Context, older, newer *Snapshot) (*SharedPrefix, error) {
	p, err := thread.Common(ctx, older.tree, newer.tree)
	if err != nil {
		return nil, err
	}
	return sharedPrefix(p, older.tree), nil
}

func sharedPrefix(p thread.Prefix, older *tree.Tree) *SharedPrefix {
	same := &SharedPrefix{Blocks: p.Blocks, Bytes: p.Bytes, Complete: p.Complete()}
	same.OfBlocks, same.OfBytes = older.ThreadSize()
	if same.Complete {
		return same
	}
	same.Old = p.Old.ID
	if p.New != nil {
		same.New = p.New.ID
	}
	return same
}

// Prefixes yields for every snapshot between two addresses, both included and
// oldest first, how much of the thread of the cycle before it repeats. Only the
// first snapshot of the context has nothing to compare with. Where the context
// has a counter (WithCounter), tokens are counted besides.
//
// Cost: reading the snapshots, and one path through the sums for each of them.
// Counting reads every content once; the tree keeps what was counted.
func (c *Context) Prefixes(ctx context.Context, from, to Address) iter.Seq2[CyclePrefix, error] {
	return func(yield func(CyclePrefix, error) bool) {
		s := c.state.Load()
		first, last, err := ends(s, from, to)
		if err != nil {
			yield(CyclePrefix{}, err)
			return
		}
		trees, err := c.store.History(ctx, s.Key, max(first-1, s.First), last)
		if err != nil {
			yield(CyclePrefix{}, err)
			return
		}
		log, err := c.chronicle(ctx, s, first, last)
		if err != nil {
			yield(CyclePrefix{}, err)
			return
		}
		for i, t := range trees {
			if t.Cycle() < first {
				continue
			}
			p := CyclePrefix{Cycle: t.Cycle()}
			p.Blocks, p.Bytes = t.ThreadSize()
			if i > 0 {
				err = (&why{context: c, state: s, older: trees[i-1], newer: t, log: log}).prefix(ctx, &p)
			}
			if err == nil && c.counter != nil {
				err = p.count(ctx, tree.Tokens(c.counter), t, trees[max(i-1, 0)])
			}
			if err == nil {
				err = ctx.Err()
			}
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}

// count adds what a cycle has in tokens.
func (p *CyclePrefix) count(ctx context.Context, m *tree.Measure, now, before *tree.Tree) error {
	all, err := m.Sum(ctx, now.Root())
	if p.Tokens = &all; err != nil || p.Prefix == nil {
		return err
	}
	of, err := m.Sum(ctx, before.Root())
	if err != nil {
		return err
	}
	same, err := m.First(ctx, now, p.Prefix.Blocks)
	p.Prefix.Tokens, p.Prefix.OfTokens = &same, &of
	return err
}

// ends resolves the ends of a run of snapshots, in either order.
func ends(s *state, from, to Address) (first, last int64, err error) {
	if first, err = from.cycle(s.Info); err != nil {
		return 0, 0, err
	}
	if last, err = to.cycle(s.Info); err != nil {
		return 0, 0, err
	}
	return min(first, last), max(first, last), nil
}

func (w *why) prefix(ctx context.Context, p *CyclePrefix) error {
	common, err := thread.Common(ctx, w.older, w.newer)
	if err != nil {
		return err
	}
	p.Prefix = sharedPrefix(common, w.older)
	if !p.Prefix.Complete {
		p.Break, err = w.broke(ctx, common.Old, common.New)
	}
	return err
}

// broke says why two neighbours differ from one block on. now is nil where the
// newer thread ends before it.
func (w *why) broke(ctx context.Context, old, now *tree.Node) (*Break, error) {
	cycle := w.newer.Cycle()
	b := &Break{Node: old.ID}
	var err error
	switch {
	case now != nil && now.ID == old.ID, now == nil && w.newer.Has(old.ID):
		b.Cause = Cause{Kind: diff.ByEdit, Cycle: cycle, Author: w.log.edited(cycle)}
	case !w.newer.Has(old.ID):
		if b.Cause, err = w.went(ctx, old, tree.Block); err != nil {
			return nil, err
		}
		if b.Cause.Kind == diff.ByEdit && w.twin(old.ID) != "" {
			b.Cause.Kind = diff.ByReordering
		}
	case !w.older.Has(now.ID):
		b.Node = now.ID
		e := w.newer.Entry(now.ID)
		if b.Cause, err = w.came(ctx, tree.Difference{New: now, NewClass: e.Class(), NewParent: w.newer.Parent(now.ID)}); err != nil {
			return nil, err
		}
		b.Cause.Kind = diff.ByInsertion
		if w.twin(now.ID) != "" {
			b.Cause.Kind = diff.ByReordering
		}
	default:
		b.Node = now.ID
		b.Cause = Cause{Kind: diff.ByReordering, Cycle: cycle, Author: w.log.edited(cycle)}
	}
	b.Ranges = diff.Ranges{Previous: diff.RangeOf(w.older, b.Node), New: diff.RangeOf(w.newer, b.Node)}
	return b, nil
}

// twin returns the node that a node became by a move, or that it was before:
// a move gives a published node a new id.
func (w *why) twin(id string) string {
	pair := diff.Compare(w.older, w.newer, nil)
	for _, t := range diff.Moved(w.older, w.newer, pair.Removed, pair.Added) {
		switch id {
		case t.Old:
			return t.New
		case t.New:
			return t.Old
		}
	}
	return ""
}
