package commit

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// pruneByRules removes what is sealed and whose time is over by a rule: what was there before the
// policy, and what a rule finds that speaks of time. It goes as if it had been asked for: units
// whole, protected nodes kept (02 §7). A result that leaves a stub goes alone, because its call
// keeps the stub as its result.
func (p *pruner) pruneByRules() error {
	due, err := p.due()
	if err != nil || len(due) == 0 {
		return err
	}
	if p.in.Postpone {
		ids := slices.Collect(maps.Keys(due))
		if err := p.tree.Sort(ids); err != nil {
			return err
		}
		for _, id := range ids {
			p.notRemoved = append(p.notRemoved, lifecycle.Kept{ID: id, Reason: lifecycle.Pruned, Why: lifecycle.PruningWaits})
		}
		return nil
	}
	if err := p.protect(); err != nil {
		return err
	}
	if err := p.protectTask(); err != nil {
		return err
	}
	list := make([]candidate, 0, len(due))
	for id := range due {
		path, err := p.tree.Path(id)
		if err != nil {
			return err
		}
		c, err := p.candidate(path[len(path)-1].Node(), path[1].Class())
		if err != nil {
			return err
		}
		list = append(list, c)
	}
	slices.SortFunc(list, compareCandidates)
	p.requested, p.byRule = make(map[string]bool), due
	for i := range list {
		list[i].sys = false
		p.requested[list[i].id] = true
	}
	rest := list[:0]
	for _, c := range list {
		replaced, err := p.replaceResult(c.node)
		if err != nil {
			return err
		}
		if !replaced {
			rest = append(rest, c)
		}
	}
	err = p.removeCandidates(rest, nil)
	p.requested, p.byRule, p.ruling = nil, nil, 0
	return err
}

// due returns the number of the rule, counted from 1, for each sealed node that pruning may remove
// and whose time is over by it. Cost: what changed since these rules were asked first, and what is
// due; with Born what is due from this cycle on; if a selector depends on time or on other nodes, what it may find
// in the whole tree.
func (p *pruner) due() (map[string]int, error) {
	rules := p.in.Policy.Rules
	if !slices.ContainsFunc(rules, func(r lifecycle.Rule) bool { return r.TTL != nil }) || p.in.Before == nil {
		return nil, nil
	}
	whole := slices.ContainsFunc(p.ruler.compiled, func(r CompiledRule) bool { return !r.Steady })
	var items []string
	var err error
	switch {
	case whole:
	case p.in.Postpone && p.in.Born != nil:
		items, err = p.dueNow()
	default:
		items, err = p.dueItems()
	}
	if err != nil {
		return nil, err
	}
	decided, err := p.ruler.decide(p.tree, items, whole)
	if err != nil {
		return nil, err
	}
	due := make(map[string]int)
	for id, i := range decided {
		at, counts, err := p.dueAt(id, i)
		sealed := false
		if err == nil && counts && at <= p.stamps.Cycle {
			sealed, err = p.in.Before.Settled(id)
		}
		if err != nil {
			return nil, err
		}
		if sealed {
			due[id] = i + 1
		}
	}
	return due, nil
}

// dueNow returns the nodes that came so long ago that a rule may have them go from this cycle on, and not before. A node is
// not sealed before the cycle behind its own.
func (p *pruner) dueNow() (ids []string, err error) {
	asked := map[int64]bool{}
	for _, r := range p.in.Policy.Rules {
		if r.TTL == nil || asked[max(1, *r.TTL)] {
			continue
		}
		asked[max(1, *r.TTL)] = true
		for _, id := range p.in.Born(p.stamps.Cycle - max(1, *r.TTL)) {
			if has, err := p.tree.Has(id); err != nil {
				return nil, err
			} else if has {
				ids = append(ids, id)
			}
		}
	}
	return ids, nil
}

// dueAt returns the cycle from which on rule i has a node pruned, false if it never does: it sets
// no ttl, the node is part of something else, or its own ttl ends before. Where the rule set that ttl
// and something held the node back, pruning may take both.
func (p *pruner) dueAt(id string, i int) (int64, bool, error) {
	r := &p.in.Policy.Rules[i]
	if r.TTL == nil {
		return 0, false, nil
	}
	var room [8]*tree.Entry
	path, err := p.tree.AppendPath(room[:0], id)
	if err != nil {
		return 0, false, err
	}
	n := path[len(path)-1].Node()
	at := n.Cycle + *r.TTL
	return at, prunable(path) && !n.Pinned && at <= n.Expiry, nil
}

// dueItems returns the children of ^sys, ^seq and ^ah that hold a node that is due.
func (p *pruner) dueItems() (ids []string, err error) {
	key, err := json.Marshal(p.in.Policy.Rules)
	if err != nil {
		panic(err) // texts and numbers can be encoded
	}
	first := &tree.Minimum{
		Name: "due " + string(key),
		Of: func(_ context.Context, item *tree.Entry) (at int64, err error) {
			decided, err := p.ruler.decide(p.tree, []string{item.Node().ID}, false)
			at = tree.Never
			for id, i := range decided {
				if n, counts, err := p.dueAt(id, i); err != nil {
					return 0, err
				} else if counts {
					at = min(at, n)
				}
			}
			return at, err
		},
	}
	for _, region := range [...]tree.Class{tree.Sys, tree.Seq, tree.Head} {
		for item, err := range first.Items(p.ctx, p.tree.Region(region).Children(), p.stamps.Cycle) {
			if err != nil {
				return nil, err
			}
			ids = append(ids, item.Node().ID)
		}
	}
	return ids, nil
}

// keptByRule returns the name of the rule that keeps the node at the end of path, "" if none does. Rules
// whose selector depends on time or on other nodes decide once, about the tree as it is when the first
// candidate is tried: what goes later moves no choice among siblings.
func (p *pruner) keptByRule(path []*tree.Entry) (string, error) {
	keeps := func(r lifecycle.Rule) bool { return r.Keep || r.Pinned }
	if !slices.ContainsFunc(p.in.Policy.Rules, keeps) {
		return "", nil
	}
	id := path[len(path)-1].Node().ID
	decided, err := p.decided, error(nil)
	switch whole := slices.ContainsFunc(p.ruler.compiled, func(r CompiledRule) bool { return !r.Steady }); {
	case !whole:
		decided, err = p.ruler.decide(p.tree, []string{id}, false)
	case decided == nil:
		decided, err = p.ruler.decide(p.tree, nil, true)
		p.decided = decided
	}
	if i, found := decided[id]; err == nil && found && keeps(p.in.Policy.Rules[i]) {
		return ruleName(i + 1), nil
	}
	return "", err
}
