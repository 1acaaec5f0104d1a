package pact

import (
	"context"
	"iter"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/provenance"
	"github.com/contexttree/pact/internal/tree"
)

// provenance returns the source that answers questions about the past of a state.
func (c *Context) provenance(s *state) *provenance.Source {
	return &provenance.Source{Store: c.store, State: s.State}
}

// Log yields the log entries of a cycle and all later ones, oldest first; of all cycles from 0. It holds only
// a few of them in memory. If it fails, it yields the error and ends. Cost: these entries, and a few look-ups.
func (c *Context) Log(ctx context.Context, from int64) iter.Seq2[history.Entry, error] {
	return c.provenance(c.state.Load()).Entries(ctx, from)
}

// Blame returns for every block in the thread of a state, in the order of the thread, the
// cycle that added it and its actor and, if a later cycle changed the block in place, the
// cycle of the current version (06 §6). A block from an imported snapshot has the cycle in
// its header. It returns E_SNAPSHOT_NOT_FOUND if there is no snapshot at the address. Cost:
// what changed from the first snapshot to that state.
func (c *Context) Blame(ctx context.Context, a Address) (_ []inspect.Blame, err error) {
	s, err := c.current(ctx)
	if err != nil {
		return nil, err
	}
	t, err := c.treeAt(ctx, s, a)
	if err != nil {
		return nil, err
	}
	return c.provenance(s).Blame(ctx, t)
}

// Timeline returns everything that happened to a node (06 §6): who added it and where,
// each change, the nodes that became its children or refer to it, what kept it when it was
// to go, and why it went. It returns E_NODE_NOT_FOUND for an id that no snapshot, draft or
// commit ever had; a draft that was removed before its commit leaves no trace. Cost: the
// cycles that concern the node.
func (c *Context) Timeline(ctx context.Context, id string) (_ *inspect.Timeline, err error) {
	s, err := c.current(ctx)
	if err != nil {
		return nil, err
	}
	return c.provenance(s).Timeline(ctx, id)
}

// Occurrences returns each content for which match is true in the snapshots between two addresses, in
// the order in which the contents came, and with working those that the working state has beyond the
// latest snapshot. If from is [Working], it searches the working state alone. match gets a content as
// canonical JSON and the cycle of the state that brought it. Errors: E_SNAPSHOT_NOT_FOUND if there is
// no snapshot at an address.
//
// Cost: the first snapshot, then what differs from each to the next; it makes no trees of the others.
func (c *Context) Occurrences(ctx context.Context, from, to Address, working bool,
	match func(cycle int64, content string) bool) ([]inspect.Occurrence, error) {
	s := c.state.Load()
	first, last := int64(1), int64(0)
	if from != Working() && s.Cycle >= s.First {
		var err error
		if first, last, err = cycles(s.Info, from, to); err != nil {
			return nil, err
		}
	}
	return c.provenance(s).Occurrences(ctx, first, last, working, match)
}

// Prefixes yields, for every snapshot between two addresses in either order, both
// included and oldest first, how much of its thread repeats the thread of the cycle
// before. The first snapshot of the context is compared with nothing. Prefixes counts
// tokens if the context has a Counter. If it fails, it yields the error and ends; the
// error is E_SNAPSHOT_NOT_FOUND if there is no snapshot at an address.
//
// Cost: reading the snapshots, and O(depth · log n) for each; nothing is rendered.
// Counting tokens reads every content once; the tree keeps the counts.
func (c *Context) Prefixes(ctx context.Context, from, to Address) iter.Seq2[inspect.Prefix, error] {
	return func(yield func(inspect.Prefix, error) bool) {
		s := c.state.Load()
		first, last, err := cycles(s.Info, from, to)
		if err != nil {
			yield(inspect.Prefix{}, err)
			return
		}
		c.provenance(s).Prefixes(ctx, first, last, c.counter)(yield)
	}
}

// SharePrefix compares the canonical threads of two snapshots from their beginning. It
// fails if it must read a content and cannot. Cost: one path where the snapshots share
// structure, and the blocks that differ but render to the same bytes; it renders nothing
// else.
func SharePrefix(ctx context.Context, older, newer *Snapshot) (_ *inspect.SharedPrefix, err error) {
	return provenance.SharedPrefix(newer.asking(older.asking(ctx)), tree.Of(older), tree.Of(newer))
}
