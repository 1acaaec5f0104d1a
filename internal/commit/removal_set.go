package commit

import (
	"slices"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// removalSet returns the roots of the subtrees that must go with a candidate, because its
// component depends on them (02 §5.4, §7.2); decision 014 calls this a unit. If something keeps one of them, it
// returns as reason what and why: a node that is pinned, retained, protected or in ^sys, a
// turn that the caller did not name, a reference from outside. blockers are then the
// nodes after whose removal the candidate is worth another attempt.
func (p *pruner) removalSet(c candidate) (roots, blockers []string, reason lifecycle.Kept, err error) {
	stay := func(why, by string, blockers ...string) (_, _ []string, _ lifecycle.Kept, _ error) {
		blockers = append(blockers, by)
		if by == c.id {
			by, blockers = "", nil
		}
		return nil, blockers, lifecycle.Kept{ID: c.id, Reason: lifecycle.Pruned, Why: why, By: by}, nil
	}
	var room [8]*tree.Entry
	path, err := p.tree.AppendPath(room[:0], c.id)
	if err != nil {
		return nil, nil, lifecycle.Kept{}, err
	}
	if why, err := p.reasonToStay(path); err != nil {
		return nil, nil, lifecycle.Kept{}, err
	} else if why != "" {
		return stay(why, c.id)
	}
	first, err := p.components.componentOf(c.id)
	if err != nil {
		return nil, nil, lifecycle.Kept{}, err
	}
	members, inside := []*component{first}, map[*component]bool{first: true}
	for i := 0; i < len(members); i++ { // a turn adds the components of everything below it
		if members[i].staysBecause != "" {
			return stay(members[i].staysBecause, members[i].staysFor)
		}
		for _, turn := range members[i].turns {
			e, err := p.tree.Entry(turn)
			if err != nil {
				return nil, nil, lifecycle.Kept{}, err
			}
			for below, err := range e.All() {
				var m *component
				if err == nil {
					m, err = p.components.componentOf(below.Node().ID)
				}
				if err != nil {
					return nil, nil, lifecycle.Kept{}, err
				}
				if !inside[m] {
					inside[m] = true
					members = append(members, m)
				}
			}
		}
	}
	for _, m := range members {
		for _, id := range m.sys {
			if !c.sys && !p.requested[id] {
				return stay(lifecycle.Referenced, id)
			}
		}
		for _, turn := range m.turns {
			if p.requested != nil && !p.requested[turn] {
				return stay(lifecycle.PartOfTurn, turn)
			}
		}
	}
	var by candidate
	for _, m := range members {
		if group, child, err := p.components.groupWithOutsideChild(m, inside); err != nil {
			return nil, nil, lifecycle.Kept{}, err
		} else if group != "" {
			return stay(lifecycle.Referenced, group, child)
		}
		referrer, err := p.components.outsideReferrer(m, inside)
		if err != nil {
			return nil, nil, lifecycle.Kept{}, err
		}
		by = later(by, referrer)
		roots = append(roots, m.roots...)
	}
	if by.id != "" {
		return stay(lifecycle.Referenced, by.id)
	}
	roots, err = outermost(p.tree, roots)
	return roots, nil, lifecycle.Kept{}, err
}

// reasonToStay returns why the node at the end of path stays whatever else goes (02 §7.2),
// "" where nothing keeps it.
func (p *pruner) reasonToStay(path []*tree.Entry) (string, error) {
	switch n := path[len(path)-1].Node(); {
	case n.Pinned:
		return lifecycle.Pinned, nil
	case p.in.Retained(n.ID):
		return lifecycle.Retained, nil
	case p.isProtected(path):
		return lifecycle.Recent, nil
	case n.ID == p.task:
		return lifecycle.FirstMessage, nil
	}
	return p.keptByRule(path)
}

// outermost removes from roots those that are below another root.
func outermost(t *tree.Tree, roots []string) (list []string, err error) {
	if len(roots) == 1 {
		return roots, nil
	}
	all := make(map[string]bool, len(roots))
	for _, id := range roots {
		all[id] = true
	}
	for _, id := range roots {
		path, err := t.Path(id)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(path[:max(0, len(path)-1)], func(e *tree.Entry) bool { return all[e.Node().ID] }) {
			list = append(list, id)
		}
	}
	return list, nil
}

// turnOf returns the id of the sealed turn that a node is or is in, "" elsewhere.
func turnOf(t *tree.Tree, id string) (string, error) {
	path, err := t.Path(id)
	if err != nil || len(path) < 3 || path[1].Class() != tree.Seq {
		return "", err
	}
	return path[2].Node().ID, nil
}
