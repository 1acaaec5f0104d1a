package pact

import (
	"context"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/differ"
	"github.com/contexttree/pact/internal/tree"
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

// restrict returns what the selector of a diff finds on both sides, nil without a
// selector.
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

// RichDiff returns the changes that lead from a to b with everything that is known about
// them: added, removed and changed nodes with all values, the causes, moves and
// replacements as far as they can be inferred, and the byte range of every node in the
// thread (02 §9.3, 05 §4.5, 06 §4.4). The selector works as in [Context.Diff]. Causes
// follow the order of time, even if b is older than a.
//
// Cost: what differs, times O(log n), and the log between the two; if a and b are not
// neighbours, also the changes from snapshot to snapshot between them.
func (c *Context) RichDiff(ctx context.Context, a, b Address, opts *RichDiffOptions) (_ *diff.Report, err error) {
	o := optionsOf(opts)
	mode, lines, err := contentOptions(o.ContentMode, o.ContextLines).Form()
	if err != nil {
		return nil, err
	}
	s, from, to, err := c.sides(ctx, a, b)
	if err != nil {
		return nil, err
	}
	selection, err := restrict(ctx, from, to, o.DiffOptions)
	if err != nil {
		return nil, err
	}
	older, newer := tree.Of(from), tree.Of(to)
	if older.Cycle() > newer.Cycle() {
		older, newer = newer, older
	}
	causes, err := c.provenance(s).Causes(ctx, older, newer)
	if err != nil {
		return nil, err
	}
	r := differ.Rich{
		From: tree.Of(from), To: tree.Of(to), FromLabel: a.Text(from.edition), ToLabel: b.Text(from.edition), Selection: selection,
		Cause: func(d tree.Difference, fields []string) (diff.Cause, error) { return causes.Of(ctx, d, fields) },
		Mode:  mode, ContextLines: lines,
	}
	return r.Report(ctx)
}

// RichDiff compares two snapshots as [Context.RichDiff] does, also snapshots of two contexts.
// Every cause is [diff.ByContext], because no log tells how the one became the other.
func RichDiff(ctx context.Context, from, to *Snapshot, opts *RichDiffOptions) (_ *diff.Report, err error) {
	o := optionsOf(opts)
	mode, lines, err := contentOptions(o.ContentMode, o.ContextLines).Form()
	if err != nil {
		return nil, err
	}
	selection, err := restrict(ctx, from, to, o.DiffOptions)
	if err != nil {
		return nil, err
	}
	cause := diff.Cause{Kind: diff.ByContext, Cycle: to.Cycle()}
	r := differ.Rich{
		From: tree.Of(from), To: tree.Of(to), FromLabel: Cycle(from.Cycle()).String(), ToLabel: Cycle(to.Cycle()).String(),
		Selection: selection, Mode: mode, ContextLines: lines,
		Cause: func(tree.Difference, []string) (diff.Cause, error) { return cause, nil },
	}
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
