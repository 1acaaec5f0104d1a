package pact

import (
	"context"
	"iter"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/address"
	"github.com/contexttree/pact/internal/differ"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/provenance"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/verify"
)

// Diff returns the changes that lead from the state at a to the state at b (05 §4). With a
// selector it compares only the nodes that the selector finds on each side; a selector with
// an address is E_SELECTOR_INVALID. Cost: what differs, and what is selected.
func (c *Context) Diff(ctx context.Context, a, b Address, o *DiffOptions) (_ *diff.Result, err error) {
	_, from, to, err := c.sides(ctx, a, b)
	if err != nil {
		return nil, err
	}
	return Diff(ctx, from, to, o)
}

// Diff compares two snapshots as [Context.Diff] does.
func Diff(ctx context.Context, from, to *Snapshot, o *DiffOptions) (_ *diff.Result, err error) {
	selection, err := restrict(ctx, from, to, optionsOf(o))
	if err != nil {
		return nil, err
	}
	return differ.Trees(tree.Of(from), tree.Of(to), selection)
}

// restrict returns what the selector of a diff finds on both sides, nil without a selector.
func restrict(ctx context.Context, from, to *Snapshot, o DiffOptions) (*differ.Selection, error) {
	if o.Select == "" {
		return nil, nil
	}
	var sides [2]map[string]bool
	for i, s := range [...]*Snapshot{from, to} {
		ids, err := s.Select(ctx, o.Select, &SelectOptions{Edition: o.Edition})
		if err != nil {
			return nil, err
		}
		sides[i] = make(map[string]bool, len(ids))
		for _, id := range ids {
			sides[i][id] = true
		}
	}
	return &differ.Selection{From: sides[0], To: sides[1]}, nil
}

// RichDiff returns the changes that lead from a to b with everything that is known about them: added, removed and
// changed nodes with all values, the causes, moves and replacements as far as they can be inferred, and the byte
// range of every node in the thread (02 §9.3, 05 §4.5, 06 §4.4). The selector works as in [Context.Diff]. Causes
// follow the order of time, even if b is older than a.
//
// Cost: what differs, times O(log n), and the log between the two; if a and b are not
// neighbours, also the changes from snapshot to snapshot between them.
func (c *Context) RichDiff(ctx context.Context, a, b Address, opts *DiffOptions) (_ *diff.Report, err error) {
	s, from, to, err := c.sides(ctx, a, b)
	if err != nil {
		return nil, err
	}
	r, err := richDiff(ctx, from, to, optionsOf(opts))
	if err != nil {
		return nil, err
	}
	older, newer := r.From, r.To
	if older.Cycle() > newer.Cycle() {
		older, newer = newer, older
	}
	causes, err := c.provenance(s).Causes(ctx, older, newer)
	if err != nil {
		return nil, err
	}
	r.FromLabel, r.ToLabel = a.Text(from.edition), b.Text(from.edition)
	r.Cause = func(d tree.Difference, fields []string) (diff.Cause, error) { return causes.Of(ctx, d, fields) }
	return r.Report(ctx)
}

// richDiff begins a comparison of two snapshots, which lacks the causes.
func richDiff(ctx context.Context, from, to *Snapshot, o DiffOptions) (*differ.Rich, error) {
	r := &differ.Rich{From: tree.Of(from), To: tree.Of(to), FromLabel: Cycle(from.Cycle()).String(),
		ToLabel: Cycle(to.Cycle()).String()}
	var err error
	if r.Mode, r.ContextLines, err = differ.Form(o.ContentMode, o.ContextLines); err == nil {
		r.Selection, err = restrict(ctx, from, to, o)
	}
	return r, err
}

// RichDiff compares two snapshots as [Context.RichDiff] does, also snapshots of two contexts.
// Every cause is [diff.ByContext], because no log tells how the one became the other.
func RichDiff(ctx context.Context, from, to *Snapshot, opts *DiffOptions) (_ *diff.Report, err error) {
	r, err := richDiff(ctx, from, to, optionsOf(opts))
	if err != nil {
		return nil, err
	}
	cause := diff.Cause{Kind: diff.ByContext, Cycle: to.Cycle()}
	r.Cause = func(tree.Difference, []string) (diff.Cause, error) { return cause, nil }
	return r.Report(to.asking(from.asking(ctx)))
}

// sides returns the snapshots at two addresses, and the state in which it found them.
func (c *Context) sides(ctx context.Context, a, b Address) (s *state, from, to *Snapshot, err error) {
	if s, err = c.current(ctx); err != nil {
		return nil, nil, nil, err
	}
	list := [2]*Snapshot{}
	for i, at := range [...]Address{a, b} {
		t, err := c.treeAt(ctx, s, at)
		if err != nil {
			return nil, nil, nil, err
		}
		list[i] = s.show(t)
	}
	return s, list[0], list[1], nil
}

// provenance returns the source that answers questions about the past of a state.
func (c *Context) provenance(s *state) *provenance.Source {
	return &provenance.Source{Store: c.store, State: s.State}
}

