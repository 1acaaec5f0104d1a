package lifecycle

import (
	"slices"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/tree"
)

// The kinds of the two blocks of a pair (01 §2).
const (
	callKind   = "call"
	resultKind = "result"
)

// isHalf reports whether a node is a call or a result: a block of that kind.
func isHalf(t *tree.Tree, n *tree.Node) bool {
	return n != nil && (n.Kind == callKind || n.Kind == resultKind) && t.Entry(n.ID).Class() == tree.Block
}

// partners returns the ids, sorted, of the results of a call or the calls of a result. A
// call and a result are partners if one of them refers to the other (decision 062).
func partners(t *tree.Tree, n *tree.Node) []string {
	if !isHalf(t, n) {
		return nil
	}
	var ids []string
	add := func(id string) {
		if m := t.Node(id); isHalf(t, m) && m.Kind != n.Kind {
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

// newOrphans returns, in document order, the orphans that this commit brings about: calls
// without a result after them and results without a call before them that the commit
// adds, changes or takes the partner from. Orphans of expiry and those that the last
// snapshot has already are left out. Cost: what changed since the last snapshot.
func (p *pruner) newOrphans() []string {
	before, t := p.in.Before, p.tree
	if before == nil || !mayPair(before) && !mayPair(t) {
		return nil
	}
	var ids []string
	look := func(n *tree.Node) {
		if isHalf(t, n) && !p.orphanedByExpiry[n.ID] && !hasPartner(t, n) {
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

// mayPair reports whether a tree may have calls or results. Only a false is certain.
func mayPair(t *tree.Tree) bool {
	kinds := t.Root().Summary().Marks.Kinds
	return kinds&(tree.Mark(callKind)|tree.Mark(resultKind)) != 0
}

// hasPartner reports whether a call has a result after it, or a result a call before it.
func hasPartner(t *tree.Tree, n *tree.Node) bool {
	return slices.ContainsFunc(partners(t, n), func(id string) bool {
		order := t.Order(n.ID, id)
		return order < 0 && n.Kind == callKind || order > 0 && n.Kind == resultKind
	})
}

// resolveOrphans refuses, drops or keeps new orphans, as the policy says. Dropping an
// orphan may make others.
func (p *pruner) resolveOrphans(report *Report) error {
	for {
		orphans := p.newOrphans()
		if len(orphans) == 0 {
			return nil
		}
		if p.in.Policy.Orphans != Drop {
			return p.refuseOrKeepOrphans(orphans, report)
		}
		if err := p.ctx.Err(); err != nil {
			return err
		}
		if err := p.dropOrphans(orphans, report); err != nil {
			return err
		}
	}
}

// refuseOrKeepOrphans returns the error for the first orphan. It reports orphans instead
// where the policy keeps them, and always those of which answersNobody is true.
func (p *pruner) refuseOrKeepOrphans(orphans []string, report *Report) error {
	if p.in.Policy.Orphans != Keep {
		if refused := slices.DeleteFunc(slices.Clone(orphans), p.answersNobody); len(refused) > 0 {
			return fault.OnNode(fault.PlacementInvalid, refused[0], describe(p.tree.Node(refused[0]))+", which providers refuse"+
				andMore(refused),
				"add the other half with a reference between the two, remove this one, or commit with orphans drop or keep")
		}
	}
	for _, id := range orphans {
		report.Orphans = append(report.Orphans, Orphan{id, describe(p.tree.Node(id))})
	}
	return nil
}

// answersNobody reports whether a result never had a call and refers to nothing that is
// missing. The specification itself prints such results (02 §4.1.1, §12.9), so they are
// reported and not refused.
func (p *pruner) answersNobody(id string) bool {
	n := p.tree.Node(id)
	return n.Kind == resultKind && len(partners(p.tree, n)) == 0 &&
		len(partners(p.in.Before, p.in.Before.Node(id))) == 0 &&
		!slices.ContainsFunc(n.Refs, func(to string) bool { return !p.tree.Has(to) })
}

func describe(n *tree.Node) string {
	if n.Kind == callKind {
		return "the call has no result after it"
	}
	return "the result has no call before it"
}

func andMore(orphans []string) string {
	if len(orphans) == 1 {
		return ""
	}
	return "; " + strconv.Itoa(len(orphans)-1) + " more such"
}

// dropOrphans removes orphans, and the groups that become empty by that. It fails if
// something else keeps one of them.
func (p *pruner) dropOrphans(orphans []string, report *Report) error {
	going := make(map[string]bool, len(orphans))
	for _, id := range orphans {
		going[id] = true
	}
	parents := p.emptyGroupIDs()
	for _, id := range orphans {
		n, why := p.tree.Node(id), ""
		switch by := firstReferrer(p.tree, id, going); {
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
			report.Removed = append(report.Removed, Removal{ID: id, Reason: Orphaned})
			continue
		}
		return fault.OnNode(fault.PlacementInvalid, id, describe(n)+" and it cannot be dropped, because it "+why,
			"remove it or what holds it, prune its turn, or commit with orphans keep")
	}
	var groups []string
	p.tree, groups, p.emptyGroups = cascade(p.tree.Without(orphans...), parents, p.in.Retained)
	for _, id := range groups {
		report.Removed = append(report.Removed, Removal{ID: id, Reason: Cascaded})
	}
	return p.measureLimits()
}
