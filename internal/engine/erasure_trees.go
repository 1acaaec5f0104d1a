package engine

import (
	"context"

	"github.com/contexttree/pact/internal/tree"
)

// Family collects the ids of all nodes below the nodes that an erasure names, in the trees
// of all contexts of a family.
type Family struct {
	Below map[string]bool // the ids named and those found below them
	Seen  map[string]bool // of the ids named, those that Look found
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

// Look adds the ids of a tree. last is the tree before it, which Look has seen, or nil. Cost:
// the nodes that differ between the two, and the nodes below these.
func (f *Family) Look(last, t *tree.Tree) {
	looked := make(map[string]bool)
	if last == nil {
		f.take(t.Root(), false, looked)
		return
	}
	_, born := last.Delta(t)
	for _, b := range born {
		if id := b.Node.ID; !looked[id] && (!last.Has(id) || last.Parent(id) != b.Parent) {
			// Delta lists only the node that moved, but everything below it is in another place
			// too.
			f.take(t.Entry(id), f.above(t, b.Parent), looked)
		}
	}
}

// above reports whether the node id, or a node above it, is named.
func (f *Family) above(t *tree.Tree, id string) bool {
	for ; id != ""; id = t.Parent(id) {
		if f.named[id] {
			return true
		}
	}
	return false
}

// take adds the named ids of an entry and of everything below it. If below is set, something
// above is named, and it adds all ids.
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

// Rewriter turns the trees of a history, one after the other, into the trees that an erasure
// leaves. The new trees share with each other what the old ones share.
type Rewriter struct {
	// Gap returns what is left of a node, or the node itself if it does not change.
	Gap  func(ctx context.Context, n *tree.Node) (*tree.Node, error)
	Old  *tree.Tree
	New  *tree.Tree
	gaps map[*tree.Node]*tree.Node
}

// Next rewrites the next tree. Trees before the first erased node stay the same. Cost: the
// nodes that differ from the previous tree.
func (r *Rewriter) Next(ctx context.Context, t *tree.Tree) error {
	var gone []string
	var born []tree.Born
	if r.gaps == nil {
		r.gaps = make(map[*tree.Node]*tree.Node)
	}
	if r.Old == nil {
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
