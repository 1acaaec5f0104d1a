package differ

import (
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/tree"
)

// Selection says which nodes of each side to compare; nil for all.
type Selection struct {
	From, To map[string]bool // ids of the selected nodes of each side
}

// Trees returns the differences between two trees. A selection first restricts
// each side to its selected nodes: a node that is selected on one side only
// counts as added or removed. Cost: the number of differences and, with a
// selection, of selected nodes.
//
// Specification: 02 §9.3, 05 §4, 05 §4.1, 05 §4.2, 05 §4.4, 06 §4, 06 §4.1, 06 §4.2.
func Trees(from, to *tree.Tree, s *Selection) (*diff.Result, error) {
	older, newer := from, to
	backwards := from.Cycle() > to.Cycle()
	if backwards {
		older, newer = to, from
		if s != nil {
			s = &Selection{From: s.To, To: s.From}
		}
	}
	p, err := Compare(older, newer, s)
	if err != nil {
		return nil, err
	}
	r := &diff.Result{Added: p.Added, Removed: p.Removed, Changed: make([]diff.Change, len(p.Changed))}
	for i, d := range p.Changed {
		r.Changed[i] = diff.Change{ID: d.New.ID, Fields: p.Fields(d)}
	}
	if backwards {
		r.Added, r.Removed = r.Removed, r.Added
	}
	return r, nil
}

// Pair holds the differences between two trees, with both versions of every
// changed node, in the order of [diff.Result].
type Pair struct {
	Added, Removed []string          // ids that only the newer, or only the older tree has
	Changed        []tree.Difference // nodes of both trees that differ

	oldCycle, newCycle int64
}

// Compare is [Trees] for callers that need the versions themselves.
func Compare(older, newer *tree.Tree, s *Selection) (*Pair, error) {
	differences, err := tree.Differences(older, newer)
	if err != nil {
		return nil, err
	}
	return PairOf(older, newer, differences, s)
}

// PairOf is [Compare] for callers that already have the list of tree.Differences.
func PairOf(older, newer *tree.Tree, list []tree.Difference, s *Selection) (*Pair, error) {
	p := &Pair{Added: make([]string, 0, len(list)), Removed: []string{}, oldCycle: older.Base(), newCycle: newer.Base()}
	for _, d := range list {
		was, is := d.Old != nil, d.New != nil
		if s != nil {
			was, is = was && s.From[d.Old.ID], is && s.To[d.New.ID]
		}
		switch {
		case was && is:
			if len(p.Fields(d)) > 0 { // an expiry in the past shows in no field
				p.Changed = append(p.Changed, d)
			}
		case is:
			p.Added = append(p.Added, d.New.ID)
		case was && d.New == nil:
			p.Removed = append(p.Removed, d.Old.ID)
		}
	}
	if s != nil {
		var err error
		if p.Added, err = missing(newer, s.To, s.From, p.Added); err != nil {
			return nil, err
		}
		if p.Removed, err = missing(older, s.From, s.To, p.Removed); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// missing returns the ids that set has and other lacks, in the canonical order of
// t. known are those of them whose nodes differ, in that order. These are usually
// all; a selector that looks at more than the node can add others.
func missing(t *tree.Tree, set, other map[string]bool, known []string) ([]string, error) {
	n := 0
	for id := range set {
		if !other[id] {
			n++
		}
	}
	if n == len(known) {
		return known, nil
	}
	list := make([]string, 0, n)
	for id := range set {
		if !other[id] {
			list = append(list, id)
		}
	}
	return list, t.Sort(list)
}

// Fields returns the sorted names of the headers in which two versions differ.
// A ttl that ran down is a change (05 §4.2).
func (p *Pair) Fields(d tree.Difference) []string { return Fields(d, p.oldCycle, p.newCycle) }
