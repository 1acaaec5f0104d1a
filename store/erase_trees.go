package store

import (
	"context"

	"github.com/contexttree/pact/tree"
)

// Family collects the ids of all nodes below the nodes that an erasure names, in the trees
// of all contexts of a family.
type Family struct {
	Below map[string]bool // the ids named and those found below them
	Seen  map[string]bool // of the ids named, those that were there
	named map[string]bool
}

// NewFamily returns an empty Family for the ids that an erasure names.
func NewFamily(ids []string) *Family {
	f := &Family{make(map[string]bool, len(ids)), make(map[string]bool, len(ids)), make(map[string]bool, len(ids))}
	for _, id := range ids {
		f.Below[id], f.named[id] = true, true
	}
	return f
}

// Look adds the ids of a tree. before is the tree before it, which was looked at, or nil.
// Cost: what differs between the two, and the nodes below that.
func (f *Family) Look(last, t *tree.Tree) {
	looked := make(map[string]bool)
	if last == nil {
		f.take(t.Root(), false, looked)
		return
	}
	_, born := last.Delta(t)
	for _, b := range born {
		if id := b.Node.ID; !looked[id] && (!last.Has(id) || last.Parent(id) != b.Parent) {
			// What stands below a node that moved did not move, and is elsewhere all the same.
			f.take(t.Entry(id), f.above(t, b.Parent), looked)
		}
	}
}

// above reports whether a node or one above it is named.
func (f *Family) above(t *tree.Tree, id string) bool {
	for ; id != ""; id = t.Parent(id) {
		if f.named[id] {
			return true
		}
	}
	return false
}

// take takes down what is named in an entry and below it, or all of it where
// something above is named.
func (f *Family) take(e *tree.Entry, below bool, looked map[string]bool) {
	id := e.Node().ID
	looked[id] = true
	if f.named[id] {
		f.Seen[id] = true
		below = true
	}
	if below {
		f.Below[id] = true
	}
	for k := range e.Children().All() {
		f.take(k, below, looked)
	}
}

// Rewriter turns the trees of a history, one after the other, into the trees that an
// erasure leaves. The new trees share what did not change, as the old ones do.
type Rewriter struct {
	// what is left of a node; the node itself where it stays as it is
	Gap  func(ctx context.Context, n *tree.Node) (*tree.Node, error)
	Old  *tree.Tree
	New  *tree.Tree
	gaps map[*tree.Node]*tree.Node
}

// Next rewrites the next tree. Trees before the first erased node stay the same. Cost: what
// differs from the tree before.
func (r *Rewriter) Next(ctx context.Context, t *tree.Tree) error {
	var gone []string
	var born []tree.Born
	if r.Old == nil {
		r.gaps = make(map[*tree.Node]*tree.Node)
		for e, parent := range t.All() {
			born = append(born, tree.Born{Node: e.Node(), Parent: parent})
		}
	} else {
		gone, born = r.Old.Delta(t)
	}
	var gaps []tree.Born
	for i, b := range born {
		n, err := r.gap(ctx, b.Node)
		if err != nil {
			return err
		}
		if n != b.Node {
			born[i].Node = n
			gaps = append(gaps, born[i])
		}
	}
	switch {
	case r.Old != r.New:
		r.New = r.New.Patch(t.Cycle(), gone, born)
	case len(gaps) > 0:
		r.New = t.Patch(t.Cycle(), nil, gaps)
	default:
		r.New = t
	}
	r.Old = t
	return nil
}

func (r *Rewriter) gap(ctx context.Context, n *tree.Node) (*tree.Node, error) {
	if gap, done := r.gaps[n]; done {
		return gap, nil
	}
	gap, err := r.Gap(ctx, n)
	if err == nil && gap != n {
		r.gaps[n] = gap
	}
	return gap, err
}
