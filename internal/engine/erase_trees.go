package engine

import (
	"context"
	"slices"

	"github.com/contexttree/pact/internal/tree"
)

// subtrees collects the ids of all nodes below the nodes that an erasure names, in the trees
// of all contexts of a family.
type subtrees struct {
	below map[string]bool // the ids named and those found below them
	seen  map[string]bool // of the ids named, those that look found
	named map[string]bool
}

// newSubtrees returns an empty subtrees for the ids that an erasure names.
func newSubtrees(ids []string) *subtrees {
	f := &subtrees{make(map[string]bool, len(ids)), make(map[string]bool, len(ids)), make(map[string]bool, len(ids))}
	for _, id := range ids {
		f.below[id], f.named[id] = true, true
	}
	return f
}

// look adds the ids of a tree. last is the tree before it, which look has seen, or nil. Cost:
// the nodes that differ between the two, and the nodes below these.
func (f *subtrees) look(last, t *tree.Tree) error {
	looked := make(map[string]bool)
	if last == nil {
		return f.addSubtree(t.Root(), false, looked)
	}
	_, born, err := last.Delta(t)
	if err != nil {
		return err
	}
	for _, b := range born {
		id := b.Node.ID
		if looked[id] {
			continue
		}
		has, err := last.Has(id)
		if err != nil {
			return err
		}
		if parent, err := last.Parent(id); err != nil {
			return err
		} else if has && parent == b.Parent {
			continue
		}
		// Delta lists only the node that moved, but everything below it is in another place too.
		path, err := t.Path(id)
		if err != nil {
			return err
		}
		under := slices.ContainsFunc(path[:len(path)-1], func(e *tree.Entry) bool { return f.named[e.Node().ID] })
		if err := f.addSubtree(path[len(path)-1], under, looked); err != nil {
			return err
		}
	}
	return nil
}

// addSubtree adds the named ids of an entry and of everything below it. If below is set, something
// above is named, and it adds all ids.
func (f *subtrees) addSubtree(e *tree.Entry, below bool, looked map[string]bool) error {
	id := e.Node().ID
	looked[id] = true
	if f.named[id] {
		f.seen[id] = true
		below = true
	}
	if below {
		f.below[id] = true
	}
	for k, err := range e.Children().All() {
		if err != nil {
			return err
		}
		if err := f.addSubtree(k, below, looked); err != nil {
			return err
		}
	}
	return nil
}

// rewriter turns the trees of a history, one after the other, into the trees that an erasure
// leaves. The new trees share with each other what the old ones share.
type rewriter struct {
	// leave returns what is left of a node, or the node itself if it does not change.
	leave    func(ctx context.Context, n *tree.Node) (*tree.Node, error)
	old, new *tree.Tree
	gaps     map[*tree.Node]*tree.Node
}

// next rewrites the next tree. Trees before the first erased node stay the same. Cost: the
// nodes that differ from the previous tree.
func (r *rewriter) next(ctx context.Context, t *tree.Tree) error {
	var gone []string
	var born []tree.Born
	if r.gaps == nil {
		r.gaps = make(map[*tree.Node]*tree.Node)
	}
	if r.old == nil {
		for e, err := range t.All() {
			if err != nil {
				return err
			}
			born = append(born, tree.Born{Node: e.Node(), Parent: e.Parent})
		}
	} else {
		var err error
		if gone, born, err = r.old.Delta(t); err != nil {
			return err
		}
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
	case r.old != r.new:
		var err error
		if r.new, err = r.new.Patch(t.Cycle(), gone, born); err != nil {
			return err
		}
	case len(gaps) > 0:
		var err error
		if r.new, err = t.Patch(t.Cycle(), nil, gaps); err != nil {
			return err
		}
	default:
		r.new = t
	}
	r.old = t
	return nil
}

func (r *rewriter) gap(ctx context.Context, n *tree.Node) (*tree.Node, error) {
	if gap, done := r.gaps[n]; done {
		return gap, nil
	}
	gap, err := r.leave(ctx, n)
	if err == nil && gap != n {
		r.gaps[n] = gap
	}
	return gap, err
}
