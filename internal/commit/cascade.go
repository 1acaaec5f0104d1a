package commit

import "github.com/contexttree/pact/lifecycle"

import "github.com/contexttree/pact/internal/tree"

// cascade removes the removable groups that lost their last child, then the groups that
// become empty by that, and so on upwards: the largest set of such groups that no node
// outside the set refers to and no holder retains. parents are the ids of the nodes that
// lost a child. cascade returns the ids of the removed groups, inner groups first, and
// the empty groups that something keeps.
//
// Specification: 02 §5.3, 02 §5.3.1, 03 §4.2.
func cascade(t *tree.Tree, parents []string, retained func(string) bool) (next *tree.Tree, gone []string,
	staying []lifecycle.Kept, err error) {
	var groups []string
	going := make(map[string]bool)
	for len(parents) > 0 {
		id := parents[0]
		parents = parents[1:]
		if going[id] {
			continue
		}
		path, err := t.Path(id)
		if err != nil {
			return nil, nil, nil, err
		}
		if empty, err := willBeEmpty(path, going); err != nil {
			return nil, nil, nil, err
		} else if empty {
			going[id] = true
			groups = append(groups, id)
			parents = append(parents, path[len(path)-2].Node().ID)
		}
	}
	if len(groups) == 0 {
		return t, nil, nil, nil
	}
	reasons, err := holdBack(t, groups, going, certain(retained), lifecycle.Cascaded)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, id := range groups {
		if h, ok := reasons[id]; !ok {
			gone = append(gone, id)
		} else if h.Why != lifecycle.Contains {
			staying = append(staying, h)
		}
	}
	next, err = t.Without(gone...)
	return next, gone, staying, err
}

// willBeEmpty reports whether the node at the end of path is a removable group all of
// whose children go.
func willBeEmpty(path []*tree.Entry, going map[string]bool) (bool, error) {
	if len(path) < 2 {
		return false, nil
	}
	e := path[len(path)-1]
	if c := e.Class(); !e.Node().Removable || c.Region() || c == tree.Turn || tree.IsCore(e, path[len(path)-2].Class()) {
		return false, nil
	}
	for k, err := range e.Children().All() {
		if err != nil {
			return false, err
		}
		if !going[k.Node().ID] {
			return false, nil
		}
	}
	return true, nil
}

// firstReferrer returns the smallest id of the nodes outside going that refer to id, "" if
// there is none.
func firstReferrer(t *tree.Tree, id string, going map[string]bool) (string, error) {
	first := ""
	for from, err := range t.Referrers(id) {
		if err != nil {
			return "", err
		}
		if from != id && !going[from] && (first == "" || from < first) {
			first = from
		}
	}
	return first, nil
}
