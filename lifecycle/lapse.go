package lifecycle

import (
	"slices"

	"github.com/contexttree/pact/tree"
)

// lapse drops the calls and results whose last partner expiry took: providers
// refuse one without the other, and a commit is never refused because time
// passed. What is pinned, retained, referred to or part of a sealed core stays,
// and so does everything where the policy keeps orphans. The report names them
// all. Cost: what expired and its partners.
func (p *pruner) lapse(report *Report) {
	if p.in.Before == nil || p.tree == p.in.Working {
		return
	}
	for lone := p.lapsedBy(report.Removed); len(lone) > 0; {
		going := make(map[string]bool, len(lone))
		for _, id := range lone {
			p.lapsed[id] = true
			going[id] = true
			report.Orphans = append(report.Orphans, Orphan{id, describe(p.tree.Node(id))})
		}
		if p.in.Policy.Orphans == Keep {
			return
		}
		held := hold(p.tree, lone, going, p.fixed, Orphaned)
		var gone []Removal
		parents := p.idleIDs()
		for _, id := range lone {
			if h, stays := held[id]; stays {
				report.Held = append(report.Held, p.fixedBy(h))
				continue
			}
			gone = append(gone, Removal{id, Orphaned, ""})
			parents = append(parents, p.tree.Parent(id))
		}
		if len(gone) == 0 {
			return
		}
		for _, r := range gone {
			p.tree = p.tree.Without(r.ID)
		}
		var groups []string
		p.tree, groups, p.idle = cascade(p.tree, parents, p.in.Retained)
		report.Removed = append(report.Removed, gone...)
		for _, id := range groups {
			report.Removed = append(report.Removed, Removal{id, Cascaded, ""})
		}
		lone = p.lapsedBy(gone)
	}
}

// lapsedBy returns, in document order, the calls and results that had a partner
// in the right place before these nodes went and have none now.
func (p *pruner) lapsedBy(removed []Removal) (ids []string) {
	for _, r := range removed {
		for _, id := range partners(p.in.Working, p.in.Working.Node(r.ID)) {
			if n := p.tree.Node(id); n != nil && !p.lapsed[id] && !answered(p.tree, n) && answered(p.in.Working, n) {
				ids = append(ids, id)
			}
		}
	}
	slices.SortFunc(ids, p.tree.Order)
	return slices.Compact(ids)
}

// fixed reports whether a node stays whatever its partner does.
func (p *pruner) fixed(id string) bool {
	return p.in.Retained(id) || p.tree.Node(id).Pinned || p.inSealedCore(id)
}

// fixedBy says which of these it was.
func (p *pruner) fixedBy(h Held) Held {
	switch {
	case h.Kept != Retained || p.in.Retained(h.ID):
	case p.tree.Node(h.ID).Pinned:
		h.Kept = Pinned
	default:
		h.Kept = Whole
	}
	return h
}

// inSealedCore reports whether a node of an earlier snapshot is in a core, which
// nothing but expiry takes anything out of (02 §6.4).
func (p *pruner) inSealedCore(id string) bool {
	return p.in.Before.Has(id) && tree.InCore(p.tree.Path(id))
}
