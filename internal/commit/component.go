package commit

import (
	"slices"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// component is a set of nodes that pruning removes together or not at all: a
// strongly connected component of the graph whose edges lead from a node to the
// nodes that must go with it (02 §5.4, see dependencies). A node without such edges
// is a component of its own. Removing other nodes never splits a component, so it is
// computed once.
type component struct {
	members      []string  // ids, sorted
	roots        []string  // members that can be removed: blocks outside cores, turns, removable groups
	turns        []string  // the turns among the roots; a turn takes along everything below it
	groups       []string  // the removable groups among the roots; a group goes when it is empty
	sys          []string  // the blocks of ^sys among the roots
	staysBecause string    // why the component always stays, "" where nothing keeps it
	staysFor     string    // the member that this reason concerns
	lastReferrer candidate // the referrer from outside that outsideReferrer found last
}

// components finds the component of a node. It looks at every node and every
// reference at most once, however often it is asked.
type components struct {
	*pruner
	found map[string]*component // by the id of each member
}

// of returns the component of a node that is in the tree.
func (s *components) componentOf(id string) (*component, error) {
	if s.found[id] == nil {
		if err := s.search(id); err != nil {
			return nil, err
		}
	}
	return s.found[id], nil
}

// frame is a node on the stack of a depth-first search.
type frame struct {
	id         string
	unfollowed []string // its dependencies that the search has still to follow
}

// search finds the components of a node and of everything that it depends on, with
// Tarjan's algorithm (1972). The stack is a slice instead of recursion, because it
// grows as long as the longest chain of references.
func (s *components) search(start string) error {
	index, low := make(map[string]int), make(map[string]int) // both count from 1; 0 is a node not seen yet
	unassigned := make([]string, 0, 8)                       // nodes that were seen and have no component yet
	stack := make([]frame, 0, 8)
	push := func(id string) error {
		unassigned = append(unassigned, id)
		index[id], low[id] = len(index)+1, len(index)+1
		ids, err := s.dependencies(id)
		stack = append(stack, frame{id, ids})
		return err
	}
	if err := push(start); err != nil {
		return err
	}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(top.unfollowed) > 0 {
			to := top.unfollowed[0]
			top.unfollowed = top.unfollowed[1:]
			switch {
			case s.found[to] != nil:
			case index[to] == 0:
				if err := push(to); err != nil {
					return err
				}
			default:
				low[top.id] = min(low[top.id], index[to])
			}
			continue
		}
		id := top.id
		if stack = stack[:len(stack)-1]; len(stack) > 0 {
			caller := stack[len(stack)-1].id
			low[caller] = min(low[caller], low[id])
		}
		if low[id] == index[id] {
			first := len(unassigned) - 1
			for unassigned[first] != id {
				first--
			}
			if err := s.add(unassigned[first:]); err != nil {
				return err
			}
			unassigned = unassigned[:first]
		}
	}
	return nil
}

// add makes a component of its members.
func (s *components) add(members []string) error {
	c := &component{members: slices.Clone(members)}
	slices.Sort(c.members)
	var room [8]*tree.Entry
	for _, id := range c.members {
		s.found[id] = c
		path, err := s.tree.AppendPath(room[:0], id)
		if err != nil {
			return err
		}
		switch e := path[len(path)-1]; {
		case prunable(path):
			c.roots = append(c.roots, id)
			if e.Class() == tree.Turn {
				c.turns = append(c.turns, id)
			} else if path[1].Class() == tree.Sys {
				c.sys = append(c.sys, id)
			}
		case mayCascade(path):
			c.roots = append(c.roots, id)
			c.groups = append(c.groups, id)
		case enclosingTurn(path) == "" && c.staysBecause == "":
			c.staysBecause, c.staysFor = lifecycle.Referenced, id
		}
		if why, err := s.reasonToStay(path); err != nil {
			return err
		} else if why != "" && c.staysBecause == "" {
			c.staysBecause, c.staysFor = why, id
		}
	}
	return nil
}

// dependencies returns the nodes that must go before a node can go: the nodes that
// refer to it, the other half of its pair of call and result, the nodes below it, and
// the turn around a node that cannot go without its turn. An ancestor that refers to
// the node is left out unless it can cascade: it keeps the node (see outsideReferrer),
// but a block never takes its own turn along.
func (s *components) dependencies(id string) (ids []string, err error) {
	var room [8]*tree.Entry
	path, err := s.tree.AppendPath(room[:0], id)
	if err != nil {
		return nil, err
	}
	e := path[len(path)-1]
	for from, err := range s.tree.Referrers(id) {
		if err != nil {
			return nil, err
		}
		if from != id && !isFixedAncestor(path, from) {
			ids = append(ids, from)
		}
	}
	if s.pairsGoTogether() {
		halves, err := partners(s.tree, e.Node())
		if err != nil {
			return nil, err
		}
		ids = append(ids, halves...)
	}
	switch {
	case prunable(path) && e.Class() == tree.Turn:
		ids = slices.Grow(ids, e.Summary().Nodes)
		first := len(ids)
		if ids, err = appendIDs(ids, e); err != nil {
			return nil, err
		}
		ids = slices.Delete(ids, first, first+1) // the turn itself
	case prunable(path):
	case mayCascade(path):
		for k, err := range e.Children().All() {
			if err != nil {
				return nil, err
			}
			ids = append(ids, k.Node().ID)
		}
	default:
		if turn := enclosingTurn(path); turn != "" {
			ids = append(ids, turn)
		}
	}
	return ids, nil
}

