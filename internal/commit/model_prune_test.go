package commit_test

import (
	"slices"
	"sort"

	"github.com/contexttree/pact/lifecycle"
)

// modelPruner is semantics §4, step 2.
type modelPruner struct {
	*model
	policy lifecycle.Policy
	recent map[string]bool // the protected turns
	task   string          // the user's first message, where it is protected
	began  *model          // the state that pruning began with, from which turns have their priority
	named  map[string]bool // what was asked for by name, while that is looked at
	held   map[string]bool // what was to go and stays
	took   bool            // whether anything went
	waits  *lifecycle.Postponed
}

func (r *model) turns() []string { return r.list(func(i *modelNode) bool { return i.class == "turn" }) }

// inCore reports whether a node is at or below offset 0 of a turn or head.
func (r *model) inCore(id string) bool {
	path := r.path(id)
	for i := 1; i < len(path); i++ {
		if c := r.modelTree[path[i-1]].class; c == "turn" || c == "^ah" {
			return r.modelTree[path[i]].offset == 0
		}
	}
	return false
}

// prunable: a block outside any core, or a turn.
func (r *model) prunable(id string) bool {
	i := r.modelTree[id]
	return i.class == "turn" || i.class == "block" && !r.inCore(id)
}

// tied are the other halves of a pair, where the policy says that they must not be parted
// or that a half alone may not stay. The specification ties by references alone (02 §5.4).
func (p *modelPruner) tied(id string) []string {
	switch {
	case p.policy.WholePairs, p.policy.Orphans == lifecycle.Drop, p.policy.Orphans == lifecycle.Refuse:
		return p.pairs(id)
	}
	return nil
}

// cascades reports whether a node is a removable group outside any core.
func (p *modelPruner) cascades(id string) bool {
	return p.modelTree[id].class == "container" && p.modelTree[id].removable && !p.inCore(id)
}

// turnOf is the turn around a node, "" outside of any.
func (p *modelPruner) turnOf(id string) string {
	for _, above := range p.path(id) {
		if above != id && p.modelTree[above].class == "turn" {
			return above
		}
	}
	return ""
}

// needs are the nodes that have to go for a node to go.
func (p *modelPruner) needs(id string) (ids []string) {
	path := p.path(id)
	for _, from := range p.referrers(id) {
		at := slices.Index(path, from) // -1 where it is not above
		with := at < 0
		for k := at; at >= 0 && k < len(path)-1; k++ {
			with = p.cascades(path[k]) && (with || k == at)
		}
		if with {
			ids = append(ids, from)
		}
	}
	ids = append(ids, p.tied(id)...)
	switch turn := p.turnOf(id); {
	case p.modelTree[id].class == "turn":
		ids = append(ids, p.below(id)[1:]...)
	case p.prunable(id):
	case p.cascades(id):
		ids = append(ids, p.children(id)...)
	case turn != "":
		ids = append(ids, turn)
	}
	return ids
}

// reach is everything that has to go for a node to go, and for that, and so on.
func (p *modelPruner) reach(id string, seen map[string]bool) map[string]bool {
	if !seen[id] {
		seen[id] = true
		for _, to := range p.needs(id) {
			p.reach(to, seen)
		}
	}
	return seen
}

// unit is everything that has to go with a candidate, with the roots that it
// hangs from, nil where something in it stays: nodes that need each other, and
// below turns everything, with what that needs as it is needed.
func (p *modelPruner) unit(id string) (unit map[string]bool, roots []string) {
	unit = map[string]bool{}
	known := map[string]map[string]bool{}
	reach := func(id string) map[string]bool {
		if known[id] == nil {
			known[id] = p.reach(id, map[string]bool{})
		}
		return known[id]
	}
	for add := []string{id}; len(add) > 0; add = add[1:] {
		if unit[add[0]] {
			continue
		}
		unit[add[0]] = true
		for m := range reach(add[0]) {
			if reach(m)[add[0]] {
				add = append(add, m)
			}
		}
		if p.modelTree[add[0]].class == "turn" {
			add = append(add, p.below(add[0])...)
		}
	}
	for m := range unit {
		path := p.path(m)
		turn := p.modelTree[m].class == "turn"
		switch {
		case p.prunable(m):
			roots = append(roots, m)
			if turn && p.named != nil && !p.named[m] || p.region(m) == "^sys" && !p.named[m] &&
				(p.named != nil || p.region(id) != "^sys") {
				return nil, nil
			}
		case p.cascades(m):
			roots = append(roots, m)
			for _, k := range p.children(m) {
				if !unit[k] && !unit[p.turnOf(m)] {
					return nil, nil
				}
			}
		case !unit[p.turnOf(m)]:
			return nil, nil
		}
		if p.modelTree[m].pinned || p.retained[m] || len(path) > 2 && p.recent[path[2]] || p.named == nil && m == p.task {
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
func (p *modelPruner) ordered(ids []string) []string {
	sort.Slice(ids, func(x, y int) bool {
		a, b := p.modelTree[ids[x]], p.modelTree[ids[y]]
		switch {
		case p.priorityOf(a.id) != p.priorityOf(b.id):
			return p.priorityOf(a.id) < p.priorityOf(b.id)
		case a.ns != b.ns:
			return a.ns < b.ns
		}
		return a.id < b.id
	})
	return ids
}

// asked removes what was named, as long as any of it can go.
func (p *modelPruner) asked(ids []string) {
	left := func(id string) bool { return p.modelTree[id] != nil }
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
func (p *modelPruner) helps(limits []modelLimit, id string, unit map[string]bool) *modelLimit {
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
func (p *modelPruner) counts(limits []modelLimit, id string) bool {
	below := map[string]bool{}
	for _, m := range p.below(id) {
		below[m] = true
	}
	return p.helps(limits, id, below) != nil
}

// candidates are the nodes that limits may take, in order.
func (p *modelPruner) candidates(limits []modelLimit) []string {
	sys := slices.ContainsFunc(limits, func(l modelLimit) bool { return l.of.Region == "^sys" })
	return p.ordered(p.list(func(i *modelNode) bool {
		path := p.path(i.id)
		return p.prunable(i.id) && (sys || p.region(i.id) != "^sys") && !(len(path) > 2 && p.recent[path[2]])
	}))
}

// keep prunes until no limit is exceeded, or as far as it can.
func (p *modelPruner) keep(limits []modelLimit) {
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
		if p.modelTree[id] != nil && p.counts(wanted, id) {
			unit, _ := p.unit(id)
			p.held[id] = p.held[id] || unit == nil
		}
	}
}
