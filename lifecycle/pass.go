package lifecycle

import (
	"maps"
	"slices"

	"github.com/contexttree/pact/tree"
)

// run removes candidates in canonical order: all of those that were asked for, or
// as long as a limit is exceeded those that help it. One that something keeps
// waits for that something to go.
func (p *pruner) run(ready *walk, asked bool) error {
	p.rings = &rings{p, make(map[string]*ring)}
	waiting := make(map[string][]candidate) // by the id of what keeps them
	light := make(map[string][]candidate)   // by the roots of units that helped no limit
	held := make(map[string]stopped)
	for asked || len(p.exceeded()) > 0 {
		c, more, err := ready.next()
		if err != nil {
			return err
		} else if !more {
			break
		}
		if !p.tree.Has(c.id) {
			continue
		}
		unit, waits, h := p.unit(c)
		if h.Kept != "" {
			held[c.id] = stopped{c, h}
			for _, id := range waits {
				waiting[id] = append(waiting[id], c)
			}
			continue
		}
		delete(held, c.id)
		var helped *limit
		if !asked {
			if helped, err = p.helps(p.exceeded(), c, unit); err != nil {
				return err
			} else if helped == nil { // nor will it, unless a stub comes into it: no limit comes to be exceeded
				for _, root := range unit {
					light[root] = append(light[root], c)
				}
				continue
			}
		}
		gone, left, err := p.take(unit, helped)
		if err != nil {
			return err
		}
		for _, id := range gone {
			ready.putAgain(waiting, id)
		}
		if left == nil || asked {
			continue
		}
		path := p.tree.Path(left.id)
		if !p.isRecent(path) {
			ready.put(*left)
		}
		for _, e := range path {
			ready.putAgain(light, e.Node().ID)
		}
		ready.putAround(path)
	}
	for _, c := range ready.queue { // what kept it went when no more had to go
		if s, was := held[c.id]; was && c.single() && p.tree.Has(c.id) {
			_, _, s.Held = p.unit(s.candidate)
			held[c.id] = s
		}
	}
	return p.note(held, ready.wanted, asked)
}

// stopped is a candidate that something keeps.
type stopped struct {
	candidate
	Held
}

// note keeps for the report what was held: of what was asked for all, else what
// would have helped a limit.
func (p *pruner) note(held map[string]stopped, wanted []*limit, asked bool) error {
	list := slices.SortedFunc(maps.Values(held), func(a, b stopped) int { return canonical(a.candidate, b.candidate) })
	for _, s := range list {
		if s.Kept == "" || !p.tree.Has(s.id) {
			continue
		}
		if !asked {
			if l, err := p.helps(wanted, s.candidate, []string{s.id}); err != nil {
				return err
			} else if l == nil {
				continue
			}
		}
		p.held = append(p.held, s.Held)
	}
	return nil
}

// helps returns the first of some limits that a unit counts for, nil without
// one. A limit of the whole takes candidates as they come.
func (p *pruner) helps(limits []*limit, c candidate, unit []string) (*limit, error) {
	for _, l := range limits {
		if c.sys && l.region != tree.Sys.String() {
			continue
		}
		if l.region == "" && l.kind == "" && l.tag == "" && l.unit != turns {
			return l, nil
		}
		for _, root := range unit {
			path := p.tree.Path(root)
			if helps, err := p.counts(l, path[len(path)-1], path[1].Class()); helps || err != nil {
				return l, err
			}
		}
	}
	return nil, nil
}

// counts reports whether anything at or below an entry counts for a limit.
func (p *pruner) counts(l *limit, e *tree.Entry, region tree.Class) (bool, error) {
	if n, err := p.weight(l, e, region); n > 0 || err != nil {
		return true, err
	}
	for k := range e.Children().All() {
		if helps, err := p.counts(l, k, region); helps || err != nil {
			return helps, err
		}
	}
	return false, nil
}

// take removes a unit, and the groups that this leaves empty. It returns the ids
// of everything that went, and the stub that was left. helped is the limit that it
// goes for, nil for what was asked for.
func (p *pruner) take(unit []string, helped *limit) (gone []string, left *candidate, err error) {
	rule := named
	if p.anew {
		rule = rewritten
	} else if helped != nil {
		rule = helped.String()
	}
	went := func(id string, why Reason, rule string) {
		gone = append(gone, id)
		if !p.own[id] { // which nobody has seen
			p.removed = append(p.removed, Removal{id, why, rule})
		}
	}
	less, err := p.weights(p.tree, unit)
	if err != nil {
		return nil, nil, err
	}
	stub, err := p.stub(unit, helped, less)
	if err != nil {
		return nil, nil, err
	}
	parents, more := p.idleIDs(), make([]int64, len(p.limits))
	for _, id := range unit {
		parents = append(parents, p.tree.Parent(id))
		everything(p.tree.Entry(id), func(id string) { went(id, Pruned, rule) })
	}
	if stub != nil {
		c := p.put(stub)
		left, more = &c, stub.weights
	} else {
		p.tree = p.tree.Without(unit...)
	}
	before := p.tree
	var groups []string
	p.tree, groups, p.idle = cascade(p.tree, parents, p.in.Retained)
	empty, err := p.weights(before, outermost(before, groups))
	if err != nil {
		return nil, nil, err
	}
	for i := range p.limits {
		less[i] += empty[i]
		if p.limits[i].used, err = p.change(p.tree, i, less, more); err != nil {
			return nil, nil, err
		}
	}
	for _, id := range groups {
		went(id, Cascaded, "")
	}
	return gone, left, nil
}
