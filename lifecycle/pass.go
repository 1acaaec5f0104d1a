package lifecycle

import (
	"container/heap"
	"slices"
	"sort"

	"github.com/contexttree/pact/tree"
)

// run removes candidates in canonical order: all that were asked for, or as long
// as a limit is exceeded those that help it. One that something keeps waits for
// that something to go.
func (p *pruner) run(list []candidate, asked bool) error {
	sort.Slice(list, func(i, j int) bool {
		a, b := list[i].node, list[j].node
		switch {
		case a.Priority != b.Priority:
			return a.Priority < b.Priority
		case a.CreatedNS != b.CreatedNS:
			return a.CreatedNS < b.CreatedNS
		}
		return a.ID < b.ID
	})
	ready := make(ranks, len(list))
	for i := range ready {
		ready[i] = i
	}
	waiting := make(map[string][]int) // id of what keeps it -> candidates
	held := make(map[int]Held)
	for len(ready) > 0 && (asked || p.exceeded() != nil) {
		i := heap.Pop(&ready).(int)
		c := list[i]
		if p.gone[c.id] {
			continue
		}
		unit, ties, h := p.unit(c)
		if h.Kept != "" {
			held[i] = h
			for _, id := range append(ties, h.By) {
				waiting[id] = append(waiting[id], i)
			}
			continue
		}
		delete(held, i)
		var helped *limit
		if !asked {
			var err error
			if helped, err = p.helps(c, unit); err != nil {
				return err
			} else if helped == nil {
				continue // and never will: what is exceeded does not grow
			}
		}
		gone, err := p.take(c, unit, helped)
		if err != nil {
			return err
		}
		for _, id := range gone {
			for _, w := range waiting[id] {
				heap.Push(&ready, w)
			}
			delete(waiting, id)
		}
	}
	for i, c := range list {
		if h, ok := held[i]; ok && !p.gone[c.id] {
			p.held = append(p.held, h)
		}
	}
	p.held = slices.DeleteFunc(p.held, func(h Held) bool { return p.gone[h.ID] }) // with the turn around it
	return nil
}

// helps returns the first exceeded limit that a unit counts for, nil without
// one. A limit of the whole takes candidates as they come.
func (p *pruner) helps(c candidate, unit []string) (*limit, error) {
	for i := range p.limits {
		l := &p.limits[i]
		if !l.exceeded() || c.sys && l.region != tree.Sys.String() {
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

// take removes a unit, and the groups that this leaves empty, and returns the
// ids of everything that went. helped is the limit that it goes for, nil for
// what was asked for.
func (p *pruner) take(c candidate, unit []string, helped *limit) ([]string, error) {
	rule := named
	if helped != nil {
		rule = helped.String()
	}
	var all, parents []string
	went := func(id string, why Reason, rule string) {
		if p.gone[id] { // a unit may have a turn and a block in it
			return
		}
		all = append(all, id)
		p.gone[id] = true
		p.removed = append(p.removed, Removal{id, why, rule})
	}
	stub, err := p.stub(unit, helped)
	if err != nil {
		return nil, err
	}
	for _, id := range unit {
		e := p.tree.Entry(id)
		if e == nil {
			continue
		}
		if stub != nil && id == stub.place && e.Class() == tree.Turn {
			p.gone[id] = true // it stays, with the stub in it
			for k := range e.Children().All() {
				everything(k, func(id string) { went(id, Pruned, rule) })
			}
			continue
		}
		parents = append(parents, p.tree.Parent(id))
		everything(e, func(id string) { went(id, Pruned, rule) })
	}
	if stub != nil {
		p.tree, p.stamps = stub.tree, stub.stamps
		p.stubs = append(p.stubs, stub.Stub)
	} else {
		p.tree = p.tree.Without(unit...)
	}
	for _, h := range p.idle {
		parents = append(parents, h.ID)
	}
	var groups []string
	p.tree, groups, p.idle = cascade(p.tree, parents, p.in.Retained)
	for _, id := range groups {
		went(id, Cascaded, "")
	}
	return all, p.weigh()
}

// ranks is a heap of positions in the canonical order.
type ranks []int

func (r ranks) Len() int           { return len(r) }
func (r ranks) Less(i, j int) bool { return r[i] < r[j] }
func (r ranks) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *ranks) Push(x any)        { *r = append(*r, x.(int)) }
func (r *ranks) Pop() any {
	last := len(*r) - 1
	x := (*r)[last]
	*r = (*r)[:last]
	return x
}
