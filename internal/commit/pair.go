package commit

import (
	"slices"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// The kinds of the two blocks of a pair (01 §2).
const (
	callKind   = "call"
	resultKind = "result"
)

// isHalf reports whether a node is a call or a result: a block of that kind.
func isHalf(t *tree.Tree, n *tree.Node) (bool, error) {
	if n == nil || n.Kind != callKind && n.Kind != resultKind {
		return false, nil
	}
	e, err := t.Entry(n.ID)
	return err == nil && e.Class() == tree.Block, err
}

// partners returns the ids, sorted, of the results of a call or the calls of a result. A
// call and a result are partners if one of them refers to the other (decision 062).
func partners(t *tree.Tree, n *tree.Node) ([]string, error) {
	if half, err := isHalf(t, n); !half || err != nil {
		return nil, err
	}
	linked, err := t.Linked(n)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, m := range linked {
		if half, err := isHalf(t, m); err != nil {
			return nil, err
		} else if half && m.Kind != n.Kind {
			ids = append(ids, m.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// newOrphans returns, in document order, the orphans that this commit brings about: calls
// without a result after them and results without a call before them that the commit
// adds, changes or takes the partner from. Orphans of expiry and those that the last
// snapshot has already are left out. Cost: what changed since the last snapshot.
func (p *pruner) newOrphans() ([]string, error) {
	before, t := p.in.Before, p.tree
	if before == nil || !mayPair(before) && !mayPair(t) {
		return nil, nil
	}
	var ids []string
	look := func(n *tree.Node) error {
		if half, err := isHalf(t, n); !half || err != nil || p.orphanedByExpiry[n.ID] {
			return err
		}
		has, err := hasPartner(t, n)
		if !has && err == nil {
			ids = append(ids, n.ID)
		}
		return err
	}
	differences, err := tree.Differences(before.WithCycle(t.Cycle()), t)
	if err != nil {
		return nil, err
	}
	for _, d := range differences {
		if d.New != nil && (d.Old == nil || !d.Old.Equal(d.New)) {
			if err := look(d.New); err != nil {
				return nil, err
			}
		}
		if d.Old == nil || d.New != nil && d.Old.Equal(d.New) {
			continue
		}
		halves, err := partners(before, d.Old)
		if err != nil {
			return nil, err
		}
		for _, id := range halves {
			n, err := t.Node(id)
			if err == nil {
				err = look(n)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	err = t.Sort(ids)
	return slices.Compact(ids), err
}

// mayPair reports whether a tree may have calls or results. Only a false is certain.
func mayPair(t *tree.Tree) bool { return mayHoldHalf(t.Root()) }

// hasPartner reports whether a call has a result after it, or a result a call before it.
func hasPartner(t *tree.Tree, n *tree.Node) (bool, error) {
	halves, err := partners(t, n)
	if err != nil {
		return false, err
	}
	for _, id := range halves {
		order, err := t.Order(n.ID, id)
		if err != nil || order < 0 && n.Kind == callKind || order > 0 && n.Kind == resultKind {
			return err == nil, err
		}
	}
	return false, nil
}

// keepsOrphans reports whether the policy lets calls and results stand without the other. The
// specification has no such rule, so a policy must ask for another.
func (p *pruner) keepsOrphans() bool {
	return p.in.Policy.Orphans == "" || p.in.Policy.Orphans == lifecycle.Keep
}

// resolveOrphans refuses, drops or keeps new orphans, as the policy says. Dropping an
// orphan may make others.
func (p *pruner) resolveOrphans(report *lifecycle.Report) error {
	for {
		orphans, err := p.newOrphans()
		if err != nil {
			return err
		}
		if len(orphans) == 0 {
			return nil
		}
		if p.in.Policy.Orphans != lifecycle.Drop {
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
func (p *pruner) refuseOrKeepOrphans(orphans []string, report *lifecycle.Report) error {
	var refused, reported []lifecycle.Orphan
	for _, id := range orphans {
		n, err := p.tree.Node(id)
		if err != nil {
			return err
		}
		o := lifecycle.Orphan{ID: id, What: describe(n)}
		reported = append(reported, o)
		if !p.keepsOrphans() {
			if stays, err := p.answersNobody(n); err != nil {
				return err
			} else if !stays {
				refused = append(refused, o)
			}
		}
	}
	if len(refused) > 0 {
		return fault.OnNode(fault.PlacementInvalid, refused[0].ID, refused[0].What+", which providers refuse"+andMore(refused),
			"add the other half with a reference between the two, remove this one, or commit with orphans drop or keep")
	}
	report.Orphans = append(report.Orphans, reported...)
	return nil
}

// answersNobody reports whether a result never had a call and refers to nothing that is
// missing. The specification itself prints such results (02 §4.1.1, §12.9), so they are
// reported and not refused.
func (p *pruner) answersNobody(n *tree.Node) (bool, error) {
	if n.Kind != resultKind {
		return false, nil
	}
	for _, t := range [...]*tree.Tree{p.tree, p.in.Before} {
		n, err := t.Node(n.ID)
		if err != nil {
			return false, err
		}
		if calls, err := partners(t, n); len(calls) > 0 || err != nil {
			return false, err
		}
	}
	for _, to := range n.Refs {
		if has, err := p.tree.Has(to); !has || err != nil {
			return false, err
		}
	}
	return true, nil
}

func describe(n *tree.Node) string {
	if n.Kind == callKind {
		return "the call has no result after it"
	}
	return "the result has no call before it"
}

func andMore(orphans []lifecycle.Orphan) string {
	if len(orphans) == 1 {
		return ""
	}
	return "; " + strconv.Itoa(len(orphans)-1) + " more such"
}

// dropOrphans removes orphans, and the groups that become empty by that. It fails if
// something else keeps one of them.
func (p *pruner) dropOrphans(orphans []string, report *lifecycle.Report) error {
	going := make(map[string]bool, len(orphans))
	for _, id := range orphans {
		going[id] = true
	}
	parents := p.emptyGroupIDs()
	for _, id := range orphans {
		n, err := p.tree.Node(id)
		if err != nil {
			return err
		}
		by, err := firstReferrer(p.tree, id, going)
		if err != nil {
			return err
		}
		inCore, err := p.inSealedCore(id)
		if err != nil {
			return err
		}
		why := ""
		switch {
		case n.Pinned:
			why = "is pinned"
		case p.in.Retained(id):
			why = "is retained"
		case by != "":
			why = "is referred to by " + by
		case inCore:
			why = "is part of a sealed core"
		default:
			parent, err := p.tree.Parent(id)
			if err != nil {
				return err
			}
			parents = append(parents, parent)
			report.Orphans = append(report.Orphans, lifecycle.Orphan{ID: id, What: describe(n)})
			report.Removed = append(report.Removed, lifecycle.Removal{ID: id, Reason: lifecycle.Orphaned})
			continue
		}
		return fault.OnNode(fault.PlacementInvalid, id, describe(n)+" and it cannot be dropped, because it "+why,
			"remove it or what holds it, prune its turn, or commit with orphans keep")
	}
	var groups []string
	left, err := p.tree.Without(orphans...)
	if err != nil {
		return err
	}
	if p.tree, groups, p.emptyGroups, err = cascade(left, parents, p.in.Retained); err != nil {
		return err
	}
	for _, id := range groups {
		report.Removed = append(report.Removed, lifecycle.Removal{ID: id, Reason: lifecycle.Cascaded})
	}
	return p.measureLimits()
}
