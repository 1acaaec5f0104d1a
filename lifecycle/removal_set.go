package lifecycle

import (
	"slices"

	"github.com/contexttree/pact/internal/tree"
)

// removalSet returns the roots of the subtrees that must go with a candidate, because its
// component depends on them (02 §5.4, §7.2); decision 014 calls this a unit. If something keeps one of them, it
// returns in held what and why: a node that is pinned, retained, protected or in ^sys, a
// turn that the caller did not name, a reference from outside. blockers are then the
// nodes after whose removal the candidate is worth another attempt.
func (p *pruner) removalSet(c candidate) (roots, blockers []string, held Kept) {
	keep := func(kept, by string, blockers ...string) (_, _ []string, _ Kept) {
		blockers = append(blockers, by)
		if by == c.id {
			by, blockers = "", nil
		}
		return nil, blockers, Kept{ID: c.id, Reason: Pruned, Why: kept, By: by}
	}
	var room [8]*tree.Entry
	if why := p.keptBecause(p.tree.AppendPath(room[:0], c.id)); why != "" {
		return keep(why, c.id)
	}
	first := p.components.of(c.id)
	members, inside := []*component{first}, map[*component]bool{first: true}
	for i := 0; i < len(members); i++ { // a turn adds the components of everything below it
		if members[i].kept != "" {
			return keep(members[i].kept, members[i].by)
		}
		for _, turn := range members[i].turns {
			eachID(p.tree.Entry(turn), func(id string) {
				if m := p.components.of(id); !inside[m] {
					inside[m] = true
					members = append(members, m)
				}
			})
		}
	}
	for _, m := range members {
		for _, id := range m.sys {
			if !c.sys && !p.requested[id] {
				return keep(Referenced, id)
			}
		}
		for _, turn := range m.turns {
			if p.requested != nil && !p.requested[turn] {
				return keep(PartOfTurn, turn)
			}
		}
	}
	var by candidate
	for _, m := range members {
		if group, child := p.components.groupWithOutsideChild(m, inside); group != "" {
			return keep(Referenced, group, child)
		}
		by = later(by, p.components.outsideReferrer(m, inside))
		roots = append(roots, m.roots...)
	}
	if by.id != "" {
		return keep(Referenced, by.id)
	}
	return outermost(p.tree, roots), nil, Kept{}
}

// keptBecause returns why the node at the end of path stays whatever else goes (02 §7.2),
// "" where nothing keeps it.
func (p *pruner) keptBecause(path []*tree.Entry) string {
	switch n := path[len(path)-1].Node(); {
	case n.Pinned:
		return Pinned
	case p.in.Retained(n.ID):
		return Retained
	case p.isProtected(path):
		return Recent
	case n.ID == p.task:
		return FirstMessage
	}
	return p.keptByRule(path)
}

// outermost removes from roots those that are below another root.
func outermost(t *tree.Tree, roots []string) []string {
	if len(roots) == 1 {
		return roots
	}
	all := make(map[string]bool, len(roots))
	for _, id := range roots {
		all[id] = true
	}
	return slices.DeleteFunc(roots, func(id string) bool {
		for id = t.Parent(id); id != ""; id = t.Parent(id) {
			if all[id] {
				return true
			}
		}
		return false
	})
}

// turnOf returns the id of the sealed turn that a node is or is in, "" elsewhere.
func turnOf(t *tree.Tree, id string) string {
	path := t.Path(id)
	if len(path) < 3 || path[1].Class() != tree.Seq {
		return ""
	}
	return path[2].Node().ID
}
