package commit

import (
	"context"

	"github.com/contexttree/pact/internal/tree"
)

// refersOutside finds the items from which a reference leads to a node elsewhere.
var refersOutside = &tree.Minimum{
	Name: "refers out",
	Less: func(_, _ *tree.Node) (bool, error) { return false, nil }, // any of them will do
	Of: func(_ context.Context, item *tree.Entry) (*tree.Node, error) {
		if ids, err := outgoingRefs(item); len(ids) == 0 || err != nil {
			return nil, err
		}
		return item.Node(), nil
	},
}

// openReferenced finds the references from one item to another and puts all candidates of
// the items that they lead to into the queue: whether such a candidate helps a limit may
// depend on a node in another item. The items that references come from need no such
// care, because helpersIn sees the references that leave them.
func (w *walk) openReferenced() error {
	for _, region := range [...]tree.Class{tree.Sys, tree.Seq} {
		kids := w.tree.Region(region).Children()
		for item, err := range refersOutside.Items(w.ctx, kids, func(*tree.Node) bool { return true }) {
			if err == nil {
				err = w.openReferencedBy(item)
			}
			if err != nil {
				return err
			}
		}
	}
	return w.openReferencedBy(w.tree.Region(tree.Head))
}

func (w *walk) openReferencedBy(item *tree.Entry) error {
	ids, err := outgoingRefs(item)
	if err != nil {
		return err
	}
	for _, id := range ids {
		path, err := w.tree.Path(id)
		if err != nil {
			return err
		}
		item := itemOf(path)
		if item == nil || w.crossed[item[len(item)-1].Node().ID] {
			continue
		}
		w.crossed[item[len(item)-1].Node().ID] = true
		if !w.isProtected(item) && len(w.byRegion[item[1].Class()]) > 0 {
			list, err := w.candidatesIn(item)
			if err != nil {
				return err
			}
			w.put(list...)
		}
	}
	return nil
}

// outgoingRefs returns the ids outside an item that nodes at and below it refer to.
func outgoingRefs(item *tree.Entry) (ids []string, err error) {
	inside := make(map[string]bool)
	for e, err := range item.All() {
		if err != nil {
			return nil, err
		}
		inside[e.Node().ID] = true
	}
	for e, err := range item.All() {
		if err != nil {
			return nil, err
		}
		for _, id := range e.Node().Refs {
			if !inside[id] {
				ids = append(ids, id)
			}
		}
	}
	return ids, nil
}
