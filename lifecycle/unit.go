package lifecycle

import (
	"slices"

	"github.com/contexttree/pact/tree"
)

// unit returns the roots of everything that has to go with a candidate, because
// nodes refer to each other, directly or in a ring, or what keeps it: a node in it
// that is pinned, retained, protected or of ^sys, a turn that nobody asked for, or a
// reference from outside (02 §5.4, §7.2). waits are the nodes whose going may free it.
func (p *pruner) unit(c candidate) (roots, waits []string, held Held) {
	keep := func(kept, by string, waits ...string) (_, _ []string, _ Held) {
		waits = append(waits, by)
		if by == c.id {
			by, waits = "", nil
		}
		return nil, waits, Held{ID: c.id, Reason: Pruned, Kept: kept, By: by}
	}
	if why := p.keeps(c.id); why != "" {
		return keep(why, c.id)
	}
	first := p.rings.of(c.id)
	all, inside := []*ring{first}, map[*ring]bool{first: true}
	for i := 0; i < len(all); i++ { // turns bring what is below them
		if all[i].kept != "" {
			return keep(all[i].kept, all[i].by)
		}
		for _, turn := range all[i].turns {
			everything(p.tree.Entry(turn), func(id string) {
				if r := p.rings.of(id); !inside[r] {
					inside[r] = true
					all = append(all, r)
				}
			})
		}
	}
	for _, r := range all {
		for _, id := range r.sys {
			if !c.sys && !p.byName[id] {
				return keep(Referenced, id)
			}
		}
		for _, turn := range r.turns {
			if p.byName != nil && !p.byName[turn] {
				return keep(Whole, turn)
			}
		}
	}
	var by candidate
	for _, r := range all {
		if group, child := p.rings.filled(r, inside); group != "" {
			return keep(Referenced, group, child)
		}
		by = later(by, p.rings.referrer(r, inside))
		roots = append(roots, r.roots...)
	}
	if by.id != "" {
		return keep(Referenced, by.id)
	}
	return outermost(p.tree, roots), nil, Held{}
}

// keeps returns why a node stays whatever else happens, "" where nothing keeps it.
func (p *pruner) keeps(id string) string {
	switch {
	case p.tree.Node(id).Pinned:
		return Pinned
	case p.in.Retained(id):
		return Retained
	case p.isRecent(p.tree.Path(id)):
		return Recent
	}
	return ""
}

// outermost leaves out the roots that are below another one.
func outermost(t *tree.Tree, roots []string) []string {
	if len(roots) == 1 {
		return roots
	}
	all := make(map[string]bool, len(roots))
	for _, id := range roots {
		all[id] = true
	}
	return slices.DeleteFunc(slices.Clone(roots), func(id string) bool {
		path := t.Path(id)
		return slices.ContainsFunc(path[:len(path)-1], func(e *tree.Entry) bool { return all[e.Node().ID] })
	})
}

// turnOf returns the id of the sealed turn that a node is in, "" outside.
func turnOf(t *tree.Tree, id string) string {
	path := t.Path(id)
	if len(path) < 3 || path[1].Class() != tree.Seq {
		return ""
	}
	return path[2].Node().ID
}
