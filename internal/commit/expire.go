package commit

import (
	"slices"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// expire removes the nodes that expire at a cycle (03 §4): the largest set of them that no
// node outside the set refers to and no holder retains. A node that stays keeps its
// ancestors. A call may expire without its result; dropOrphansOfExpiry deals with that.
// expire then removes the groups that are empty now (see cascade), also those that an edit emptied or
// made empty, and those that earlier commits left. It returns the empty groups that something keeps.
//
// Specification: 02 §5, 02 §5.2, 03 §3.2, 03 §4, 03 §4.1.
func expire(t *tree.Tree, in Input, report *lifecycle.Report) (next *tree.Tree, emptyGroups []lifecycle.Kept,
	err error) {
	cycle, retained := in.Stamps.Cycle, in.Retained
	parents, err := mayBeEmpty(t, in)
	if err != nil {
		return nil, nil, err
	}
	var due []string // in document order
	if t.Root().Summary().Expiry <= cycle {
		if due, err = collectDue(nil, t.Root(), tree.Root, cycle); err != nil {
			return nil, nil, err
		}
	}
	if len(due)+len(parents) == 0 {
		return t, nil, nil
	}
	going := make(map[string]bool, len(due))
	for _, id := range due {
		going[id] = true
	}
	reasons, err := holdBack(t, due, going, certain(retained), lifecycle.Expired)
	if err != nil {
		return nil, nil, err
	}
	var roots []string
	for _, id := range due {
		if h, ok := reasons[id]; ok {
			report.Kept = append(report.Kept, h)
			continue
		}
		gone := lifecycle.Removal{ID: id, Reason: lifecycle.Expired}
		if n, err := t.Node(id); err != nil {
			return nil, nil, err
		} else if markOf(n).TTL {
			gone.Number = markOf(n).Rule
			gone.Rule = ruleWords(gone.Number, n, cycle)
		}
		report.Removed = append(report.Removed, gone)
		if parent, err := t.Parent(id); err != nil {
			return nil, nil, err
		} else if !going[parent] {
			roots = append(roots, id)
			parents = append(parents, parent)
		}
	}
	if t, err = t.Without(roots...); err != nil {
		return nil, nil, err
	}
	t, groups, staying, err := cascade(t, parents, retained)
	if err != nil {
		return nil, nil, err
	}
	for _, id := range groups {
		report.Removed = append(report.Removed, lifecycle.Removal{ID: id, Reason: lifecycle.Cascaded})
	}
	return t, staying, nil
}

// mayBeEmpty returns the ids of the groups that may be empty since the last snapshot, or were before.
func mayBeEmpty(t *tree.Tree, in Input) ([]string, error) {
	ids := slices.Clone(in.Idle)
	if in.Before == nil {
		return ids, nil
	}
	differences, err := tree.Differences(in.Before.WithCycle(t.Cycle()), t)
	for _, d := range differences {
		if d.New != nil && d.New.Removable {
			ids = append(ids, d.New.ID)
		}
		if d.Old != nil && d.OldParent != d.NewParent {
			ids = append(ids, d.OldParent)
		}
	}
	return ids, err
}

// holdBack removes from going the nodes that must stay: those that a holder retains,
// those that a staying node refers to, and the ancestors of all these. list holds the ids
// that are in going. holdBack returns why each of them stays; reason says why they were
// to go.
//
// Specification: 02 §5.4, 03 §4.3.
func holdBack(t *tree.Tree, list []string, going map[string]bool, retained func(string) (bool, error),
	reason lifecycle.Reason) (map[string]lifecycle.Kept, error) {
	reasons := make(map[string]lifecycle.Kept)
	again := list
	for len(again) > 0 {
		id := again[0]
		again = again[1:]
		if !going[id] {
			continue
		}
		h := lifecycle.Kept{ID: id, Reason: reason}
		if stays, err := retained(id); err != nil {
			return nil, err
		} else if stays {
			h.Why = lifecycle.Retained
		} else if by, err := firstReferrer(t, id, going); err != nil {
			return nil, err
		} else if by != "" {
			h.Why, h.By = lifecycle.Referenced, by
		} else {
			continue
		}
		// A node that stays keeps its ancestors, and what each of these refers to.
		for below := ""; id != "" && (below == "" || going[id]); {
			if below != "" {
				h = lifecycle.Kept{ID: id, Reason: reason, Why: lifecycle.Contains, By: below}
			}
			delete(going, id)
			reasons[id] = h
			n, err := t.Node(id)
			if err != nil {
				return nil, err
			}
			again = append(again, n.Refs...)
			below = id
			if id, err = t.Parent(id); err != nil {
				return nil, err
			}
		}
	}
	return reasons, nil
}

// certain makes of a function one that could fail.
func certain(f func(string) bool) func(string) (bool, error) {
	return func(id string) (bool, error) { return f(id), nil }
}

// collectDue appends the ids of the nodes at and below an entry that expire by a cycle, in document
// order. It skips the subtrees whose summaries rule that out. Root, regions and cores never expire by
// themselves.
func collectDue(ids []string, e *tree.Entry, parent tree.Class, cycle int64) ([]string, error) {
	if e.Node().Expiry <= cycle && !e.Class().Region() && !tree.IsCore(e, parent) {
		return appendIDs(ids, e)
	}
	kids := e.Children()
	for k, err := range kids.Visit(0, kids.Len(), func(s *tree.Summary) bool { return s.Expiry <= cycle }) {
		if err != nil {
			return nil, err
		}
		if k.Summary().Expiry <= cycle {
			if ids, err = collectDue(ids, k, e.Class(), cycle); err != nil {
				return nil, err
			}
		}
	}
	return ids, nil
}

// appendIDs appends the ids of the nodes at and below an entry, in document order.
func appendIDs(ids []string, e *tree.Entry) ([]string, error) {
	for below, err := range e.All() {
		if err != nil {
			return nil, err
		}
		ids = append(ids, below.Node().ID)
	}
	return ids, nil
}
