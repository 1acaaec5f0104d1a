package lifecycle

import (
	"maps"
	"slices"

	"github.com/contexttree/pact/internal/tree"
)

// removeCandidates removes candidates in canonical order (02 §7.1, §7.3): all that a
// caller asked for, or those that help a limit, until none is exceeded. A candidate
// that something keeps is tried again after that something is removed.
func (p *pruner) removeCandidates(w *walk, asked bool) error {
	p.components = &components{p, make(map[string]*component)}
	blocked := make(map[string][]candidate)   // by the id of what keeps them
	unhelpful := make(map[string][]candidate) // by the roots of their removal sets, which help no limit
	held := make(map[string]heldCandidate)
	for asked || len(p.exceeded()) > 0 {
		c, more, err := w.next()
		if err != nil {
			return err
		} else if !more {
			break
		}
		if !p.tree.Has(c.id) {
			continue
		}
		set, blockers, h := p.removalSet(c)
		if h.Why != "" {
			held[c.id] = heldCandidate{c, h}
			for _, id := range blockers {
				blocked[id] = append(blocked[id], c)
			}
			continue
		}
		delete(held, c.id)
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
			w.requeue(blocked, id)
		}
		if stubbed == nil || asked {
			continue
		}
		path := p.tree.Path(stubbed.id)
		if !p.isProtected(path) {
			w.put(*stubbed)
		}
		for _, e := range path {
			w.requeue(unhelpful, e.Node().ID)
		}
		w.requeueItem(path)
	}
	for _, c := range w.queue { // what kept it is gone, but nothing more had to go
		if s, was := held[c.id]; was && c.single() && p.tree.Has(c.id) {
			_, _, s.Kept = p.removalSet(s.candidate)
			held[c.id] = s
		}
	}
	return p.recordHeld(held, w.wanted, asked)
}

// heldCandidate is a candidate that something keeps.
type heldCandidate struct {
	candidate
	Kept
}

// recordHeld notes for the report which candidates were kept: all that a caller asked
// for, otherwise those that would have helped a limit.
func (p *pruner) recordHeld(held map[string]heldCandidate, wanted []*limit, asked bool) error {
	list := slices.SortedFunc(maps.Values(held), func(a, b heldCandidate) int {
		return compareCandidates(a.candidate, b.candidate)
	})
	for _, s := range list {
		if s.Why == "" || !p.tree.Has(s.id) {
			continue
		}
		if !asked {
			if l, err := p.limitHelped(wanted, s.candidate, []string{s.id}); err != nil {
				return err
			} else if l == nil {
				continue
			}
		}
		p.held = append(p.held, s.Kept)
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
		if l.region == "" && l.kind == "" && l.tag == "" && l.unit != turns {
			return l, nil
		}
		var room [8]*tree.Entry
		for _, root := range set {
			path := p.tree.AppendPath(room[:0], root)
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
	for k := range e.Children().All() {
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
	rule := RuleNamed
	if p.rewriting {
		rule = RuleRewritten
	} else if helped != nil {
		rule = helped.String()
	}
	went := func(id string, why Reason, rule string) {
		gone = append(gone, id)
		number, n := 0, p.in.Working.Node(id) // nil for a stub of this very commit
		if why == Pruned && p.ruling > 0 && n != nil {
			number, rule = p.ruling, ruleWords(p.ruling, n, p.stamps.Cycle)
		}
		if !p.newStubs[id] { // a stub of this very commit, which nobody has seen
			p.removed = append(p.removed, Removal{id, why, rule, number})
		}
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
		e := p.tree.Entry(id)
		below := e.Summary()
		gone = slices.Grow(gone, below.Nodes)
		p.removed = slices.Grow(p.removed, below.Nodes)
		tokens, err := p.tokensOf(e)
		if err != nil {
			return nil, nil, err
		}
		p.freedTokens += tokens
		parents = append(parents, p.tree.Parent(id))
		eachID(e, func(id string) { went(id, Pruned, rule) })
	}
	if stub != nil {
		c := p.keepStub(stub)
		tokens, err := p.tokensOf(p.tree.Entry(c.id))
		if err != nil {
			return nil, nil, err
		}
		p.freedTokens -= tokens
		stubbed, more = &c, stub.weights
	} else {
		p.tree = p.tree.Without(set...)
	}
	before := p.tree
	var groups []string
	p.tree, groups, p.emptyGroups = cascade(p.tree, parents, p.in.Retained)
	if len(groups) > 0 {
		empty, err := p.weightsOf(before, outermost(before, slices.Clone(groups)))
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
		went(id, Cascaded, "")
	}
	return gone, stubbed, nil
}
