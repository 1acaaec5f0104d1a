package pact

import (
	"context"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/differ"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/tree"
)

// Diff returns what leads from a to b (05 §4). With a selector each side is
// first restricted to what it selects there; a selector with an address of its
// own is E_SELECTOR_INVALID. Cost: what differs, and what is selected.
func (c *Context) Diff(ctx context.Context, a, b Address, o *DiffOptions) (*diff.Result, error) {
	_, from, to, err := c.sides(ctx, a, b)
	if err != nil {
		return nil, err
	}
	return Diff(ctx, from, to, o)
}

// Diff is Context.Diff between two snapshots at hand.
func Diff(ctx context.Context, from, to *Snapshot, o *DiffOptions) (*diff.Result, error) {
	selection, err := restrict(ctx, from, to, orZero(o))
	if err != nil {
		return nil, err
	}
	return differ.Trees(from.tree, to.tree, selection), nil
}

// restrict asks both sides of a diff for what a selector finds there, nil where
// there is no selector.
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

// RichDiff returns what leads from a to b in full: nodes that came, went and
// changed with all values, why, moves and replacements as far as they can be
// inferred, and the bytes of every node in the thread that the model was sent
// (02 §9.3, 05 §4.5, 06 §4.4). Selectors and directions work as in Diff; causes
// are always told in the order of time.
//
// Cost: what differs, times O(log n), and the log between the two. Where a and
// b are not neighbours also what changed from snapshot to snapshot between them.
func (c *Context) RichDiff(ctx context.Context, a, b Address, opts *RichDiffOptions) (*diff.Report, error) {
	o := orZero(opts)
	mode, lines, err := differ.ContentOptions(o.ContentOptions).Form()
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
	older, newer := from.tree, to.tree
	if older.Cycle() > newer.Cycle() {
		older, newer = newer, older
	}
	causes, err := c.provenance(s).Causes(ctx, older, newer)
	if err != nil {
		return nil, err
	}
	r := differ.Rich{
		From: from.tree, To: to.tree, FromLabel: a.String(), ToLabel: b.String(), Selection: selection,
		Cause: func(d tree.Difference, fields []string) (diff.Cause, error) { return causes.Of(ctx, d, fields) },
		Mode:  mode, ContextLines: lines,
	}
	return r.Report(ctx)
}

// sides returns two snapshots of one state, and that.
func (c *Context) sides(ctx context.Context, a, b Address) (s *state, from, to *Snapshot, err error) {
	if s, err = c.stateFor(ctx, a, b); err != nil {
		return nil, nil, nil, err
	}
	list := [2]*Snapshot{}
	for i, at := range [...]Address{a, b} {
		t, err := c.at(ctx, s, at)
		if err != nil {
			return nil, nil, nil, err
		}
		list[i] = &Snapshot{tree: t, edition: selector.Edition(s.Edition)}
	}
	return s, list[0], list[1], nil
}
