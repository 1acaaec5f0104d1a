package lifecycle

import (
	"slices"

	"github.com/contexttree/pact/tree"
)

// expire removes what expires at a cycle (03 §4): the largest set of expired
// nodes that nobody outside the set refers to and no holder retains. Nothing but
// a reference ties: what that leaves without its partner is for lapse. A node that
// stays keeps its ancestors. Groups that are left empty cascade, and those that were
// left empty before and kept; those that something keeps are returned.
//
// Specification: 02 §5, 02 §5.2, 03 §3.2, 03 §4, 03 §4.1.
func expire(t *tree.Tree, in Input, report *Report) (*tree.Tree, []Held) {
	cycle, retained := in.Stamps.Cycle, in.Retained
	if t.Root().Summary().Expiry > cycle && len(in.Idle) == 0 {
		return t, nil
	}
	var due []string // in document order
	if t.Root().Summary().Expiry <= cycle {
		collect(t.Root(), tree.Root, cycle, func(id string) { due = append(due, id) })
	}
	if len(due)+len(in.Idle) == 0 {
		return t, nil
	}
	going := make(map[string]bool, len(due))
	for _, id := range due {
		going[id] = true
	}
	held := hold(t, due, going, retained, Expired)
	var gone []string
	parents := slices.Clone(in.Idle)
	for _, id := range due {
		if h, ok := held[id]; ok {
			report.Held = append(report.Held, h)
			continue
		}
		report.Removed = append(report.Removed, Removal{id, Expired, ""})
		if parent := t.Parent(id); !going[parent] {
			gone = append(gone, id)
			parents = append(parents, parent)
		}
	}
	t, groups, idle := cascade(t.Without(gone...), parents, retained)
	for _, id := range groups {
		report.Removed = append(report.Removed, Removal{id, Cascaded, ""})
	}
	return t, idle
}

// hold takes out of going what has to stay: what is retained, what a node that
// stays refers to, and the ancestors of all these. It returns what it took out.
// list has everything in going.
//
// Specification: 02 §5.4, 03 §4.3.
func hold(t *tree.Tree, list []string, going map[string]bool, retained func(string) bool,
	reason Reason) map[string]Held {
	held := make(map[string]Held)
	again := list
	for len(again) > 0 {
		id := again[0]
		again = again[1:]
		if !going[id] {
			continue
		}
		h := Held{ID: id, Reason: reason}
		if retained(id) {
			h.Kept = Retained
		} else if by := referrer(t, id, going); by != "" {
			h.Kept, h.By = Referenced, by
		} else {
			continue
		}
		// What stays holds what it refers to, and its ancestors.
		for below := ""; id != "" && (below == "" || going[id]); below, id = id, t.Parent(id) {
			if below != "" {
				h = Held{ID: id, Reason: reason, Kept: Contains, By: below}
			}
			delete(going, id)
			held[id] = h
			again = append(again, t.Node(id).Refs...)
		}
	}
	return held
}

// collect finds what is due at and below an entry, passing over everything
// that the summaries rule out. Root, regions and cores are never due.
func collect(e *tree.Entry, above tree.Class, cycle int64, due func(string)) {
	if e.Node().Expiry <= cycle && !e.Class().Region() && !tree.IsCore(e, above) {
		everything(e, due)
		return
	}
	e.Children().Visit(0, e.Children().Len(),
		func(s *tree.Summary) bool { return s.Expiry <= cycle },
		func(k *tree.Entry) bool {
			if k.Summary().Expiry <= cycle {
				collect(k, e.Class(), cycle, due)
			}
			return true
		})
}

func everything(e *tree.Entry, f func(string)) {
	f(e.Node().ID)
	for k := range e.Children().All() {
		everything(k, f)
	}
}
