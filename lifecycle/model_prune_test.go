package lifecycle_test

import (
	"slices"
	"sort"

	"github.com/contexttree/pact/lifecycle"
)

// pruner is semantics §4, step 2.
type pruner struct {
	*run
	policy lifecycle.Policy
	recent map[string]bool // the protected turns
	named  map[string]bool // what was asked for by name, while that is looked at
	held   map[string]bool // what was to go and stays
	took   bool            // whether anything went
	waits  *lifecycle.Waiting
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

// prunable: a block outside any core, or a turn.
func (r *run) prunable(id string) bool {
	i := r.bag[id]
	return i.class == "turn" || i.class == "block" && !r.inCore(id)
}

// partners are the nodes that a node cannot go without: that it refers to and
// that refer to it, and the other halves of a pair, which may be parted by name
// where orphans are kept.
func (p *pruner) partners(id string) []string {
	mutual := p.list(func(i *item) bool {
		return i.id != id && slices.Contains(i.refs, id) && slices.Contains(p.bag[id].refs, i.id)
	})
	if p.named != nil && p.policy.Orphans == lifecycle.Keep {
		return mutual
	}
	return append(mutual, p.pairs(id)...)
}

// unit is everything that has to go with a candidate, with the roots that it
// hangs from, nil where something in it stays. What is in ^sys goes by name, or
// with a candidate of ^sys.
func (p *pruner) unit(id string) (unit map[string]bool, roots []string) {
	unit = map[string]bool{}
	for add := []string{id}; len(add) > 0; add = add[1:] {
		roots = append(roots, add[0])
		for _, m := range p.below(add[0]) {
			if unit[m] {
				continue
			}
			unit[m] = true
			for _, partner := range p.partners(m) {
				path := p.path(partner)
				switch {
				case p.region(partner) == "^sys" && !p.named[partner] && (p.named != nil || p.region(id) != "^sys"):
					return nil, nil
				case p.prunable(partner):
					add = append(add, partner)
				case p.region(partner) == "^seq" && len(path) > 2:
					add = append(add, path[2]) // part of a core goes with its turn
				default:
					return nil, nil
				}
			}
		}
	}
	for m := range unit {
		path := p.path(m)
		if p.bag[m].pinned || p.retained[m] || len(path) > 2 && p.recent[path[2]] {
			return nil, nil
		}
		for _, from := range p.referrers(m) {
			if !unit[from] {
				return nil, nil
			}
		}
	}
	return unit, roots
}

// ordered sorts candidates canonically.
func (p *pruner) ordered(ids []string) []string {
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
	return ids
}

// asked removes what was named, as long as any of it can go.
func (p *pruner) asked(ids []string) {
	left := func(id string) bool { return p.bag[id] != nil }
	ids = p.ordered(ids)
	for again := true; again; {
		again = false
		for _, id := range ids {
			if !left(id) {
				continue
			}
			if unit, roots := p.unit(id); unit != nil {
				p.replace(unit, roots, "pruned named", nil)
				again = true
				break
			}
		}
	}
	for _, id := range ids {
		p.held[id] = left(id)
	}
}

// helps is the first of some limits that a candidate is taken for, with what
// goes with it.
func (p *pruner) helps(limits []limit, id string, unit map[string]bool) *limit {
	for _, l := range limits {
		if p.region(id) == "^sys" && l.of.Region != "^sys" {
			continue
		}
		if l.whole() && l.unit != "turns" {
			return &l
		}
		for m := range unit {
			if p.weight(l, m) > 0 {
				return &l
			}
		}
	}
	return nil
}

// counts reports whether a candidate alone helps one of some limits.
func (p *pruner) counts(limits []limit, id string) bool {
	below := map[string]bool{}
	for _, m := range p.below(id) {
		below[m] = true
	}
	return p.helps(limits, id, below) != nil
}

// candidates are the nodes that limits may take, in order.
func (p *pruner) candidates(limits []limit) []string {
	sys := slices.ContainsFunc(limits, func(l limit) bool { return l.of.Region == "^sys" })
	return p.ordered(p.list(func(i *item) bool {
		path := p.path(i.id)
		return p.prunable(i.id) && (sys || p.region(i.id) != "^sys") && !(len(path) > 2 && p.recent[path[2]])
	}))
}

// keep prunes until no limit is exceeded, or as far as it can.
func (p *pruner) keep(limits []limit) {
	wanted, seen := p.exceeded(limits), map[string]bool{}
	for taken := true; taken && len(p.exceeded(limits)) > 0; {
		taken = false
		for _, id := range p.candidates(limits) {
			seen[id] = true
			if unit, roots := p.unit(id); unit != nil {
				if l := p.helps(p.exceeded(limits), id, unit); l != nil {
					p.replace(unit, roots, "pruned "+l.String(), limits)
					taken = true
					break
				}
			}
		}
	}
	for id := range seen {
		if p.bag[id] != nil && p.counts(wanted, id) {
			unit, _ := p.unit(id)
			p.held[id] = p.held[id] || unit == nil
		}
	}
}
