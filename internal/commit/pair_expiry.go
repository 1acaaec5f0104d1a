package commit

import (
	"slices"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// dropOrphansOfExpiry removes the calls and results whose last partner expired in this
// commit, unless the policy keeps orphans (decision 062): a commit must not fail because
// time passed. An orphan stays if it is pinned, retained, referred to or in a sealed core. The report names every orphan, also
// those that stay. Cost: the nodes that expired and their partners.
func (p *pruner) dropOrphansOfExpiry(report *lifecycle.Report) error {
	if p.in.Before == nil || p.tree == p.in.Working {
		return nil
	}
	orphans, err := p.orphanedBy(report.Removed)
	if err != nil {
		return err
	}
	for len(orphans) > 0 {
		going := make(map[string]bool, len(orphans))
		for _, id := range orphans {
			if p.orphanedByExpiry == nil {
				p.orphanedByExpiry = make(map[string]bool)
			}
			p.orphanedByExpiry[id] = true
			going[id] = true
			n, err := p.tree.Node(id)
			if err != nil {
				return err
			}
			report.Orphans = append(report.Orphans, lifecycle.Orphan{ID: id, What: describe(n)})
		}
		if p.keepsOrphans() {
			return nil
		}
		reasons, err := holdBack(p.tree, orphans, going, p.mustStay, lifecycle.Orphaned)
		if err != nil {
			return err
		}
		var dropped []lifecycle.Removal
		parents := p.emptyGroupIDs()
		for _, id := range orphans {
			if h, stays := reasons[id]; stays {
				if h, err = p.withCause(h); err != nil {
					return err
				}
				report.Kept = append(report.Kept, h)
				continue
			}
			dropped = append(dropped, lifecycle.Removal{ID: id, Reason: lifecycle.Orphaned})
			parent, err := p.tree.Parent(id)
			if err != nil {
				return err
			}
			parents = append(parents, parent)
		}
		if len(dropped) == 0 {
			return nil
		}
		for _, r := range dropped {
			if p.tree, err = p.tree.Without(r.ID); err != nil {
				return err
			}
		}
		var groups []string
		if p.tree, groups, p.emptyGroups, err = cascade(p.tree, parents, p.in.Retained); err != nil {
			return err
		}
		report.Removed = append(report.Removed, dropped...)
		for _, id := range groups {
			report.Removed = append(report.Removed, lifecycle.Removal{ID: id, Reason: lifecycle.Cascaded})
		}
		if orphans, err = p.orphanedBy(dropped); err != nil {
			return err
		}
	}
	return nil
}

// orphanedBy returns, in document order, the calls and results that these removals
// leave without a partner.
func (p *pruner) orphanedBy(removed []lifecycle.Removal) (ids []string, err error) {
	for _, r := range removed {
		gone, err := p.in.Working.Node(r.ID)
		if err != nil {
			return nil, err
		}
		halves, err := partners(p.in.Working, gone)
		if err != nil {
			return nil, err
		}
		for _, id := range halves {
			n, err := p.tree.Node(id)
			if err != nil {
				return nil, err
			}
			if n == nil || p.orphanedByExpiry[id] {
				continue
			}
			has, err := hasPartner(p.tree, n)
			had := false
			if !has && err == nil {
				had, err = hasPartner(p.in.Working, n)
			}
			if err != nil {
				return nil, err
			}
			if had {
				ids = append(ids, id)
			}
		}
	}
	err = p.tree.Sort(ids)
	return slices.Compact(ids), err
}

// mustStay reports whether a node stays although its partner is gone.
func (p *pruner) mustStay(id string) (bool, error) {
	n, err := p.tree.Node(id)
	if err != nil || n.Pinned || p.in.Retained(id) {
		return err == nil, err
	}
	return p.inSealedCore(id)
}

// withCause completes what holdBack says of a node for which mustStay is true: holdBack
// calls all of them retained.
func (p *pruner) withCause(h lifecycle.Kept) (lifecycle.Kept, error) {
	if h.Why != lifecycle.Retained || p.in.Retained(h.ID) {
		return h, nil
	}
	n, err := p.tree.Node(h.ID)
	if err != nil {
		return lifecycle.Kept{}, err
	}
	h.Why = lifecycle.PartOfTurn
	if n.Pinned {
		h.Why = lifecycle.Pinned
	}
	return h, nil
}

// inSealedCore reports whether a node of an earlier cycle is in a core. Only expiry
// may remove nodes from there (02 §6.4).
func (p *pruner) inSealedCore(id string) (bool, error) {
	if earlier, err := p.in.Before.Settled(id); !earlier || err != nil {
		return false, err
	}
	path, err := p.tree.Path(id)
	return tree.InCore(path), err
}
