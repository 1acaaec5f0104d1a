package lifecycle

import (
	"slices"

	"github.com/contexttree/pact/tree"
)

// unit returns the roots of everything that has to go with a candidate,
// because nodes refer to each other, or what keeps it: a node in it that is
// pinned, retained, protected, or referred to from outside (02 §5.4, §7.2).
// ties are the removable groups that tie it together: when one goes, by
// cascade, the unit is another.
func (p *pruner) unit(c candidate) (roots, ties []string, held Held) {
	roots = []string{c.id}
	inside := make(map[string]bool)
	var members []string
	add := func(root string) {
		everything(p.tree.Entry(root), func(id string) {
			if !inside[id] {
				inside[id] = true
				members = append(members, id)
			}
		})
	}
	keep := func(kept, by string) (_, _ []string, _ Held) {
		return nil, ties, Held{ID: c.id, Reason: Pruned, Kept: kept, By: by}
	}
	add(c.id)
	for i := 0; i < len(members); i++ { // members grow as partners join
		n := p.tree.Node(members[i])
		for _, to := range p.together(n) {
			if inside[to] {
				continue
			}
			for _, tied := range [...]*tree.Node{n, p.tree.Node(to)} {
				if tied.Removable {
					ties = append(ties, tied.ID)
				}
			}
			root := p.rootOf(to, c.sys)
			if root == "" {
				return keep(Referenced, to)
			}
			roots = append(roots, root)
			add(root)
		}
	}
	for _, id := range members {
		n := p.tree.Node(id)
		switch {
		case n.Pinned:
			return keep(Pinned, other(id, c.id))
		case p.in.Retained(id):
			return keep(Retained, other(id, c.id))
		case p.recent[turnOf(p.tree, id)]:
			return keep(Recent, other(id, c.id))
		}
	}
	for _, id := range members {
		if by := referrer(p.tree, id, inside); by != "" {
			return keep(Referenced, by)
		}
	}
	return outermost(p.tree, roots), nil, Held{}
}

// outermost leaves out the blocks whose turn is among the roots as well.
func outermost(t *tree.Tree, roots []string) []string {
	if len(roots) == 1 {
		return roots
	}
	all := make(map[string]bool, len(roots))
	for _, id := range roots {
		all[id] = true
	}
	return slices.DeleteFunc(roots, func(id string) bool {
		turn := turnOf(t, id)
		return turn != id && all[turn]
	})
}

// together returns the nodes that a node cannot go without: those that it and
// they refer to, and its partners. Who keeps orphans can ask for one half; and
// where a conversation is rewritten, the other half may come again.
func (p *pruner) together(n *tree.Node) []string {
	ids := mutual(p.tree, n)
	if p.anew || p.byName != nil && p.in.Policy.Orphans == Keep {
		return ids
	}
	for _, id := range partners(p.tree, n) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// rootOf returns what has to be removed for a node to go: the block itself
// where it is prunable alone, the turn around a core, "" where nothing can.
// A block of ^sys goes where it was asked for, or with another that a limit for
// ^sys takes.
func (p *pruner) rootOf(id string, sys bool) string {
	path := p.tree.Path(id)
	switch {
	case len(path) < 2, path[1].Class() == tree.Sys && !p.byName[id] && !sys:
		return ""
	case prunable(path):
		return id
	case path[1].Class() == tree.Seq && len(path) > 2:
		return path[2].Node().ID
	}
	return ""
}

// turnOf returns the id of the sealed turn that a node is in, "" outside.
func turnOf(t *tree.Tree, id string) string {
	path := t.Path(id)
	if path[1].Class() != tree.Seq || len(path) < 3 {
		return ""
	}
	return path[2].Node().ID
}

// other returns id, "" where it is the candidate itself that is kept.
func other(id, candidate string) string {
	if id == candidate {
		return ""
	}
	return id
}
