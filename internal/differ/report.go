package differ

import (
	"cmp"
	"context"
	"slices"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/differ/content"
	"github.com/contexttree/pact/internal/tree"
)

// Rich compares two trees for a [diff.Report].
type Rich struct {
	From, To           *tree.Tree // in either order of time
	FromLabel, ToLabel string     // addresses, such as @c3
	Selection          *Selection // nil for all nodes

	// Cause says what made a node differ. Old is the earlier version, New the later.
	Cause func(d tree.Difference, fields []string) (diff.Cause, error)

	Mode         diff.Mode // of content diffs
	ContextLines int       // unchanged lines around a change in a unified diff
}

// Report returns the changes from From to To. It fails if it cannot read a
// content. Cost: O(log n) for each difference, and the contents that differ.
func (r *Rich) Report(ctx context.Context) (*diff.Report, error) {
	b := &richBuilder{Rich: r, ctx: ctx, older: r.From, newer: r.To, report: &diff.Report{
		From: side(r.From, r.FromLabel), To: side(r.To, r.ToLabel),
		Modified: []diff.Modification{}, ChildrenAdded: map[string][]string{}, ChildrenRemoved: map[string][]string{},
	}}
	s := r.Selection
	if b.backwards = r.From.Cycle() > r.To.Cycle(); b.backwards {
		b.older, b.newer = r.To, r.From
		if s != nil {
			s = &Selection{From: s.To, To: s.From}
		}
	}
	var err error
	if b.pair, err = Compare(b.older, b.newer, s); err != nil {
		return nil, err
	}
	return b.report, b.build()
}

func side(t *tree.Tree, label string) diff.Side {
	blocks, bytes := t.ThreadSize()
	return diff.Side{Label: label, Cycle: t.Cycle(), Blocks: blocks, Bytes: bytes}
}

// richBuilder builds a report. It compares the older tree with the newer, and
// reverses the result if the report leads back in time.
type richBuilder struct {
	*Rich
	ctx          context.Context
	older, newer *tree.Tree
	backwards    bool
	pair         *Pair
	report       *diff.Report
}

func (b *richBuilder) build() (err error) {
	added, removed := b.pair.Added, b.pair.Removed
	if b.backwards {
		added, removed = removed, added
	}
	if b.report.Added, err = b.components(b.To, added); err != nil {
		return err
	}
	if b.report.Removed, err = b.components(b.From, removed); err != nil {
		return err
	}
	for _, d := range b.pair.Changed {
		m, err := b.modification(d)
		if err != nil {
			return err
		}
		b.report.Modified = append(b.report.Modified, m)
	}
	if err := b.children(); err != nil {
		return err
	}
	b.report.Moves, b.report.Replacements, err = b.pairs(removed, added)
	return err
}

// components describes nodes of one side.
func (b *richBuilder) components(t *tree.Tree, ids []string) ([]diff.Component, error) {
	list := make([]diff.Component, len(ids))
	for i, id := range ids {
		d, err := b.difference(id)
		if err != nil {
			return nil, err
		}
		var fields []string
		if d.Old != nil && d.New != nil {
			fields = b.pair.Fields(d)
		}
		cause, err := b.Cause(d, fields)
		if err != nil {
			return nil, err
		}
		node, err := t.Node(id)
		if err != nil {
			return nil, err
		}
		parent, err := t.Parent(id)
		if err != nil {
			return nil, err
		}
		ranges, err := RangesOf(b.From, id, b.To, id)
		if err != nil {
			return nil, err
		}
		list[i] = diff.Component{ID: id, Type: node.Type, Parent: parent, Cause: cause, Ranges: ranges}
	}
	return list, nil
}

// difference looks up both versions of a node.
func (b *richBuilder) difference(id string) (d tree.Difference, err error) {
	if d.Old, d.OldClass, d.OldParent, err = versionIn(b.older, id); err == nil {
		d.New, d.NewClass, d.NewParent, err = versionIn(b.newer, id)
	}
	return d, err
}

// versionIn returns the version of a node in a tree, nil if it is not there, its class and its parent.
func versionIn(t *tree.Tree, id string) (n *tree.Node, class tree.Class, parent string, err error) {
	e, err := t.Entry(id)
	if err != nil || e == nil {
		return nil, 0, "", err
	}
	parent, err = t.Parent(id)
	return e.Node(), e.Class(), parent, err
}

