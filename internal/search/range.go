package search

import (
	"cmp"
	"context"
	"strconv"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/address"
	"github.com/contexttree/pact/internal/differ"
	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// Range is a selector that addresses a range of snapshots, ready to compare them.
type Range struct {
	Selector *selector.Selector

	plan    *query.Plan
	mode    string // pairwise or reduce
	options diff.RangeOptions
	shown   differ.Contents // what of contents and headers
}

// NewRange prepares a selector. It fails with E_SELECTOR_INVALID if the selector
// is incomplete or addresses no range, if its @mode asks for ids, or if a form or a header cannot
// be shown, and with E_SNAPSHOT_RANGE_LIMIT if a cap leaves nothing to compare. The counter counts for the facet
// tokens; it is nil if the selector has none.
func NewRange(q *selector.Selector, o diff.RangeOptions, counter tree.Counter) (*Range, error) {
	plan, err := query.Compile(q)
	if err != nil {
		return nil, err
	}
	r := &Range{Selector: q, plan: plan.Counting(counter), options: o, shown: differ.Contents{Materialize: o.Materialize}}
	if r.mode, err = modeOfChanges(q); err != nil {
		return nil, err
	}
	if o.IncludeContent {
		if r.shown.Mode, r.shown.Lines, err = differ.Form(o.ContentMode, o.ContextLines); err != nil {
			return nil, err
		}
	}
	if err := r.shown.Check(); err != nil {
		return nil, err
	}
	if o.MaxSnapshots != nil && *o.MaxSnapshots < 1 {
		return nil, fault.New(fault.RangeLimit, "a limit of "+strconv.Itoa(*o.MaxSnapshots)+" snapshots leaves nothing to compare",
			"allow at least 1")
	}
	return r, nil
}

// modeOfChanges returns the mode in which a range gives changes.
func modeOfChanges(q *selector.Selector) (string, error) {
	if q.Time == nil || q.Time.Kind != selector.Range {
		return "", fault.New(fault.SelectorInvalid, "the selector addresses no range of snapshots",
			"begin with one, such as @t-3..@t0, or select nodes instead")
	}
	c, ok := q.Control(selector.ControlMode)
	switch {
	case !ok:
		return "pairwise", nil
	case c.Word != "reduce":
		return "", fault.New(fault.SelectorInvalid, "@mode="+c.Word+" asks for ids and not for changes",
			"select nodes instead, or leave @mode out")
	}
	return c.Word, nil
}

// Changes compares neighbours of the given snapshots, which come newest first; in
// the mode reduce it compares the two ends. latest is the cycle of @t0;
// the result repeats warnings. Changes fails if it cannot read a
// content, and as [query.Plan.Run] does. Cost: the selected nodes of each snapshot
// and the differences between neighbours.
func (r *Range) Changes(ctx context.Context, trees []*tree.Tree, latest int64,
	warnings []string) (*diff.RangeDiffLatestResult, error) {
	text := cmp.Or(r.Selector.Source, r.Selector.String())
	b := rangeBuilder{Range: r, result: &diff.RangeDiffLatestResult{Query: text, Mode: r.mode,
		Snapshots: []diff.SnapshotRef{}, Diffs: []diff.RangeBlock{},
		Warnings: append(r.Selector.Warnings(), warnings...)}}
	if o := &r.options; o.MaxSnapshots != nil || o.MaxChangesPerSnapshot != nil {
		b.result.Limits = &diff.RangeLimits{MaxSnapshots: o.MaxSnapshots, MaxChangesPerSnapshot: o.MaxChangesPerSnapshot}
	}
	if err := b.blocks(ctx, b.newest(trees), latest); err != nil {
		return nil, err
	}
	return b.result, nil
}

// rangeBuilder builds a result.
type rangeBuilder struct {
	*Range
	result *diff.RangeDiffLatestResult
}

// truncated notes in the result that a cap left something out.
func (b *rangeBuilder) truncated(message string) {
	b.result.Limits.Truncated = true
	b.result.Errors = append(b.result.Errors, diff.RangeError{Code: fault.RangeLimit, Message: message})
}

// newest keeps the newest trees that the cap allows.
func (b *rangeBuilder) newest(trees []*tree.Tree) []*tree.Tree {
	if n := b.options.MaxSnapshots; n != nil && len(trees) > *n {
		b.truncated("the range has " + strconv.Itoa(len(trees)) + " snapshots; the newest " + strconv.Itoa(*n) + " are here")
		return trees[:*n]
	}
	return trees
}

// blocks compares neighbours, newest first; in the mode reduce it compares the two
// ends.
func (b *rangeBuilder) blocks(ctx context.Context, trees []*tree.Tree, latest int64) error {
	name := func(cycle int64) diff.SnapshotRef { return snapshotRef(b.Selector.Time.From.Axis, latest, cycle) }
	for _, t := range trees {
		b.result.Snapshots = append(b.result.Snapshots, name(t.Cycle()))
	}
	if b.result.Mode == "reduce" && len(trees) > 2 {
		trees = []*tree.Tree{trees[0], trees[len(trees)-1]}
	}
	sides := b.sides()
	for i, older := range trees[1:] {
		list, err := tree.Differences(older, trees[i])
		if err != nil {
			return err
		}
		s, err := sides(ctx, older, trees[i], list)
		if err != nil {
			return err
		}
		pair, err := differ.PairOf(older, trees[i], list, s)
		if err != nil {
			return err
		}
		block := diff.RangeBlock{
			From: name(trees[i].Cycle()), To: name(older.Cycle()), AddedIDs: pair.Added, RemovedIDs: pair.Removed,
			Changed: make([]diff.NodeChange, 0, len(pair.Changed)),
			Stats:   diff.RangeStats{Added: len(pair.Added), Removed: len(pair.Removed), Changed: len(pair.Changed)},
		}
		b.cut(&block, pair)
		for _, d := range pair.Changed {
			fields := pair.Fields(d)
			c := diff.NodeChange{ID: d.New.ID, Fields: fields, Delta: pair.Delta(d, fields)}
			warning, err := b.shown.Add(ctx, &c, d, block.From.Label, block.To.Label)
			if err != nil {
				return err
			}
			if warning != "" {
				b.result.Warnings = append(b.result.Warnings, warning)
			}
			block.Changed = append(block.Changed, c)
		}
		b.result.Diffs = append(b.result.Diffs, block)
	}
	return nil
}

// snapshotRef names the snapshot of a cycle on an axis; latest is the cycle of @t0.
func snapshotRef(axis byte, latest, cycle int64) diff.SnapshotRef {
	if axis == 'c' {
		return diff.SnapshotRef{Kind: "c", Value: cycle, Label: address.Cycle(cycle).Text(""), Cycle: cycle}
	}
	return diff.SnapshotRef{Kind: "t", Value: cycle - latest, Label: address.Back(latest - cycle).Text(""), Cycle: cycle}
}

// cut leaves out the entries beyond the cap on a block.
func (b *rangeBuilder) cut(block *diff.RangeBlock, pair *differ.Pair) {
	if b.options.MaxChangesPerSnapshot == nil {
		return
	}
	left := *b.options.MaxChangesPerSnapshot
	total := block.Stats.Added + block.Stats.Removed + block.Stats.Changed
	if total > left {
		b.truncated(block.From.Label + " to " + block.To.Label + " has " + strconv.Itoa(total) + " changes; the first " +
			strconv.Itoa(left) + " are here")
	}
	keep := func(n int) int {
		n = min(n, left)
		left -= n
		return n
	}
	block.AddedIDs = block.AddedIDs[:keep(len(block.AddedIDs))]
	block.RemovedIDs = block.RemovedIDs[:keep(len(block.RemovedIDs))]
	pair.Changed = pair.Changed[:keep(len(pair.Changed))]
}

// sides returns a function that returns the selected nodes of both snapshots of a
// pair. The caller passes the pairs newest first, each with the list of nodes
// that differ. If the plan is local, the function runs it on the differing nodes
// only, so a range costs what its changes cost; otherwise it runs the plan once
// on every snapshot.
func (b *rangeBuilder) sides() func(ctx context.Context, older, newer *tree.Tree,
	list []tree.Difference) (*differ.Selection, error) {
	if b.plan.Local() {
		return b.differing
	}
	var last map[string]bool // selected in the older snapshot of the previous pair
	return func(ctx context.Context, older, newer *tree.Tree, _ []tree.Difference) (*differ.Selection, error) {
		s := &differ.Selection{To: last}
		if last == nil {
			r, err := b.plan.Run(ctx, newer)
			if err != nil {
				return nil, err
			}
			s.To = idsOf(b.plan.Window(r.Nodes))
		}
		r, err := b.plan.Run(ctx, older)
		s.From = idsOf(b.plan.Window(r.Nodes))
		last = s.From
		return s, err
	}
}

// differing selects among the nodes that differ and the nodes below them.
func (b *rangeBuilder) differing(ctx context.Context, older, newer *tree.Tree,
	list []tree.Difference) (*differ.Selection, error) {
	was, is := highest(list)
	from, err := b.plan.RunBelow(ctx, older, was)
	if err != nil {
		return nil, err
	}
	to, err := b.plan.RunBelow(ctx, newer, is)
	return &differ.Selection{From: idsOf(from.Nodes), To: idsOf(to.Nodes)}, err
}

// highest returns the ids that differ on each side. For nodes that came or went
// together with their parent it returns only the parent, because one path then
// leads to a whole turn.
func highest(list []tree.Difference) (was, is []string) {
	went, came := make(map[string]bool), make(map[string]bool)
	for _, d := range list {
		if d.Old != nil && !went[d.OldParent] {
			was = append(was, d.Old.ID)
		}
		if d.New != nil && !came[d.NewParent] {
			is = append(is, d.New.ID)
		}
		switch {
		case d.New == nil:
			went[d.Old.ID] = true
		case d.Old == nil:
			came[d.New.ID] = true
		}
	}
	return was, is
}

func idsOf(nodes []*tree.Entry) map[string]bool {
	ids := make(map[string]bool, len(nodes))
	for _, e := range nodes {
		ids[e.Node().ID] = true
	}
	return ids
}
