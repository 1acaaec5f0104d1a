package lifecycle_test

import (
	"slices"
	"sort"
)

// pruner is semantics §4, step 2.
type pruner struct {
	*run
	recent map[string]bool // the protected turns
	named  map[string]bool // what was asked for by name
}

// count is blocks and containers of the snapshot to come: sealing gives the
// head a core where it has none.
func (r *run) count() int {
	n := len(r.list(func(i *item) bool { return i.class == "block" || i.class == "container" }))
	if len(r.list(func(i *item) bool { return r.core(i.id) && r.bag[i.parent].class == "^ah" })) == 0 {
		n++
	}
	return n
}

func (r *run) turns() []string { return r.list(func(i *item) bool { return i.class == "turn" }) }

// inCore reports whether a node is at or below offset 0 of a turn or head.
func (r *run) inCore(id string) bool {
	path := r.path(id)
	for i := 1; i < len(path); i++ {
		if c := r.bag[path[i-1]].class; c == "turn" || c == "^ah" {
			return r.bag[path[i]].offset == 0
		}
	}
	return false
}

// candidate: a block outside any core, or a turn; of ^sys only what is named.
func (p *pruner) candidate(id string) bool {
	i := p.bag[id]
	if p.region(id) == "^sys" && !p.named[id] {
		return false
	}
	return i.class == "turn" || i.class == "block" && !p.inCore(id)
}

// partners are the nodes that a node refers to and that refer to it.
func (r *run) partners(id string) []string {
	return r.list(func(i *item) bool {
		return i.id != id && slices.Contains(i.refs, id) && slices.Contains(r.bag[id].refs, i.id)
	})
}

// unit is everything that has to go with a candidate, nil where something in
// it stays.
func (p *pruner) unit(id string) map[string]bool {
	unit := map[string]bool{}
	for add := []string{id}; len(add) > 0; add = add[1:] {
		for _, m := range p.below(add[0]) {
			if unit[m] {
				continue
			}
			unit[m] = true
			for _, partner := range p.partners(m) {
				path := p.path(partner)
				switch {
				case p.candidate(partner):
					add = append(add, partner)
				case p.region(partner) == "^seq" && len(path) > 2:
					add = append(add, path[2]) // part of a core goes with its turn
				default:
					return nil
				}
			}
		}
	}
	for m := range unit {
		path := p.path(m)
		if p.bag[m].pinned || p.retained[m] || len(path) > 2 && p.recent[path[2]] {
			return nil
		}
		for _, from := range p.referrers(m) {
			if !unit[from] {
				return nil
			}
		}
	}
	return unit
}

// next is the unit of the first of these, in canonical order, that can go.
func (p *pruner) next(ids []string) map[string]bool {
	sort.Slice(ids, func(x, y int) bool {
		a, b := p.bag[ids[x]], p.bag[ids[y]]
		switch {
		case a.priority != b.priority:
			return a.priority < b.priority
		case a.ns != b.ns:
			return a.ns < b.ns
		}
		return a.id < b.id
	})
	for _, id := range ids {
		if unit := p.unit(id); unit != nil {
			return unit
		}
	}
	return nil
}

// prune removes what is named, then what a budget of so many nodes needs.
func (r *run) prune(named []string, budget, protect int) {
	p := &pruner{run: r, recent: map[string]bool{}, named: map[string]bool{}}
	turns := r.turns()
	for _, id := range turns[max(0, len(turns)-protect):] {
		p.recent[id] = true
	}
	for _, id := range named {
		p.named[id] = true
	}
	for {
		unit := p.next(p.list(func(i *item) bool { return p.named[i.id] }))
		if unit == nil {
			break
		}
		p.take(unit, "pruned")
		p.cascade()
	}
	p.named = nil
	for budget > 0 && p.count() > budget {
		unit := p.next(p.list(func(i *item) bool { return p.candidate(i.id) }))
		if unit == nil {
			break
		}
		p.take(unit, "pruned")
		p.cascade()
	}
}
