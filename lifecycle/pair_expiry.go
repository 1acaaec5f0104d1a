package lifecycle

import (
	"slices"

	"github.com/contexttree/pact/internal/tree"
)

// dropOrphansOfExpiry removes the calls and results whose last partner expired in this
// commit (decision 062): providers refuse one without the other, and a commit must not
// fail because time passed. An orphan stays if it is pinned, retained, referred to or
// in a sealed core, or if the policy keeps orphans. The report names every orphan, also
// those that stay. Cost: the nodes that expired and their partners.
func (p *pruner) dropOrphansOfExpiry(report *Report) {
	if p.in.Before == nil || p.tree == p.in.Working {
		return
	}
	for orphans := p.orphanedBy(report.Removed); len(orphans) > 0; {
		going := make(map[string]bool, len(orphans))
		for _, id := range orphans {
			if p.orphanedByExpiry == nil {
				p.orphanedByExpiry = make(map[string]bool)
			}
			p.orphanedByExpiry[id] = true
			going[id] = true
			report.Orphans = append(report.Orphans, Orphan{id, describe(p.tree.Node(id))})
		}
		if p.in.Policy.Orphans == Keep {
			return
		}
		held := holdBack(p.tree, orphans, going, p.mustStay, Orphaned)
		var dropped []Removal
		parents := p.emptyGroupIDs()
		for _, id := range orphans {
			if h, stays := held[id]; stays {
				report.Kept = append(report.Kept, p.withCause(h))
				continue
			}
			dropped = append(dropped, Removal{ID: id, Reason: Orphaned})
			parents = append(parents, p.tree.Parent(id))
		}
		if len(dropped) == 0 {
			return
		}
		for _, r := range dropped {
			p.tree = p.tree.Without(r.ID)
		}
		var groups []string
		p.tree, groups, p.emptyGroups = cascade(p.tree, parents, p.in.Retained)
		report.Removed = append(report.Removed, dropped...)
		for _, id := range groups {
			report.Removed = append(report.Removed, Removal{ID: id, Reason: Cascaded})
		}
		orphans = p.orphanedBy(dropped)
	}
}

// orphanedBy returns, in document order, the calls and results that these removals
// leave without a partner.
func (p *pruner) orphanedBy(removed []Removal) (ids []string) {
	for _, r := range removed {
		for _, id := range partners(p.in.Working, p.in.Working.Node(r.ID)) {
			n := p.tree.Node(id)
			if n != nil && !p.orphanedByExpiry[id] && !hasPartner(p.tree, n) && hasPartner(p.in.Working, n) {
				ids = append(ids, id)
			}
		}
	}
	slices.SortFunc(ids, p.tree.Order)
	return slices.Compact(ids)
}

// mustStay reports whether a node stays although its partner is gone.
func (p *pruner) mustStay(id string) bool {
	return p.in.Retained(id) || p.tree.Node(id).Pinned || p.inSealedCore(id)
}

// withCause completes what holdBack says of a node for which mustStay is true: holdBack
// calls all of them retained.
func (p *pruner) withCause(h Kept) Kept {
	switch {
	case h.Why != Retained || p.in.Retained(h.ID):
	case p.tree.Node(h.ID).Pinned:
		h.Why = Pinned
	default:
		h.Why = PartOfTurn
	}
	return h
}

// inSealedCore reports whether a node of an earlier snapshot is in a core. Only expiry
// may remove nodes from there (02 §6.4).
func (p *pruner) inSealedCore(id string) bool {
	return p.in.Before.Has(id) && tree.InCore(p.tree.Path(id))
}
