package pact

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/differ"
	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/tree"
)

// RangeDiffLatest answers a selector that addresses a range of snapshots (04
// §2.2). The controls of the selector apply inside each snapshot; @mode=reduce
// gives one block from the newest to the oldest. Ends beyond what exists are
// clamped, with a warning; a range that misses everything is
// E_SNAPSHOT_NOT_FOUND, a selector without a range E_SELECTOR_INVALID.
//
// Cost: what is selected in each snapshot and what differs between neighbours.
func (c *Context) RangeDiffLatest(ctx context.Context, text string, opts *RangeOptions) (*diff.RangeDiffLatestResult,
	error) {
	o := orZero(opts)
	q, err := selector.Parse(text, cmp.Or(o.Edition, c.Edition()))
	if err != nil {
		return nil, err
	}
	b := rangeBuilder{result: &diff.RangeDiffLatestResult{Query: text, Mode: "pairwise", Snapshots: []diff.SnapshotRef{},
		Diffs: []diff.RangeBlock{}}}
	if err := b.check(q); err != nil {
		return nil, err
	}
	if b.rangeOptions, err = o.collect(); err != nil {
		return nil, err
	}
	if l := &b.limits; l.MaxSnapshots != nil || l.MaxChangesPerSnapshot != nil {
		b.result.Limits = l
	}
	if b.plan, err = query.Compile(q); err != nil {
		return nil, err
	}
	state := c.state.Load()
	trees, warnings, err := c.addressed(ctx, state, q)
	if err != nil {
		return nil, err
	}
	b.result.Warnings = warnings
	name := func(cycle int64) diff.SnapshotRef { return ref(q.Time.From.Axis, state.Info.Cycle, cycle) }
	if err := b.blocks(ctx, b.newest(trees), name); err != nil {
		return nil, err
	}
	return b.result, nil
}

// rangeBuilder puts a result together.
type rangeBuilder struct {
	rangeOptions
	plan   *query.Plan
	result *diff.RangeDiffLatestResult
}

func (b *rangeBuilder) check(q *selector.Selector) error {
	if q.Time == nil || q.Time.Kind != selector.Range {
		return fault.New(fault.SelectorInvalid, "the selector addresses no range of snapshots",
			"begin with one, such as @t-3..@t0, or call Select")
	}
	if c, ok := q.Control(selector.ControlMode); ok {
		if c.Word != "reduce" {
			return fault.New(fault.SelectorInvalid, "@mode="+c.Word+" gives ids", "call Select")
		}
		b.result.Mode = c.Word
	}
	return nil
}

// truncated notes that a cap cut something off.
func (b *rangeBuilder) truncated(message string) {
	b.limits.Truncated = true
	b.result.Errors = append(b.result.Errors, diff.RangeError{Code: fault.RangeLimit, Message: message})
}

// newest keeps the newest trees that the cap allows.
func (b *rangeBuilder) newest(trees []*tree.Tree) []*tree.Tree {
	if n := b.limits.MaxSnapshots; n != nil && len(trees) > *n {
		b.truncated("the range has " + strconv.Itoa(len(trees)) + " snapshots; the newest " + strconv.Itoa(*n) + " are here")
		return trees[:*n]
	}
	return trees
}

