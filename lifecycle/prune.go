package lifecycle

import (
	"container/heap"
	"sort"
	"strconv"

	"github.com/contexttree/pact/internal/fault"
	"github.com/contexttree/pact/tree"
)

// Policy declares what pruning may do at every commit (02 §7). The zero Policy
// prunes nothing.
type Policy struct {
	MaxNodes     int `json:"max_nodes,omitempty"`     // blocks and containers in a snapshot, ^sys counted; 0 for no limit
	ProtectTurns int `json:"protect_turns,omitempty"` // the most recent sealed turns, which stay
}

// candidate is something that pruning may remove as a whole: a block outside
// any core, or a turn.
type candidate struct {
	id   string
	node *tree.Node
}

// prune removes what was asked for by name, then as much as the budget needs,
// in canonical order: priority, age, id (02 §7.1). Nodes that refer to each
// other go together or stay together.
// idle are the empty groups that something has kept so far.
func prune(t *tree.Tree, idle []Held, in Input, report *Report) (*tree.Tree, error) {
	p := &pruner{tree: t, in: in, report: report, gone: map[string]bool{}, idle: idle}
	p.protect()
	if len(in.Prune) > 0 {
		named, err := p.named()
		if err != nil {
			return nil, err
		}
		before := len(report.Removed)
		p.run(named, func() bool { return true })
		if in.Policy.MaxNodes > 0 {
			for _, r := range report.Removed[before:] {
				report.Named = append(report.Named, r.ID)
			}
		}
	}
	if in.Policy != (Policy{}) {
		report.Policy = &in.Policy
	}
	if limit := in.Policy.MaxNodes; limit > 0 && p.count() > limit {
		p.byName = nil
		p.run(p.candidates(), func() bool { return p.count() > limit })
		if n := p.count(); n > limit {
			report.Budget = "max_nodes " + strconv.Itoa(limit) + " is exceeded by " + strconv.Itoa(n-limit) + ": everything else is protected or part of a core"
		}
	}
	report.Held = append(report.Held, p.idle...)
	return p.tree, nil
}

type pruner struct {
	tree   *tree.Tree
	in     Input
	report *Report
	recent map[string]bool // ids of the protected turns
	byName map[string]bool // what was asked for by name, if anything was
	gone   map[string]bool
	idle   []Held // empty groups that something keeps
}

// count is the number of blocks and containers that the snapshot would have:
// sealing gives the active head a core where it has none yet.
func (p *pruner) count() int {
	s := p.tree.Root().Summary()
	n := s.Blocks + s.Containers
	if p.tree.Region(tree.Head).Core() == nil {
		n++
	}
	return n
}

func (p *pruner) protect() {
	turns := p.tree.Region(tree.Seq).Children()
	p.recent = make(map[string]bool)
	turns.Visit(turns.Len()-p.in.Policy.ProtectTurns, turns.Len(), nil, func(e *tree.Entry) bool {
		p.recent[e.Node().ID] = true
		return true
	})
}

// named resolves an explicit request.
func (p *pruner) named() ([]candidate, error) {
	p.byName = make(map[string]bool)
	var list []candidate
	for _, id := range p.in.Prune {
		path := p.tree.Path(id)
		if path == nil && p.in.Working.Has(id) {
			continue // it expired in this very commit
		}
		if path == nil {
			return nil, fault.OnNode(fault.NodeNotFound, id, "there is no such node to prune", "")
		}
		if !prunable(path) {
			return nil, fault.OnNode(fault.PlacementInvalid, id, "only a block outside a core or a whole turn can be pruned", "")
		}
		if !p.byName[id] {
			p.byName[id] = true
			list = append(list, candidate{id, path[len(path)-1].Node()})
		}
	}
	return list, nil
}

// prunable reports whether the entry at the end of path can be a candidate.
func prunable(path []*tree.Entry) bool {
	switch e := path[len(path)-1]; e.Class() {
	case tree.Turn:
		return len(path) == 3
	case tree.Block:
		return len(path) > 2 && !inCore(path)
	}
	return false
}

// inCore reports whether the end of path is at or below the core of a turn or
// of the active head, elided or not.
func inCore(path []*tree.Entry) bool {
	for i := 1; i+1 < len(path); i++ {
		if c := path[i].Class(); c == tree.Turn || c == tree.Head {
			return path[i+1].Node().Offset == 0
		}
	}
	return false
}

// candidates lists what a budget may take: everything prunable outside ^sys
// that is not among the protected turns.
func (p *pruner) candidates() []candidate {
	var list []candidate
	var below func(path []*tree.Entry)
	below = func(path []*tree.Entry) {
		e := path[len(path)-1]
		if p.recent[e.Node().ID] {
			return
		}
		if prunable(path) {
			list = append(list, candidate{e.Node().ID, e.Node()})
		}
		for k := range e.Children().All() {
			below(append(path, k))
		}
	}
	root := p.tree.Root()
	below([]*tree.Entry{root, p.tree.Region(tree.Seq)})
	below([]*tree.Entry{root, p.tree.Region(tree.Head)})
	return list
}

// run removes candidates in canonical order for as long as more is wanted. One
// that something keeps waits for that something to go.
func (p *pruner) run(list []candidate, more func() bool) {
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
	for len(ready) > 0 && more() {
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
		for _, id := range p.take(unit) {
			for _, w := range waiting[id] {
				heap.Push(&ready, w)
			}
			delete(waiting, id)
		}
	}
	for i, c := range list {
		if h, ok := held[i]; ok && !p.gone[c.id] {
			p.report.Held = append(p.report.Held, h)
		}
	}
}

// take removes a unit, and the groups that this leaves empty, and returns the
// ids of everything that went.
func (p *pruner) take(unit []string) []string {
	var all, parents []string
	went := func(id string, why Reason) {
		all = append(all, id)
		p.gone[id] = true
		p.report.Removed = append(p.report.Removed, Removal{id, why})
	}
	for _, id := range unit {
		e := p.tree.Entry(id)
		if e == nil {
			continue
		}
		parents = append(parents, p.tree.Parent(id))
		everything(e, func(id string) { went(id, Pruned) })
		p.tree = p.tree.Without(id)
	}
	for _, h := range p.idle {
		parents = append(parents, h.ID)
	}
	var groups []string
	p.tree, groups, p.idle = cascade(p.tree, parents, p.in.Retained)
	for _, id := range groups {
		went(id, Cascaded)
	}
	return all
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
