package commit

import (
	"iter"
	"slices"

	"github.com/contexttree/pact/internal/tree"
)

// unprotected yields the paths to the items of a tree, which are ^ah, ^sys and each turn that is not protected. A path is
// valid until the next.
func (p *pruner) unprotected() iter.Seq2[[]*tree.Entry, error] {
	return func(yield func([]*tree.Entry, error) bool) {
		var room [8]*tree.Entry
		if !yield(p.itemPath(room[:0], p.tree.Region(tree.Head)), nil) ||
			!yield(p.itemPath(room[:0], p.tree.Region(tree.Sys)), nil) {
			return
		}
		for turn, err := range p.unprotectedTurns(nil) {
			if !yield(p.itemPath(room[:0], turn), err) {
				return
			}
		}
	}
}

// unprotectedTurns yields the turns that are not protected, without runs of them that enter refuses.
func (p *pruner) unprotectedTurns(enter func(*tree.Summary) bool) iter.Seq2[*tree.Entry, error] {
	turns := p.tree.Region(tree.Seq).Children()
	return turns.Visit(0, turns.Len()-min(p.in.Policy.ProtectTurns, turns.Len()), enter)
}

// itemPath appends the path to an item.
func (p *pruner) itemPath(path []*tree.Entry, item *tree.Entry) []*tree.Entry {
	if path = append(path, p.tree.Root()); item.Class().Region() {
		return append(path, item)
	}
	return append(path, p.tree.Region(tree.Seq), item)
}

// itemsFor yields the items in which a node may help a limit, and returns how many nodes they have at most: items in which
// a node may count, and those that references tie to them. Where these are an eighth of the tree or more, it yields all.
// Cost: O(1) for each node of an item in which one may count, up to an eighth, and a path for each of their references.
func (p *pruner) itemsFor(limits []*limit) (iter.Seq2[[]*tree.Entry, error], int, error) {
	all, found := p.tree.Root().Summary().Nodes, 0
	most := max(16, all/8)
	var items []*tree.Entry
	add := func(item *tree.Entry) {
		items, found = append(items, item), found+item.Summary().Nodes
	}
	for _, class := range [...]tree.Class{tree.Sys, tree.Head} {
		if item := p.tree.Region(class); mayCountIn(limits, class, item.Summary()) {
			add(item)
		}
	}
	may := func(s *tree.Summary) bool { return mayCountIn(limits, tree.Seq, s) }
	for turn, err := range p.unprotectedTurns(may) {
		if err != nil || found > most {
			return p.unprotected(), all, err
		}
		if may(turn.Summary()) {
			add(turn)
		}
	}
	known := make(map[string]bool, len(items))
	for _, item := range items {
		known[item.Node().ID] = true
	}
	var room [8]*tree.Entry
	follow := func(id string) error {
		path, err := p.tree.AppendPath(room[:0], id)
		if item := itemOf(path); err == nil && item != nil && !known[item.Node().ID] && !p.isProtected(path) {
			known[item.Node().ID] = true
			add(item)
		}
		return err
	}
	for i := 0; i < len(items) && found <= most; i++ {
		for e, err := range items[i].All() {
			if err != nil {
				return nil, 0, err
			}
			for _, to := range e.Node().Refs {
				if err := follow(to); err != nil {
					return nil, 0, err
				}
			}
			for from, err := range p.tree.Referrers(e.Node().ID) {
				if err == nil {
					err = follow(from)
				}
				if err != nil {
					return nil, 0, err
				}
			}
		}
	}
	if found > most {
		return p.unprotected(), all, nil
	}
	return func(yield func([]*tree.Entry, error) bool) {
		for _, item := range items {
			if !yield(p.itemPath(room[:0], item), nil) {
				return
			}
		}
	}, found, nil
}

// mayCountIn reports whether a node of what a summary is of may count for a limit. Only a false is certain.
func mayCountIn(limits []*limit, region tree.Class, s *tree.Summary) bool {
	return slices.ContainsFunc(limits, func(l *limit) bool {
		return l.within(region) && (s.Marks.May(l.marks()))
	})
}

// itemOf returns the item that the node at the end of path is or is in, nil if there is none.
func itemOf(path []*tree.Entry) *tree.Entry {
	switch {
	case len(path) > 2 && path[1].Class() == tree.Seq:
		return path[2]
	case len(path) > 1 && path[1].Class() != tree.Seq:
		return path[1]
	}
	return nil
}