// blocks compares neighbours, newest first; in the mode reduce the two ends.
func (b *rangeBuilder) blocks(ctx context.Context, trees []*tree.Tree, name func(cycle int64) diff.SnapshotRef) error {
	for _, t := range trees {
		b.result.Snapshots = append(b.result.Snapshots, name(t.Cycle()))
	}
	if b.result.Mode == "reduce" && len(trees) > 2 {
		trees = []*tree.Tree{trees[0], trees[len(trees)-1]}
	}
	sides := b.sides()
	for i, older := range trees[1:] {
		list := tree.Differences(older, trees[i])
		s, err := sides(ctx, older, trees[i], list)
		if err != nil {
			return err
		}
		pair := differ.PairOf(older, trees[i], list, s)
		block := diff.RangeBlock{
			From: name(trees[i].Cycle()), To: name(older.Cycle()), AddedIDs: pair.Added, RemovedIDs: pair.Removed,
			Changed: make([]diff.NodeChange, 0, len(pair.Changed)),
			Stats:   diff.RangeStats{Added: len(pair.Added), Removed: len(pair.Removed), Changed: len(pair.Changed)},
		}
		b.cut(&block, pair)
		for _, d := range pair.Changed {
			fields := pair.Fields(d)
			c := diff.NodeChange{ID: d.New.ID, Fields: fields, Delta: pair.Delta(d, fields)}
			warning, err := b.contents.Add(ctx, &c, d, block.From.Label, block.To.Label)
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

// cut keeps what the cap on a block allows.
func (b *rangeBuilder) cut(block *diff.RangeBlock, pair *differ.Pair) {
	if b.limits.MaxChangesPerSnapshot == nil {
		return
	}
	left := *b.limits.MaxChangesPerSnapshot
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

// sides returns what gives the selection of both snapshots of a pair that differ
// in a list of nodes. Pairs are asked for newest first. Where it follows from a node and its ancestors alone
// that it is selected, only what differs is asked for, so that a range costs
// what its changes cost; elsewhere every snapshot is asked once.
func (b *rangeBuilder) sides() func(ctx context.Context, older, newer *tree.Tree,
	list []tree.Difference) (*differ.Selection, error) {
	if b.plan.Local() {
		return b.differing
	}
	var last map[string]bool // of the snapshot that was the older one before
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

// differing selects among the nodes that differ and what is below them.
func (b *rangeBuilder) differing(ctx context.Context, older, newer *tree.Tree,
	list []tree.Difference) (*differ.Selection, error) {
	was, is := tops(list)
	from, err := b.plan.RunBelow(ctx, older, was)
	if err != nil {
		return nil, err
	}
	to, err := b.plan.RunBelow(ctx, newer, is)
	return &differ.Selection{From: idsOf(from.Nodes), To: idsOf(to.Nodes)}, err
}

// tops returns the ids that differ, of each side. Of what came or went with its
// parent the parent is named: one path leads to a whole turn.
func tops(list []tree.Difference) (was, is []string) {
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

// ref names the snapshot of a cycle on an axis.
func ref(axis byte, latest, cycle int64) diff.SnapshotRef {
	if axis == 'c' {
		return diff.SnapshotRef{Kind: "c", Value: cycle, Label: Cycle(cycle).String(), Cycle: cycle}
	}
	return diff.SnapshotRef{Kind: "t", Value: cycle - latest, Label: Address{'t', cycle - latest}.String(), Cycle: cycle}
}

// rangeOptions are the options of a range, with their defaults in place.
type rangeOptions struct {
	limits   diff.RangeLimits
	contents differ.Contents
}

func (o *RangeOptions) collect() (r rangeOptions, err error) {
	r.limits = diff.RangeLimits{MaxSnapshots: o.MaxSnapshots, MaxChangesPerSnapshot: o.MaxChangesPerSnapshot}
	r.contents.Materialize = o.Materialize
	if o.Content != nil {
		if r.contents.Mode, r.contents.Lines, err = o.Content.form(); err != nil {
			return r, err
		}
	}
	return r, r.check()
}

// form fills the defaults in. It refuses a form or a number of lines that no
// content diff has.
func (o ContentOptions) form() (mode diff.Mode, lines int, err error) {
	mode, lines = cmp.Or(o.Mode, diff.Unified), 3
	if o.Lines != nil {
		lines = *o.Lines
	}
	if lines < 0 {
		return "", 0, fault.New(fault.SelectorInvalid, "a unified diff cannot have "+strconv.Itoa(lines)+" lines of context",
			"allow 0 or more")
	}
	if !slices.Contains([]diff.Mode{diff.Unified, diff.JSONPatch, diff.Tokens}, mode) {
		return "", 0, fault.At(fault.SelectorInvalid, fault.NoOffset, string(mode), "there is no such form of a content diff",
			"the forms are unified, jsonpatch and tokens")
	}
	return mode, lines, nil
}

// check refuses values that no option can have.
func (o *rangeOptions) check() error {
	for _, h := range o.contents.Materialize {
		if !slices.Contains([]string{"content", "mime", "encoding", "content_hash"}, h) {
			return fault.At(fault.SelectorInvalid, fault.NoOffset, h, "this header cannot be materialized",
				"there are content, mime, encoding and content_hash")
		}
	}
	l := &o.limits
	if l.MaxSnapshots != nil && *l.MaxSnapshots < 1 {
		return fault.New(fault.RangeLimit, "at most "+strconv.Itoa(*l.MaxSnapshots)+" snapshots leave nothing to compare",
			"allow at least 1")
	}
	if l.MaxChangesPerSnapshot != nil && *l.MaxChangesPerSnapshot < 0 {
		return fault.New(fault.RangeLimit, "a block cannot have "+strconv.Itoa(*l.MaxChangesPerSnapshot)+" changes",
			"allow 0 or more")
	}
	return nil
}
