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
	r := &Result{Added: []string{}, Removed: []string{}, Changed: []Change{}}
	older, newer := from, to
	if backwards := from.Cycle() > to.Cycle(); backwards {
		older, newer = to, from
		if s != nil {
			s = &Selection{From: s.To, To: s.From}
		}
		defer func() { r.Added, r.Removed = r.Removed, r.Added }()
	}
	if s != nil {
		r.selected(older, newer, s)
		return r
	}
	tree.Compare(older, newer, func(d tree.Difference) bool {
		switch {
		case d.Old == nil:
			r.Added = append(r.Added, d.New.ID)
		case d.New == nil:
			r.Removed = append(r.Removed, d.Old.ID)
		default:
			r.Changed = append(r.Changed, Change{d.New.ID, Fields(d, older.Cycle(), newer.Cycle())})
		}
		return true
	})
	return r
}

// selected is Trees where each side is a set of nodes.
func (r *Result) selected(older, newer *tree.Tree, s *Selection) {
	for _, id := range inOrder(newer, s.To) {
		if !s.From[id] {
			r.Added = append(r.Added, id)
		}
	}
	for _, id := range inOrder(older, s.From) {
		if !s.To[id] {
			r.Removed = append(r.Removed, id)
		}
	}
	tree.Compare(older, newer, func(d tree.Difference) bool {
		if d.Old != nil && d.New != nil && s.From[d.New.ID] && s.To[d.New.ID] {
			r.Changed = append(r.Changed, Change{d.New.ID, Fields(d, older.Cycle(), newer.Cycle())})
		}
		return true
	})
}

// inOrder sorts ids by the canonical order of their tree.
func inOrder(t *tree.Tree, ids map[string]bool) []string {
	list := make([]string, 0, len(ids))
	for id := range ids {
		list = append(list, id)
	}
	slices.SortFunc(list, t.Order)
	return list
}

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
	add("created_at_iso", a.CreatedISO() != b.CreatedISO())
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
