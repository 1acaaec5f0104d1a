package lifecycle

import (
	"slices"

	"github.com/contexttree/pact/tree"
)

// ring is a set of nodes of which each can go only if all the others do: a
// strongly connected part of the graph of what needs what to go. A node that
// nothing ties is a ring of its own. A ring goes as a whole or not at all, so it
// stays what it is while others go.
type ring struct {
	members []string  // by id
	roots   []string  // those that can be removed: blocks outside cores, turns, and removable groups
	turns   []string  // of these the turns, which take along what is below them
	groups  []string  // the removable groups, which go when nothing is left in them
	sys     []string  // the blocks of ^sys among the roots
	kept    string    // why it stays, whatever else happens, "" where nothing keeps it
	by      string    // the member that this is about
	outside candidate // the node outside that was found to refer to it last
}

// rings finds the ring of a node. It looks at every node and every reference at
// most once, however many candidates it is asked about.
type rings struct {
	*pruner
	found map[string]*ring
}

// of returns the ring of a node that is in the tree.
func (r *rings) of(id string) *ring {
	if r.found[id] == nil {
		r.search(id)
	}
	return r.found[id]
}

// visit is a node on the way of a search.
type visit struct {
	id    string
	needs []string // that were not followed yet
}

// search finds the rings of all that a node needs, and of the node (Tarjan 1972).
// The way is kept in a slice, because it may be as long as a chain of references.
func (r *rings) search(start string) {
	low, open := make(map[string]int), []string{} // low: 1 and up; open: those whose ring is not complete
	at := make(map[string]int)
	enter := func(id string) visit {
		open = append(open, id)
		at[id], low[id] = len(at)+1, len(at)+1
		return visit{id, r.needs(id)}
	}
	way := []visit{enter(start)}
	for len(way) > 0 {
		v := &way[len(way)-1]
		if len(v.needs) > 0 {
			to := v.needs[0]
			v.needs = v.needs[1:]
			switch {
			case r.found[to] != nil:
			case at[to] == 0:
				way = append(way, enter(to))
			default:
				low[v.id] = min(low[v.id], at[to])
			}
			continue
		}
		id := v.id
		if way = way[:len(way)-1]; len(way) > 0 {
			before := way[len(way)-1].id
			low[before] = min(low[before], low[id])
		}
		if low[id] == at[id] {
			first := len(open) - 1
			for open[first] != id {
				first--
			}
			r.close(open[first:])
			open = open[:first]
		}
	}
}

// close makes a ring of its members.
func (r *rings) close(members []string) {
	ring := &ring{members: slices.Sorted(slices.Values(members))}
	for _, id := range ring.members {
		r.found[id] = ring
		path := r.tree.Path(id)
		switch e := path[len(path)-1]; {
		case prunable(path):
			ring.roots = append(ring.roots, id)
			if e.Class() == tree.Turn {
				ring.turns = append(ring.turns, id)
			} else if path[1].Class() == tree.Sys {
				ring.sys = append(ring.sys, id)
			}
		case mayCascade(path):
			ring.roots = append(ring.roots, id)
			ring.groups = append(ring.groups, id)
		case turnAround(path) == "" && ring.kept == "":
			ring.kept, ring.by = Referenced, id
		}
		if why := r.keeps(id); why != "" && ring.kept == "" {
			ring.kept, ring.by = why, id
		}
	}
}

// needs returns the nodes that have to go for a node to go: those that refer to
// it, its partners, what is below it, and the turn around what can go with it only.
// A reference from around a block holds it and ties nothing, unless what is around
// would go with it: else a block would take its own turn along.
func (r *rings) needs(id string) (ids []string) {
	path := r.tree.Path(id)
	e := path[len(path)-1]
	for from := range r.tree.Referrers(id) {
		if from != id && !around(path, from) {
			ids = append(ids, from)
		}
	}
	if r.pairs() {
		ids = append(ids, partners(r.tree, e.Node())...)
	}
	switch {
	case prunable(path) && e.Class() == tree.Turn:
		for k := range e.Children().All() {
			everything(k, func(id string) { ids = append(ids, id) })
		}
	case prunable(path):
	case mayCascade(path):
		for k := range e.Children().All() {
			ids = append(ids, k.Node().ID)
		}
	default:
		if turn := turnAround(path); turn != "" {
			ids = append(ids, turn)
		}
	}
	return ids
}

// pairs reports whether a call and its result go together: who keeps orphans can
// ask for one half; and where a conversation is rewritten, the other half may come
// again.
func (p *pruner) pairs() bool {
	return !p.anew && (p.byName == nil || p.in.Policy.Orphans != Keep)
}

// around reports whether a node is above the end of path and cannot go with it.
func around(path []*tree.Entry, id string) bool {
	for i := len(path) - 2; i >= 0; i-- {
		stays := !mayCascade(path[:i+1])
		if path[i].Node().ID == id || stays {
			return stays && slices.ContainsFunc(path[:i+1], func(e *tree.Entry) bool { return e.Node().ID == id })
		}
	}
	return false
}

// mayCascade reports whether a removable group is at the end of path that goes
// when its last child does, and that is not part of a core.
func mayCascade(path []*tree.Entry) bool {
	e := path[len(path)-1]
	return len(path) > 2 && e.Class() == tree.Container && e.Node().Removable && !tree.InCore(path)
}

// turnAround returns the sealed turn that the end of path is in, "" outside.
func turnAround(path []*tree.Entry) string {
	if len(path) > 3 && prunable(path[:3]) && path[2].Class() == tree.Turn {
		return path[2].Node().ID
	}
	return ""
}

// filled returns a group of a ring that has a child outside some rings, with that
// child, "" where there is none.
func (r *rings) filled(of *ring, inside map[*ring]bool) (group, child string) {
	for _, id := range of.groups {
		if turn := turnAround(r.tree.Path(id)); turn != "" && inside[r.of(turn)] {
			continue
		}
		for k := range r.tree.Entry(id).Children().All() {
			if !inside[r.of(k.Node().ID)] {
				return id, k.Node().ID
			}
		}
	}
	return "", ""
}

// referrer returns a node outside some rings that refers to one of them: of all
// the one that pruning would take last, so that few are tried in vain. None where
// there is none.
func (r *rings) referrer(of *ring, inside map[*ring]bool) (last candidate) {
	if id := of.outside.id; id != "" && r.tree.Has(id) && !inside[r.of(id)] {
		return of.outside
	}
	for _, id := range of.members {
		for from := range r.tree.Referrers(id) {
			if from != id && !inside[r.of(from)] {
				last = later(last, candidate{id: from, node: r.tree.Node(from)})
			}
		}
	}
	of.outside = last
	return last
}

// later returns the one that comes later in canonical order, where both are some.
func later(a, b candidate) candidate {
	if a.id == "" || b.id != "" && canonical(a, b) < 0 {
		return b
	}
	return a
}
