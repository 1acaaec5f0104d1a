// Package differ compares two trees node by node, by id (chapter 05 §4). Package
// diff has the types of what it finds.
package differ

import (
	"slices"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/tree"
)

// Selection says which nodes of each side a diff is about; nil for all.
type Selection struct {
	From, To map[string]bool // ids of the nodes that are selected on a side
}

// Trees returns what leads from one tree to another. With a selection each
// side is first restricted to what was selected there: a node that is selected
// on one side only is added or removed. Cost: what differs; with a selection
// also the nodes that were selected.
//
// Specification: 02 §9.3, 05 §4, 05 §4.1, 05 §4.2, 05 §4.4, 06 §4, 06 §4.1, 06 §4.2.
func Trees(from, to *tree.Tree, s *Selection) *diff.Result {
	older, newer := from, to
	backwards := from.Cycle() > to.Cycle()
	if backwards {
		older, newer = to, from
		if s != nil {
			s = &Selection{From: s.To, To: s.From}
		}
	}
	p := Compare(older, newer, s)
	r := &diff.Result{Added: p.Added, Removed: p.Removed, Changed: make([]diff.Change, len(p.Changed))}
	for i, d := range p.Changed {
		r.Changed[i] = diff.Change{ID: d.New.ID, Fields: p.Fields(d)}
	}
	if backwards {
		r.Added, r.Removed = r.Removed, r.Added
	}
	return r
}

// Pair is what differs between two trees, with both versions of every node that
// changed. It is in the order of [diff.Result].
type Pair struct {
	Added, Removed []string          // from the older to the newer
	Changed        []tree.Difference // nodes of both that differ

	oldCycle, newCycle int64
}

// Compare is [Trees] for callers that need the versions themselves.
func Compare(older, newer *tree.Tree, s *Selection) *Pair {
	return PairOf(older, newer, tree.Differences(older, newer), s)
}

// PairOf is [Compare] for callers that have the list of tree.Differences already.
func PairOf(older, newer *tree.Tree, list []tree.Difference, s *Selection) *Pair {
	p := &Pair{Added: []string{}, Removed: []string{}, oldCycle: older.Cycle(), newCycle: newer.Cycle()}
	for _, d := range list {
		was, is := d.Old != nil, d.New != nil
		if s != nil {
			was, is = was && s.From[d.Old.ID], is && s.To[d.New.ID]
		}
		switch {
		case was && is:
			if len(p.Fields(d)) > 0 { // an expiry that is over shows nowhere
				p.Changed = append(p.Changed, d)
			}
		case is:
			p.Added = append(p.Added, d.New.ID)
		case was && d.New == nil:
			p.Removed = append(p.Removed, d.Old.ID)
		}
	}
	if s != nil {
		p.Added, p.Removed = missing(newer, s.To, s.From, p.Added), missing(older, s.From, s.To, p.Removed)
	}
	return p
}

// missing returns the ids of a set that another lacks, in the canonical order
// of their tree. known are those of them that differ, in that order: all of
// them, but where the selection goes by something else than the node itself.
func missing(t *tree.Tree, set, other map[string]bool, known []string) []string {
	n := 0
	for id := range set {
		if !other[id] {
			n++
		}
	}
	if n == len(known) {
		return known
	}
	list := make([]string, 0, n)
	for id := range set {
		if !other[id] {
			list = append(list, id)
		}
	}
	slices.SortFunc(list, t.Order)
	return list
}

// Fields returns the sorted names of the headers in which two versions differ.
// A ttl that ran down is a change (05 §4.2).
func (p *Pair) Fields(d tree.Difference) []string { return Fields(d, p.oldCycle, p.newCycle) }
