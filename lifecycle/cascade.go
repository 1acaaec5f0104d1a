package lifecycle

import "github.com/contexttree/pact/tree"

// cascade removes the removable groups that lost their last child, repeatedly:
// the largest set that nobody outside it refers to and no holder retains.
// parents are the ids of nodes that lost a child. It returns what went, inner
// groups first, and the empty groups that something keeps.
//
// Specification: 02 §5.3, 02 §5.3.1, 03 §4.2.
func cascade(t *tree.Tree, parents []string, retained func(string) bool) (next *tree.Tree, gone []string, idle []Held) {
	var groups []string
	going := make(map[string]bool)
	for len(parents) > 0 {
		id := parents[0]
		parents = parents[1:]
		if path := t.Path(id); !going[id] && emptied(path, going) {
			going[id] = true
			groups = append(groups, id)
			parents = append(parents, path[len(path)-2].Node().ID)
		}
	}
	if len(groups) == 0 {
		return t, nil, nil
	}
	held := hold(t, groups, going, retained, Cascaded)
	for _, id := range groups {
		if h, ok := held[id]; !ok {
			gone = append(gone, id)
		} else if h.Kept != Contains {
			idle = append(idle, h)
		}
	}
	return t.Without(gone...), gone, idle
}

// emptied reports whether a removable group is at the end of path and has no
// child but those that go.
func emptied(path []*tree.Entry, going map[string]bool) bool {
	if len(path) < 2 {
		return false
	}
	e := path[len(path)-1]
	if c := e.Class(); !e.Node().Removable || c.Region() || c == tree.Turn || tree.IsCore(e, path[len(path)-2].Class()) {
		return false
	}
	for k := range e.Children().All() {
		if !going[k.Node().ID] {
			return false
		}
	}
	return true
}

// referrer returns the first, by id, of the nodes outside going that refer to
// id, "" without one.
func referrer(t *tree.Tree, id string, going map[string]bool) string {
	first := ""
	for from := range t.Referrers(id) {
		if from != id && !going[from] && (first == "" || from < first) {
			first = from
		}
	}
	return first
}
