package pact

import (
	"context"
	"iter"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/provenance"
	"github.com/contexttree/pact/store"
)

// provenance is what questions about the past of a state are put to.
func (c *Context) provenance(s *state) *provenance.Source {
	return &provenance.Source{Store: c.store, State: s.State}
}

// Log yields the entries of all revisions, oldest first, and E_STORE where the
// store cannot be read. It holds a few of them at a time, however long the log is.
func (c *Context) Log(ctx context.Context) iter.Seq2[store.Entry, error] {
	return c.provenance(c.state.Load()).Entries(ctx)
}

// Blame names for every block in the thread of a state, in the order of the
// thread, the cycle that brought it and who did and, where a later cycle changed
// the block in place, the cycle of the version that is shown (06 §6). A block that
// came with an imported snapshot has the cycle that its header names.
// E_SNAPSHOT_NOT_FOUND where there is nothing at the address. Cost: what changed
// from the first snapshot to that state.
func (c *Context) Blame(ctx context.Context, a Address) ([]inspect.Blame, error) {
	s, err := c.stateFor(ctx, a)
	if err != nil {
		return nil, err
	}
	t, err := c.at(ctx, s, a)
	if err != nil {
		return nil, err
	}
	return c.provenance(s).Blame(ctx, t)
}

// Timeline tells everything that happened to a node (06 §6): who added it and
// where, each change, the nodes that became its children or refer to it, what
// kept it when it was to go, and how it went. E_NODE_NOT_FOUND for an id that no
// state and no commit ever knew; a draft that was removed before its commit leaves
// no trace. Cost: what changed in the whole history.
func (c *Context) Timeline(ctx context.Context, id string) (*inspect.Timeline, error) {
	s, err := c.current(ctx)
	if err != nil {
		return nil, err
	}
	return c.provenance(s).Timeline(ctx, id)
}

// Prefixes yields for every snapshot between two addresses, in either order, both
// included and oldest first, how much of the thread of the cycle before it
// repeats. Only the first snapshot of the context has nothing to compare with.
// Tokens are counted where the context has a counter (see WithCounter). An error
// ends it; it is E_SNAPSHOT_NOT_FOUND where there is no snapshot at an address.
//
// Cost: reading the snapshots, and O(depth · log n) for each of them; nothing is
// rendered. Counting reads every content once; the tree keeps what was counted.
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

// SharePrefix compares the canonical threads of two snapshots from their
// beginning. It fails where a content has to be read and cannot. Cost: one path
// where the snapshots share structure, and the blocks that differ and render
// alike; nothing else is rendered.
func SharePrefix(ctx context.Context, older, newer *Snapshot) (*inspect.SharedPrefix, error) {
	return provenance.SharedPrefix(ctx, older.tree, newer.tree)
}
