package lifecycle

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/tree"
)

// pruner prunes one state. What it did is in it; its input stays as it is.
type pruner struct {
	scale
	in     Input
	recent *tree.Node      // the first of the protected turns, nil without any
	byName map[string]bool // what was asked for, while that is looked at
	anew   bool            // whether that is to be as if it had never been
	rings  *rings          // of the nodes that are looked at

	tree    *tree.Tree
	stamps  tree.Stamps
	clock   *clock
	limits  []limit
	lapsed  map[string]bool // calls and results that expiry left without a partner
	own     map[string]bool // stubs that were left in this commit
	idle    []Held          // empty groups that something keeps
	removed []Removal
	held    []Held
	stubs   []Stub
}

// The rules by which something goes that was asked for.
const (
	named     = "named"
	rewritten = "rewritten"
)

// prune removes what was asked for, then as much as the limits need, in
// canonical order: priority, age, id (02 §7.1). Nodes that belong together go
// together or stay together.
//
// Specification: 02 §7, 02 §7.3.
func (p *pruner) prune(report *Report) error {
	before := p.tree
	if err := p.weigh(); err != nil {
		return err
	}
	p.anew = true
	if err := p.runAsked(p.in.Rewrite, nil); err != nil {
		return err
	}
	p.anew = false
	if err := p.runAsked(p.in.Prune, p.in.Chosen); err != nil {
		return err
	}
	if len(p.exceeded()) > 0 {
		p.protect()
		if err := p.keepLimits(report); err != nil {
			return err
		}
	}
	if p.tree != before {
		freed, err := p.freed(before)
		if err != nil {
			return err
		}
		report.Freed = &freed
	}
	report.Removed = append(report.Removed, p.removed...)
	report.Stubs = slices.DeleteFunc(p.stubs, func(s Stub) bool { return !p.tree.Has(s.ID) })
	return nil
}

// stays is what was to be pruned and is there still, each with what was found
// last.
func (p *pruner) stays() (held []Held) {
	last := make(map[string]int, len(p.held))
	for i, h := range p.held {
		last[h.ID] = i
	}
	for i, h := range p.held {
		if last[h.ID] == i && p.tree.Has(h.ID) {
			held = append(held, h)
		}
	}
	return held
}

// keepLimits prunes until no limit is exceeded, or says why it waits.
func (p *pruner) keepLimits(report *Report) error {
	pass := *p
	pass.own = maps.Clone(p.own)
	pass.removed, pass.held, pass.stubs = slices.Clip(p.removed), slices.Clip(p.held), slices.Clone(p.stubs)
	pass.limits = slices.Clone(p.limits)
	read := p.clock.next
	found, err := pass.walkFor(pass.exceeded())
	if err == nil {
		err = pass.run(found, false)
	}
	if err != nil {
		return err
	}
	if waiting, err := pass.waits(p.tree); err != nil {
		return err
	} else if waiting != nil {
		report.Waiting, p.clock.next = waiting, read
		for _, r := range pass.removed[len(p.removed):] {
			if r.Reason == Pruned {
				p.held = append(p.held, Held{ID: r.ID, Reason: Pruned, Kept: Waits})
			}
		}
		return nil
	}
	*p = pass
	return nil
}

// idleIDs are the empty groups that something has kept so far.
func (p *pruner) idleIDs() (ids []string) {
	for _, h := range p.idle {
		ids = append(ids, h.ID)
	}
	return ids
}

// weigh sums what the limits count.
func (p *pruner) weigh() error {
	for i := range p.limits {
		var err error
		if p.limits[i].used, err = p.use(p.tree, &p.limits[i]); err != nil {
			return err
		}
	}
	return nil
}

// weights sums what some nodes, with all below them, count for each limit that
// summaries do not answer.
func (p *pruner) weights(t *tree.Tree, ids []string) ([]int64, error) {
	sums := make([]int64, len(p.limits))
	for _, id := range ids {
		path := t.Path(id)
		for i := range p.limits {
			l, region := &p.limits[i], path[1].Class()
			if l.summed() || !l.within(region) {
				continue
			}
			n, err := p.measure(l, region).Sum(p.ctx, path[len(path)-1])
			if err != nil {
				return nil, err
			}
			sums[i] += n
		}
	}
	return sums, nil
}

// change brings what a limit counts from one tree to another that has less of
// some nodes and more of others. Cost: nothing to speak of.
func (p *pruner) change(t *tree.Tree, i int, less, more []int64) (int64, error) {
	if l := &p.limits[i]; l.summed() {
		return p.use(t, l)
	}
	return p.limits[i].used - less[i] + more[i], nil
}

// exceeded returns the limits that are exceeded.
func (p *pruner) exceeded() (list []*limit) {
	for i := range p.limits {
		if l := &p.limits[i]; l.used > int64(l.max) {
			list = append(list, l)
		}
	}
	return list
}

// missed says which limits are exceeded after all, and why.
func (p *pruner) missed(waits bool) string {
	var list []string
	for _, l := range p.exceeded() {
		list = append(list, l.String()+" is exceeded by "+strconv.FormatInt(l.used-int64(l.max), 10))
	}
	switch {
	case len(list) == 0:
		return ""
	case waits:
		return strings.Join(list, "; ") + ": pruning waits"
	}
	return strings.Join(list, "; ") + ": everything else is protected or part of a core"
}

// protect protects the most recent turns (02 §7.2).
//
// Specification: 02 §7.2.
func (p *pruner) protect() {
	turns := p.tree.Region(tree.Seq).Children()
	p.recent = nil
	if k := min(p.in.Policy.ProtectTurns, turns.Len()); k > 0 && !p.anew {
		p.recent = turns.At(turns.Len() - k).Node()
	}
}

// isRecent reports whether the end of path is in a protected turn.
func (p *pruner) isRecent(path []*tree.Entry) bool {
	return p.recent != nil && len(path) > 2 && path[1].Class() == tree.Seq && !tree.Less(path[2].Node(), p.recent)
}

// runAsked does what was explicitly asked for.
func (p *pruner) runAsked(ids, chosen []string) error {
	if len(ids)+len(chosen) == 0 {
		return nil
	}
	p.protect()
	list, err := p.asked(ids, chosen)
	if err == nil {
		w := &walk{pruner: p, visited: make(map[string]bool)}
		w.put(list...)
		err = p.run(w, true)
	}
	p.byName = nil
	return err
}

// asked resolves an explicit request. What a selector chose need not be
// something that can be pruned.
func (p *pruner) asked(ids, choice []string) ([]candidate, error) {
	p.byName = make(map[string]bool)
	var list []candidate
	for i, id := range slices.Concat(ids, choice) {
		chosen := i >= len(ids)
		path := p.tree.Path(id)
		switch {
		case path == nil && p.in.Working.Has(id): // it expired in this very commit
		case path == nil:
			return nil, tree.NoNode(id, "to prune")
		case !prunable(path) && chosen:
			p.held = append(p.held, Held{ID: id, Reason: Pruned, Kept: Whole})
		case !prunable(path):
			return nil, fault.OnNode(fault.PlacementInvalid, id, "only a block outside a core or a whole turn can be pruned",
				"name the turn around it")
		case !p.byName[id]:
			p.byName[id] = true
			list = append(list, candidate{id: id, node: path[len(path)-1].Node()})
		}
	}
	return list, nil
}
