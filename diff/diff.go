// Package diff compares two snapshots node by node, by id (chapter 05 §4).
package diff

import (
	"slices"

	"github.com/contexttree/pact/tree"
)

// Result is the normative form of a diff (05 §4.3): exactly these three keys.
// Nodes come in the canonical order of the newer snapshot, those that it lacks
// in the order of the older one (05 §4.4).
type Result struct {
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
	Changed []Change `json:"changed"`
}

// Change names the headers in which a node differs, sorted. content shows as
// content_hash, the place in the tree as parent.
type Change struct {
	ID     string   `json:"id"`
	Fields []string `json:"fields"`
}

// Empty reports whether nothing differs.
func (r *Result) Empty() bool { return len(r.Added)+len(r.Removed)+len(r.Changed) == 0 }

// Selection says which nodes of each side a diff is about; nil for all.
type Selection struct{ From, To map[string]bool }

// Trees returns what leads from one tree to another. With a selection each
// side is first restricted to what was selected there: a node that is selected
// on one side only is added or removed. Cost: what differs; with a selection
// also the nodes that were selected.
func Trees(from, to *tree.Tree, s *Selection) *Result {
	older, newer := from, to
	backwards := from.Cycle() > to.Cycle()
	if backwards {
		older, newer = to, from
		if s != nil {
			s = &Selection{From: s.To, To: s.From}
		}
	}
	p := Compare(older, newer, s)
	r := &Result{Added: p.Added, Removed: p.Removed, Changed: make([]Change, len(p.Changed))}
	for i, d := range p.Changed {
		r.Changed[i] = Change{d.New.ID, p.Fields(d)}
	}
	if backwards {
		r.Added, r.Removed = r.Removed, r.Added
	}
	return r
}

// Pair is what differs between two trees, with both versions of every node that
// changed. It is in the order of [Result].
type Pair struct {
	Added, Removed []string // from the older to the newer
	Changed        []tree.Difference

	oldCycle, newCycle int64
}

// Compare is [Trees] for callers that need the versions themselves.
func Compare(older, newer *tree.Tree, s *Selection) *Pair {
	return Among(older, newer, tree.Differences(older, newer), s)
}

// Among is [Compare] for callers that know what differs, as tree.Differences tells.
func Among(older, newer *tree.Tree, list []tree.Difference, s *Selection) *Pair {
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

// Fields returns the sorted names of the headers in which two versions of a
// node differ, seen from the cycles of their snapshots. A ttl that ran down is
// a change (05 §4.2).
func Fields(d tree.Difference, oldCycle, newCycle int64) []string {
	a, b := d.Old, d.New
	var fields []string
	add := func(name string, differs bool) {
		if differs {
			fields = append(fields, name)
		}
	}
	oldTTL, oldFinite := a.TTL(oldCycle)
	newTTL, newFinite := b.TTL(newCycle)
	add("nodeType", a.Type != b.Type)
	add("offset", a.Offset != b.Offset)
	add("priority", a.Priority != b.Priority)
	add("cycle", a.Cycle != b.Cycle)
	add("created_at_ns", a.CreatedNS != b.CreatedNS)
	add("created_at_iso", (a.CreatedNS != b.CreatedNS || a.ForeignISO != b.ForeignISO) && a.CreatedISO() != b.CreatedISO())
	add("creation_index", a.Index != b.Index)
	add("ttl", oldFinite != newFinite || oldTTL != newTTL)
	add("content_hash", hashed(a, d.OldClass) != hashed(b, d.NewClass) || hashed(a, d.OldClass) && !a.SameContent(b))
	add("parent", d.OldParent != d.NewParent)
	for _, h := range a.Headers {
		add(h.Name, b.Header(h.Name) != h.Value)
	}
	for _, h := range b.Headers {
		add(h.Name, !a.Has(h.Name))
	}
	slices.Sort(fields)
	return fields
}

// hashed reports whether a node shows a content hash: blocks always do,
// containers where they have content.
func hashed(n *tree.Node, c tree.Class) bool { return c == tree.Block || n.Content.Size() > 0 }
