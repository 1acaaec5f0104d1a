package commit

import (
	"maps"
	"slices"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// removeCandidates removes candidates in canonical order (02 §7.1, §7.3): all that a
// caller asked for, or those that help a limit, until none is exceeded. A candidate
// that something keeps is tried again after that something is removed. wanted are the limits
// that were exceeded before, nil if a caller asked. left is a heap.
func (p *pruner) removeCandidates(left queue, wanted []*limit) error {
	asked := wanted == nil
	p.components = &components{p, make(map[string]*component)}
	blocked := make(map[string][]candidate)   // by the id of what keeps them
	unhelpful := make(map[string][]candidate) // by the roots of their removal sets, which help no limit
	staying := make(map[string]blockedCandidate)
	for len(left) > 0 && (asked || len(p.exceeded()) > 0) {
		c := left.next()
		has, err := p.tree.Has(c.id)
		if err != nil {
			return err
		}
		if !has {
			continue
		}
		set, blockers, h, err := p.removalSet(c)
		if err != nil {
			return err
		}
		if h.Why != "" {
			staying[c.id] = blockedCandidate{c, h}
			for _, id := range blockers {
				blocked[id] = append(blocked[id], c)
			}
			continue
		}
		delete(staying, c.id)
		var helped *limit
		if !asked {
			if helped, err = p.limitHelped(p.exceeded(), c, set); err != nil {
				return err
			} else if helped == nil { // only a stub in the set can change that: pruning exceeds no other limit
				for _, root := range set {
					unhelpful[root] = append(unhelpful[root], c)
				}
				continue
			}
		}
		p.ruling, p.ruled = p.byRule[c.id], c.node
		gone, stubbed, err := p.remove(set, helped)
		if err != nil {
			return err
		}
		for _, id := range gone {
			left.put(blocked[id]...)
			delete(blocked, id)
		}
		if stubbed == nil || asked {
			continue
		}
		path, err := p.tree.Path(stubbed.id)
		if err != nil {
			return err
		}
		if !p.isProtected(path) {
			left.put(*stubbed)
		}
		for _, e := range path {
			left.put(unhelpful[e.Node().ID]...)
			delete(unhelpful, e.Node().ID)
		}
	}
	for _, c := range left { // what kept it is gone, but nothing more had to go
		s, was := staying[c.id]
		if !was {
			continue
		}
		if has, err := p.tree.Has(c.id); err != nil {
			return err
		} else if has {
			if _, _, s.Kept, err = p.removalSet(s.candidate); err != nil {
				return err
			}
			staying[c.id] = s
		}
	}
	return p.recordBlocked(staying, wanted)
}

// blockedCandidate is a candidate that something keeps.
type blockedCandidate struct {
	candidate
	lifecycle.Kept
}

// recordBlocked notes for the report which candidates were kept: all that a caller asked
// for, otherwise those that would have helped a limit.
func (p *pruner) recordBlocked(staying map[string]blockedCandidate, wanted []*limit) error {
	list := slices.SortedFunc(maps.Values(staying), func(a, b blockedCandidate) int {
		return compareCandidates(a.candidate, b.candidate)
	})
	for _, s := range list {
		if s.Why == "" {
			continue
		}
		if has, err := p.tree.Has(s.id); err != nil {
			return err
		} else if !has {
			continue
		}
		if wanted != nil {
			if l, err := p.limitHelped(wanted, s.candidate, []string{s.id}); err != nil {
				return err
			} else if l == nil {
				continue
			}
		}
		p.notRemoved = append(p.notRemoved, s.Kept)
	}
	return nil
}

// limitHelped returns the first of some limits that removing a set brings down, nil if
// it brings down none. For a limit on the whole snapshot every candidate counts as
// helpful, even one that weighs nothing.
func (p *pruner) limitHelped(limits []*limit, c candidate, set []string) (*limit, error) {
	for _, l := range limits {
		if c.sys && l.region != tree.Sys.String() {
			continue
		}
		if l.takesAll() {
			return l, nil
		}
		var room [8]*tree.Entry
		for _, root := range set {
			path, err := p.tree.AppendPath(room[:0], root)
			if err != nil {
				return nil, err
			}
			if helps, err := p.contributes(l, path[len(path)-1], path[1].Class()); helps || err != nil {
				return l, err
			}
		}
	}
	return nil, nil
}

// contributes reports whether a node at or below an entry counts for a limit.
func (p *pruner) contributes(l *limit, e *tree.Entry, region tree.Class) (bool, error) {
	if n, err := p.weight(l, e, region); n > 0 || err != nil {
		return true, err
	}
	for k, err := range e.Children().All() {
		if err != nil {
			return false, err
		}
		if helps, err := p.contributes(l, k, region); helps || err != nil {
			return helps, err
		}
	}
	return false, nil
}

// remove removes a removal set and the groups that become empty by that (02 §5.3.1). It
// returns the ids of all removed nodes, and the stub that replaces them, if there is
// one. helped is the limit that asks for the removal, nil if a caller asked.
func (p *pruner) remove(set []string, helped *limit) (gone []string, stubbed *candidate, err error) {
	rule := lifecycle.RuleNamed
	if p.rewriting {
		rule = lifecycle.RuleRewritten
	} else if helped != nil {
		rule = helped.String()
	}
	went := func(id string, why lifecycle.Reason, rule string) error {
		gone = append(gone, id)
		number := 0
		if why == lifecycle.Pruned && p.ruling > 0 {
			n, err := p.in.Working.Node(id)
			if err != nil {
				return err
			}
			if n != nil { // it is nil for a stub of this very commit
				number, rule = p.ruling, ruleWords(p.ruling, n, p.stamps.Cycle)
			}
		}
		if !p.newStubs[id] { // a stub of this very commit, which nobody has seen
			p.removed = append(p.removed, lifecycle.Removal{ID: id, Reason: why, Rule: rule, Number: number})
		}
		return nil
	}
	less, err := p.weightsOf(p.tree, set)
	if err != nil {
		return nil, nil, err
	}
	stub, err := p.stubFor(set, helped, less)
	if err != nil {
		return nil, nil, err
	}
	parents, more := p.emptyGroupIDs(), make([]int64, len(p.limits))
	for _, id := range set {
		e, err := p.tree.Entry(id)
		if err != nil {
			return nil, nil, err
		}
		below := e.Summary()
		gone = slices.Grow(gone, below.Nodes)
		p.removed = slices.Grow(p.removed, below.Nodes)
		tokens, err := p.tokensOf(e)
		if err != nil {
			return nil, nil, err
		}
		p.freedTokens += tokens
		parent, err := p.tree.Parent(id)
		if err != nil {
			return nil, nil, err
		}
		parents = append(parents, parent)
		for below, err := range e.All() {
			if err == nil {
				err = went(below.Node().ID, lifecycle.Pruned, rule)
			}
			if err != nil {
				return nil, nil, err
			}
		}
	}
	if stub != nil {
		c, err := p.keepStub(stub)
		if err != nil {
			return nil, nil, err
		}
		entry, err := p.tree.Entry(c.id)
		if err != nil {
			return nil, nil, err
		}
		tokens, err := p.tokensOf(entry)
		if err != nil {
			return nil, nil, err
		}
		p.freedTokens -= tokens
		stubbed, more = &c, stub.weights
	} else {
		p.tree, err = p.tree.Without(set...)
		if err != nil {
			return nil, nil, err
		}
	}
	before := p.tree
	var groups []string
	p.tree, groups, p.emptyGroups, err = cascade(p.tree, parents, p.in.Retained)
	if err != nil {
		return nil, nil, err
	}
	if len(groups) > 0 {
		top, err := outermost(before, groups)
		if err != nil {
			return nil, nil, err
		}
		empty, err := p.weightsOf(before, top)
		if err != nil {
			return nil, nil, err
		}
		for i := range less {
			less[i] += empty[i]
		}
	}
	for i := range p.limits {
		if p.limits[i].used, err = p.usedAfter(p.tree, i, less, more); err != nil {
			return nil, nil, err
		}
	}
	for _, id := range groups {
		if err := went(id, lifecycle.Cascaded, ""); err != nil {
			return nil, nil, err
		}
	}
	return gone, stubbed, nil
}