// Log yields the log entries of a cycle and all later ones, oldest first; of all cycles from 0. It holds only a few of
// them in memory. Cost: these entries, and a few look-ups.
func (c *Context) Log(ctx context.Context, from int64) iter.Seq2[history.Entry, error] {
	return c.provenance(c.state.Load()).Entries(ctx, from)
}

// Blame returns for every block in the thread of a state, in the order of the thread, the cycle that added it and its
// actor and, if a later cycle changed the block in place, the cycle of the current version (06 §6). A block from an
// imported snapshot has the cycle in its header. Cost: what changed from the first snapshot to that state.
func (c *Context) Blame(ctx context.Context, a Address) (_ []inspect.Blame, err error) {
	s, t, err := c.stateAt(ctx, a)
	if err != nil {
		return nil, err
	}
	return c.provenance(s).Blame(ctx, t)
}

// Timeline returns everything that happened to a node (06 §6): who added it and where, each change, the nodes that
// became its children or refer to it, what kept it when it was to go, and why it went. It returns E_NODE_NOT_FOUND
// for an id that no snapshot, draft or commit ever had; a draft that was removed before its commit leaves no trace.
// Cost: the cycles that concern the node.
func (c *Context) Timeline(ctx context.Context, id string) (_ *inspect.Timeline, err error) {
	s, err := c.current(ctx)
	if err != nil {
		return nil, err
	}
	return c.provenance(s).Timeline(ctx, id)
}

// Occurrences returns each content for which match is true in the snapshots between two addresses, in the order in
// which the contents came, and with working those that the working state has beyond the latest snapshot. If from is
// the working state, it searches the working state alone. match gets a content as canonical JSON and the cycle of the state
// that brought it. Cost: the first snapshot, then what differs from each to the next; it makes no trees of the others.
func (c *Context) Occurrences(ctx context.Context, from, to Address, working bool,
	match func(cycle int64, content string) bool) ([]inspect.Occurrence, error) {
	s, err := c.current(ctx)
	if err != nil {
		return nil, err
	}
	first, last := int64(1), int64(0)
	if !from.isWorking() && s.Cycle >= s.First {
		if first, last, err = address.Snapshots(s.Info.Info, string(from), string(to)); err != nil {
			return nil, err
		}
	}
	return c.provenance(s).Occurrences(ctx, first, last, working, match)
}

// Prefixes yields, for every snapshot between two addresses in either order, both included and oldest first, how much
// of its thread repeats the thread of the cycle before. The first snapshot of the context is compared with nothing.
// Prefixes counts tokens if the context has a Counter. Cost: reading the snapshots, and O(depth · log n) for each; to
// count tokens also every content, once, because the tree keeps the counts. Nothing is rendered.
func (c *Context) Prefixes(ctx context.Context, from, to Address) iter.Seq2[inspect.Prefix, error] {
	return func(yield func(inspect.Prefix, error) bool) {
		s := c.state.Load()
		first, last, err := address.Snapshots(s.Info.Info, string(from), string(to))
		if err != nil {
			yield(inspect.Prefix{}, err)
			return
		}
		c.provenance(s).Prefixes(ctx, first, last, c.counter)(yield)
	}
}

// SharePrefix compares the canonical threads of two snapshots from their beginning. It fails if it must read a
// content and cannot. Cost: one path where the snapshots share structure, and the blocks that differ but render to
// the same bytes; it renders nothing else.
func SharePrefix(ctx context.Context, older, newer *Snapshot) (_ *inspect.SharedPrefix, err error) {
	return provenance.SharedPrefix(newer.asking(older.asking(ctx)), tree.Of(older), tree.Of(newer))
}

// Verify reads the context with a name again from its store, also one too damaged to be opened, and checks all of it:
// the store's own rows, the log, the content hash of every version of a node, the rules for nodes and their canonical
// order (02 §2.2, §4), the block that each version renders to (02 §12.5), and for every snapshot the digests that its
// commit recorded and the hash of the bytes that were sent. Commits from before digests were recorded are only counted.
// Of the stored parts of requests it checks that they are what was written, and restores none: package record does.
//
// A damaged context is not an error: the answer holds the first defect. Errors: E_CONTEXT_NOT_FOUND if the store has
// no context of this name, E_STORE if the medium fails. Cost: reading everything that is stored for the context once,
// the digests of what each snapshot changed, and a SHA-256 of each thread whose bytes were recorded when they were
// written, about a millisecond for each MB.
//
// Specification: 06 §6.
func Verify(ctx context.Context, db *DB, name string, progress func(done, total int)) (*inspect.Verification, error) {
	return verify.Named(ctx, engine.Of(db), name, progress)
}

// VerifyAll verifies everything in a store: the list of contexts, rows that belong to no context, and every context
// as [Verify] does. It goes on after a context that cannot be read and reports that as its defect. Cost: reading
// everything that is stored once.
func VerifyAll(ctx context.Context, db *DB, progress func(done, total int)) (*inspect.StoreVerification, error) {
	return verify.All(ctx, engine.Of(db), progress)
}
