package lifecycle

import (
	"slices"

	"github.com/contexttree/pact/internal/tree"
)

// expire removes the nodes that expire at a cycle (03 §4): the largest set of them that no
// node outside the set refers to and no holder retains. A node that stays keeps its
// ancestors. A call may expire without its result; dropOrphansOfExpiry deals with that.
// expire then removes the groups that are empty now (see cascade), also those that earlier
// commits left empty. It returns the empty groups that something keeps.
//
// Specification: 02 §5, 02 §5.2, 03 §3.2, 03 §4, 03 §4.1.
func expire(t *tree.Tree, in Input, report *Report) (next *tree.Tree, emptyGroups []Kept) {
	cycle, retained := in.Stamps.Cycle, in.Retained
	if t.Root().Summary().Expiry > cycle && len(in.Idle) == 0 {
		return t, nil
	}
	var due []string // in document order
	if t.Root().Summary().Expiry <= cycle {
		collectDue(t.Root(), tree.Root, cycle, func(id string) { due = append(due, id) })
	}
	if len(due)+len(in.Idle) == 0 {
		return t, nil
	}
	going := make(map[string]bool, len(due))
	for _, id := range due {
		going[id] = true
	}
	held := holdBack(t, due, going, retained, Expired)
	var roots []string
	parents := slices.Clone(in.Idle)
	for _, id := range due {
		if h, ok := held[id]; ok {
			report.Kept = append(report.Kept, h)
			continue
		}
		gone := Removal{ID: id, Reason: Expired}
		if n := t.Node(id); markOf(n).TTL {
			gone.Number = markOf(n).Rule
			gone.Rule = ruleWords(gone.Number, n, cycle)
		}
		report.Removed = append(report.Removed, gone)
		if parent := t.Parent(id); !going[parent] {
			roots = append(roots, id)
			parents = append(parents, parent)
		}
	}
	t, groups, kept := cascade(t.Without(roots...), parents, retained)
	for _, id := range groups {
		report.Removed = append(report.Removed, Removal{ID: id, Reason: Cascaded})
	}
	return t, kept
}

// holdBack removes from going the nodes that must stay: those that a holder retains,
// those that a staying node refers to, and the ancestors of all these. list holds the ids
// that are in going. holdBack returns why each of them stays; reason says why they were
// to go.
//
// Specification: 02 §5.4, 03 §4.3.
func holdBack(t *tree.Tree, list []string, going map[string]bool, retained func(string) bool,
	reason Reason) map[string]Kept {
	held := make(map[string]Kept)
	again := list
	for len(again) > 0 {
		id := again[0]
		again = again[1:]
		if !going[id] {
			continue
		}
		h := Kept{ID: id, Reason: reason}
		if retained(id) {
			h.Why = Retained
		} else if by := firstReferrer(t, id, going); by != "" {
			h.Why, h.By = Referenced, by
		} else {
			continue
		}
		// A node that stays keeps its ancestors, and what each of these refers to.
		for below := ""; id != "" && (below == "" || going[id]); below, id = id, t.Parent(id) {
			if below != "" {
				h = Kept{ID: id, Reason: reason, Why: Contains, By: below}
			}
			delete(going, id)
			held[id] = h
			again = append(again, t.Node(id).Refs...)
		}
	}
	return held
}

// collectDue calls due with the ids of the nodes at and below an entry that expire by a
// cycle, in document order. It skips the subtrees whose summaries rule that out. Root,
// regions and cores never expire by themselves.
func collectDue(e *tree.Entry, parent tree.Class, cycle int64, due func(string)) {
	if e.Node().Expiry <= cycle && !e.Class().Region() && !tree.IsCore(e, parent) {
		eachID(e, due)
		return
	}
	e.Children().Visit(0, e.Children().Len(),
		func(s *tree.Summary) bool { return s.Expiry <= cycle },
		func(k *tree.Entry) bool {
			if k.Summary().Expiry <= cycle {
				collectDue(k, e.Class(), cycle, due)
			}
			return true
		})
}

// eachID calls f with the ids of the nodes at and below an entry, in document order.
func eachID(e *tree.Entry, f func(string)) {
	f(e.Node().ID)
	for k := range e.Children().All() {
		eachID(k, f)
	}
}