// RangesOf returns the place of a node in one tree and that of a node, the same or another, in another tree.
func RangesOf(from *tree.Tree, id string, to *tree.Tree, now string) (r diff.Ranges, err error) {
	if r.Previous, err = RangeOf(from, id); err == nil {
		r.New, err = RangeOf(to, now)
	}
	return r, err
}

// RangeOf returns the place of a node in the canonical thread of a tree, nil if
// the node is not there. It renders nothing. Cost: O(depth · log n).
func RangeOf(t *tree.Tree, id string) (*diff.Range, error) {
	start, end, ok, err := t.ThreadRange(id)
	if err != nil || !ok {
		return nil, err
	}
	return &diff.Range{Start: start, End: end}, nil
}

func (b *richBuilder) modification(d tree.Difference) (diff.Modification, error) {
	fields := b.pair.Fields(d)
	ranges, err := RangesOf(b.From, d.New.ID, b.To, d.New.ID)
	if err != nil {
		return diff.Modification{}, err
	}
	m := diff.Modification{ID: d.New.ID, Type: d.New.Type, Ranges: ranges}
	m.Fields = FieldsOf(d, fields, b.older.Base(), b.newer.Base())
	if m.Cause, err = b.Cause(d, fields); err != nil {
		return m, err
	}
	if b.backwards {
		for i, f := range m.Fields {
			m.Fields[i].Previous, m.Fields[i].New = f.New, f.Previous
		}
	}
	if d.OldParent != d.NewParent {
		m.ParentChanged = &diff.ParentChanged{Previous: d.OldParent, New: d.NewParent}
		if b.backwards {
			m.ParentChanged = &diff.ParentChanged{Previous: d.NewParent, New: d.OldParent}
		}
	}
	if b.newer.Root().Node().Bare && d.Old.Offset != d.New.Offset {
		m.OffsetChanged = &diff.OffsetChanged{Previous: d.Old.Offset, New: d.New.Offset}
		if b.backwards {
			m.OffsetChanged = &diff.OffsetChanged{Previous: d.New.Offset, New: d.Old.Offset}
		}
	}
	if slices.Contains(fields, "content_hash") {
		from, to := d.Old, d.New
		if b.backwards {
			from, to = to, from
		}
		m.ContentDiff, err = b.contentDiff(from, to)
	}
	return m, err
}

// contentDiff returns the changes from the content on the From side to the content
// on the To side, nil if only headers that the hash covers differ.
func (b *richBuilder) contentDiff(from, to *tree.Node) (*diff.ContentDiff, error) {
	var values [2]canon.Value
	for i, n := range [...]*tree.Node{from, to} {
		content, err := n.Content.Value(b.ctx)
		if err != nil {
			return nil, err
		}
		values[i] = content
	}
	if values[0] == values[1] {
		return nil, nil
	}
	ages := [2]string{"older", "newer"}
	if b.backwards {
		ages = [2]string{"newer", "older"}
	}
	d := content.Compare(content.Side{Value: values[0], Label: ages[0] + "(" + b.FromLabel + ")/" + from.ID},
		content.Side{Value: values[1], Label: ages[1] + "(" + b.ToLabel + ")/" + to.ID}, b.Mode, b.ContextLines)
	d.MIME, _ = to.Header("mime").Text()
	if b.backwards {
		d.Summary.BytesNewer, d.Summary.BytesOlder = d.Summary.BytesOlder, d.Summary.BytesNewer
	}
	return &d, nil
}

// children lists for each parent the added and the removed children.
func (b *richBuilder) children() error {
	for _, c := range b.report.Added {
		b.report.ChildrenAdded[c.Parent] = append(b.report.ChildrenAdded[c.Parent], c.ID)
	}
	for _, c := range b.report.Removed {
		b.report.ChildrenRemoved[c.Parent] = append(b.report.ChildrenRemoved[c.Parent], c.ID)
	}
	for _, m := range b.report.Modified {
		if p := m.ParentChanged; p != nil {
			b.report.ChildrenAdded[p.New] = append(b.report.ChildrenAdded[p.New], m.ID)
			b.report.ChildrenRemoved[p.Previous] = append(b.report.ChildrenRemoved[p.Previous], m.ID)
		}
	}
	return cmp.Or(sortAll(b.To, b.report.ChildrenAdded), sortAll(b.From, b.report.ChildrenRemoved))
}

func sortAll(t *tree.Tree, lists map[string][]string) (err error) {
	for _, ids := range lists {
		if err == nil {
			err = t.Sort(ids)
		}
	}
	return err
}
