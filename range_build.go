package pact

import (
	"context"
	"slices"
	"strconv"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/diff/content"
	"github.com/contexttree/pact/internal/fault"
	"github.com/contexttree/pact/query"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/tree"
)

// rangeBuilder puts a result together.
type rangeBuilder struct {
	rangeOptions
	plan   *query.Plan
	result *RangeDiffLatestResult
}

func (b *rangeBuilder) check(q *selector.Selector) error {
	if q.Time == nil || q.Time.Kind != selector.Range {
		return fault.New(fault.SelectorInvalid, "the selector addresses no range of snapshots", "begin with one, such as @t-3..@t0, or call Select")
	}
	if c, ok := q.Control(selector.ControlMode); ok {
		if c.Word != "reduce" {
			return fault.New(fault.SelectorInvalid, "@mode="+c.Word+" gives ids", "call Select")
		}
		b.result.Mode = c.Word
	}
	if !slices.Contains([]content.Mode{content.Unified, content.JSONPatch, content.Tokens}, b.mode) {
		return fault.At(fault.SelectorInvalid, fault.NoOffset, string(b.mode), "there is no such form of a content diff", "the forms are unified, jsonpatch and tokens")
	}
	for _, h := range b.materialize {
		if !slices.Contains([]string{"content", "mime", "encoding", "content_hash"}, h) {
			return fault.At(fault.SelectorInvalid, fault.NoOffset, h, "this header cannot be materialized", "there are content, mime, encoding and content_hash")
		}
	}
	l := &b.limits
	if l.MaxSnapshots != nil && *l.MaxSnapshots < 1 {
		return fault.New(fault.RangeLimit, "at most "+strconv.Itoa(*l.MaxSnapshots)+" snapshots leave nothing to compare", "allow at least 1")
	}
	if l.MaxChangesPerSnapshot != nil && *l.MaxChangesPerSnapshot < 0 {
		return fault.New(fault.RangeLimit, "a block cannot have "+strconv.Itoa(*l.MaxChangesPerSnapshot)+" changes", "allow 0 or more")
	}
	if l.MaxSnapshots != nil || l.MaxChangesPerSnapshot != nil {
		b.result.Limits = l
	}
	return nil
}

// truncated notes that a cap cut something off.
func (b *rangeBuilder) truncated(message string) {
	b.limits.Truncated = true
	b.result.Errors = append(b.result.Errors, RangeError{Code: ErrRangeLimit, Message: message})
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
func (b *rangeBuilder) blocks(ctx context.Context, trees []*tree.Tree, name func(cycle int64) SnapshotRef) error {
	for _, t := range trees {
		b.result.Snapshots = append(b.result.Snapshots, name(t.Cycle()))
	}
	if b.result.Mode == "reduce" && len(trees) > 2 {
		trees = []*tree.Tree{trees[0], trees[len(trees)-1]}
	}
	newer, err := b.selected(ctx, trees[0])
	if err != nil {
		return err
	}
	for i, older := range trees[1:] {
		next, err := b.selected(ctx, older)
		if err != nil {
			return err
		}
		pair := diff.Compare(older, trees[i], &diff.Selection{From: next, To: newer})
		block := DiffBlock{From: name(trees[i].Cycle()), To: name(older.Cycle()), AddedIDs: pair.Added, RemovedIDs: pair.Removed,
			Changed: make([]NodeChange, 0, len(pair.Changed)), Stats: RangeStats{len(pair.Added), len(pair.Removed), len(pair.Changed)}}
		b.cut(&block, pair)
		for _, d := range pair.Changed {
			fields := pair.Fields(d)
			c := NodeChange{ID: d.New.ID, Fields: fields, Delta: pair.Delta(d, fields)}
			if err := b.contents(ctx, &c, d, &block); err != nil {
				return err
			}
			block.Changed = append(block.Changed, c)
		}
		b.result.Diffs = append(b.result.Diffs, block)
		newer = next
	}
	return nil
}

// cut keeps what the cap on a block allows.
func (b *rangeBuilder) cut(block *DiffBlock, pair *diff.Pair) {
	if b.limits.MaxChangesPerSnapshot == nil {
		return
	}
	left := *b.limits.MaxChangesPerSnapshot
	total := block.Stats.Added + block.Stats.Removed + block.Stats.Changed
	if total > left {
		b.truncated(block.From.Label + " to " + block.To.Label + " has " + strconv.Itoa(total) + " changes; the first " + strconv.Itoa(left) + " are here")
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

// selected returns the ids that the selector finds in one snapshot.
func (b *rangeBuilder) selected(ctx context.Context, t *tree.Tree) (map[string]bool, error) {
	r, err := b.plan.Run(ctx, t)
	if err != nil {
		return nil, err
	}
	nodes := b.plan.Window(r.Nodes)
	ids := make(map[string]bool, len(nodes))
	for _, e := range nodes {
		ids[e.Node().ID] = true
	}
	return ids, nil
}

// ref names the snapshot of a cycle on an axis.
func ref(axis byte, latest, cycle int64) SnapshotRef {
	if axis == 'c' {
		return SnapshotRef{"c", cycle, Cycle(cycle).String(), cycle}
	}
	return SnapshotRef{"t", cycle - latest, Address{'t', cycle - latest}.String(), cycle}
}