// pairsGoTogether reports whether removing a call removes its result and the reverse
// (decision 062): where the policy asks for it, and where a rule removes. In a rewrite they
// can go alone, because it may bring the other half again.
func (p *pruner) pairsGoTogether() bool {
	return !p.rewriting && (p.byRule != nil || p.in.Policy.WholePairs || !p.keepsOrphans())
}

// isFixedAncestor reports whether id names an ancestor of the node at the end of path
// that stays when that node goes: one that cannot cascade, or is above one.
func isFixedAncestor(path []*tree.Entry, id string) bool {
	for i := len(path) - 2; i >= 0; i-- {
		stays := !mayCascade(path[:i+1])
		if path[i].Node().ID == id || stays {
			return stays && slices.ContainsFunc(path[:i+1], func(e *tree.Entry) bool { return e.Node().ID == id })
		}
	}
	return false
}

// mayCascade reports whether the node at the end of path is a removable group
// outside cores, which goes when its last child goes (02 §5.3.1).
func mayCascade(path []*tree.Entry) bool {
	e := path[len(path)-1]
	return len(path) > 2 && e.Class() == tree.Container && e.Node().Removable && !tree.InCore(path)
}

// enclosingTurn returns the id of the sealed turn above the node at the end of path,
// "" if there is none.
func enclosingTurn(path []*tree.Entry) string {
	if len(path) > 3 && prunable(path[:3]) && path[2].Class() == tree.Turn {
		return path[2].Node().ID
	}
	return ""
}

// groupWithOutsideChild returns a group of a component that has a child in none of the
// components in inside, and that child; "" where every group would be empty.
func (s *components) groupWithOutsideChild(of *component, inside map[*component]bool) (group, child string, err error) {
	for _, id := range of.groups {
		path, err := s.tree.Path(id)
		if err != nil {
			return "", "", err
		}
		if turn := enclosingTurn(path); turn != "" {
			if c, err := s.componentOf(turn); err != nil {
				return "", "", err
			} else if inside[c] {
				continue
			}
		}
		for k, err := range path[len(path)-1].Children().All() {
			if err != nil {
				return "", "", err
			}
			if c, err := s.componentOf(k.Node().ID); err != nil {
				return "", "", err
			} else if !inside[c] {
				return id, k.Node().ID, nil
			}
		}
	}
	return "", "", nil
}

// outsideReferrer returns the node outside the components in inside that refers to a
// component, the zero candidate if there is none. Of several it takes the one that
// pruning removes last: until then a new attempt would fail.
func (s *components) outsideReferrer(of *component, inside map[*component]bool) (last candidate, err error) {
	if id := of.lastReferrer.id; id != "" {
		has, err := s.tree.Has(id)
		var c *component
		if has && err == nil {
			c, err = s.componentOf(id)
		}
		if err != nil {
			return candidate{}, err
		}
		if has && !inside[c] {
			return of.lastReferrer, nil
		}
	}
	for _, id := range of.members {
		for from, err := range s.tree.Referrers(id) {
			if err != nil {
				return candidate{}, err
			}
			if from == id {
				continue
			}
			c, err := s.componentOf(from)
			if err != nil {
				return candidate{}, err
			}
			if !inside[c] {
				referrer, err := s.referrer(from)
				if err != nil {
					return candidate{}, err
				}
				last = later(last, referrer)
			}
		}
	}
	of.lastReferrer = last
	return last, nil
}

// referrer returns a node that refers to another as a candidate, which it may be.
func (s *components) referrer(id string) (candidate, error) {
	var room [8]*tree.Entry
	path, err := s.tree.AppendPath(room[:0], id)
	if err != nil {
		return candidate{}, err
	}
	if len(path) == 1 {
		return candidate{id: id, node: path[0].Node(), priority: path[0].Node().Priority}, nil
	}
	return s.candidate(path[len(path)-1].Node(), path[1].Class())
}

// later returns the candidate that pruning takes later. The zero candidate counts as
// none.
func later(a, b candidate) candidate {
	if a.id == "" || b.id != "" && compareCandidates(a, b) < 0 {
		return b
	}
	return a
}
