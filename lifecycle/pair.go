package lifecycle

import (
	"slices"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/tree"
)

// The kinds of the two halves of a pair (01 §2).
const (
	callKind   = "call"
	resultKind = "result"
)

// half reports whether a node is a call or a result: a block of that kind.
func half(t *tree.Tree, n *tree.Node) bool {
	return n != nil && (n.Kind == callKind || n.Kind == resultKind) && t.Entry(n.ID).Class() == tree.Block
}

// partners returns, by id, the results of a call or the calls of a result:
// either refers to the other. Providers refuse one without the other.
func partners(t *tree.Tree, n *tree.Node) []string {
	if !half(t, n) {
		return nil
	}
	var ids []string
	add := func(id string) {
		if m := t.Node(id); half(t, m) && m.Kind != n.Kind {
			ids = append(ids, id)
		}
	}
	for _, id := range n.Refs {
		add(id)
	}
	for id := range t.Referrers(n.ID) {
		add(id)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// orphans returns the calls without a result behind them and the results without
// a call before them that the commit brings about: those that it adds or changes,
// and those whose partner it takes, but for what expiry left alone. What was an
// orphan before stays one. They come in document order. Cost: what changed since
// the last snapshot.
func (p *pruner) orphans() []string {
	before, t := p.in.Before, p.tree
	if before == nil || !mayPair(before) && !mayPair(t) {
		return nil
	}
	var ids []string
	look := func(n *tree.Node) {
		if half(t, n) && !p.lapsed[n.ID] && !answered(t, n) {
			ids = append(ids, n.ID)
		}
	}
	tree.Compare(before.WithCycle(t.Cycle()), t, func(d tree.Difference) bool {
		if d.New != nil && (d.Old == nil || !d.Old.Same(d.New)) {
			look(d.New)
		}
		if d.Old != nil && (d.New == nil || !d.Old.Same(d.New)) {
			for _, id := range partners(before, d.Old) {
				look(t.Node(id))
			}
		}
		return true
	})
	slices.SortFunc(ids, t.Order)
	return slices.Compact(ids)
}

// mayPair reports whether a tree can have calls or results.
func mayPair(t *tree.Tree) bool {
	kinds := t.Root().Summary().Marks.Kinds
	return kinds&(tree.Mark(callKind)|tree.Mark(resultKind)) != 0
}

// answered reports whether a call has a result behind it, or a result a call
// before it.
func answered(t *tree.Tree, n *tree.Node) bool {
	return slices.ContainsFunc(partners(t, n), func(id string) bool {
		order := t.Order(n.ID, id)
		return order < 0 && n.Kind == callKind || order > 0 && n.Kind == resultKind
	})
}

// mend deals with orphans as the policy says.
func (p *pruner) mend(report *Report) error {
	for {
		lone := p.orphans()
		if len(lone) == 0 {
			return nil
		}
		if p.in.Policy.Orphans != Drop {
			return p.refuse(lone, report)
		}
		if err := p.ctx.Err(); err != nil {
			return err
		}
		if err := p.drop(lone, report); err != nil {
			return err
		}
	}
}

// refuse fails at the first orphan, unless orphans are kept, or it is a result
// that answers nobody.
func (p *pruner) refuse(lone []string, report *Report) error {
	if p.in.Policy.Orphans != Keep {
		if refused := slices.DeleteFunc(slices.Clone(lone), p.answersNobody); len(refused) > 0 {
			return fault.OnNode(fault.PlacementInvalid, refused[0], describe(p.tree.Node(refused[0]))+", which providers refuse"+
				more(refused),
				"add what is missing with a reference between the two, remove this, or commit with orphans drop or keep")
		}
	}
	for _, id := range lone {
		report.Orphans = append(report.Orphans, Orphan{id, describe(p.tree.Node(id))})
	}
	return nil
}

// answersNobody reports whether a result has and had no call and refers to nothing
// that is missing. The documents print such blocks (02 §4.1.1, §12.9): they are
// worth a word and no refusal.
func (p *pruner) answersNobody(id string) bool {
	n := p.tree.Node(id)
	return n.Kind == resultKind && len(partners(p.tree, n)) == 0 &&
		len(partners(p.in.Before, p.in.Before.Node(id))) == 0 &&
		!slices.ContainsFunc(n.Refs, func(to string) bool { return !p.tree.Has(to) })
}

func describe(n *tree.Node) string {
	if n.Kind == callKind {
		return "the call has no result behind it"
	}
	return "the result has no call before it"
}

func more(lone []string) string {
	if len(lone) == 1 {
		return ""
	}
	return "; " + strconv.Itoa(len(lone)-1) + " more such"
}

// drop removes orphans that nothing else holds, and the groups that this leaves
// empty.
func (p *pruner) drop(lone []string, report *Report) error {
	going := make(map[string]bool, len(lone))
	for _, id := range lone {
		going[id] = true
	}
	parents := p.idleIDs()
	for _, id := range lone {
		n, why := p.tree.Node(id), ""
		switch by := referrer(p.tree, id, going); {
		case n.Pinned:
			why = "is pinned"
		case p.in.Retained(id):
			why = "is retained"
		case by != "":
			why = "is referred to by " + by
		case p.inSealedCore(id):
			why = "is part of a sealed core"
		default:
			parents = append(parents, p.tree.Parent(id))
			report.Orphans = append(report.Orphans, Orphan{id, describe(n)})
			report.Removed = append(report.Removed, Removal{id, Orphaned, ""})
			continue
		}
		return fault.OnNode(fault.PlacementInvalid, id, describe(n)+" and it cannot be dropped, because it "+why,
			"remove it or what holds it, prune its turn, or commit with orphans keep")
	}
	var groups []string
	p.tree, groups, p.idle = cascade(p.tree.Without(lone...), parents, p.in.Retained)
	for _, id := range groups {
		report.Removed = append(report.Removed, Removal{id, Cascaded, ""})
	}
	return p.weigh()
}
