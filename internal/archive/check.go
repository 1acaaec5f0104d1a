package archive

import (
	"slices"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/differ"
	"github.com/contexttree/pact/internal/tree"
)

// refuseOrReport handles a history that no context can have had: a strict reader refuses it,
// any other accepts it and reports it.
func (r *historyReader) refuseOrReport(node, message string) error {
	if r.Strict {
		return fault.OnNode(fault.DocumentInvalid, node, message, "read it leniently to take it as it is")
	}
	r.report(node, message)
	return nil
}

// checkSeal compares a snapshot with what was sealed before it (03 §5). An id belongs to one
// node. Nodes of a sealed turn may go, and others may be attached outside the core, but none
// may change. Stamps do not count, because reading fills in missing ones; nor does the ttl,
// which a node loses when it is held back. It reports each rule once a cycle, and notes the
// stamps of what is new. Cost: the differences from the previous snapshot.
func (r *historyReader) checkSeal(next *tree.Tree) error {
	var changed, gone, came, again []string
	if r.removed == nil {
		r.removed = make(map[string]bool)
	}
	differences, err := tree.Differences(r.last.WithCycle(next.Cycle()), next)
	if err != nil {
		return err
	}
	for _, d := range differences {
		if d.New != nil {
			noteStamps(&r.stamps, d.New)
		}
		switch {
		case d.New == nil:
			r.removed[d.Old.ID] = true
			if d.Old.Expiry == tree.Never && !d.Old.Removable {
				if core, err := leftCore(r.last, d.Old.ID, next, d.OldParent); err != nil {
					return err
				} else if core {
					gone = append(gone, d.Old.ID)
				}
			}
		case r.removed[d.New.ID]:
			again = append(again, d.New.ID)
			delete(r.removed, d.New.ID)
		case d.Old == nil:
			if core, err := leftCore(next, d.New.ID, r.last, d.NewParent); err != nil {
				return err
			} else if core {
				came = append(came, d.New.ID)
			}
		case rewritten(d, next.Cycle()):
			if path, err := r.last.Path(d.Old.ID); err != nil {
				return err
			} else if tree.TurnOn(path) != nil {
				changed = append(changed, d.New.ID)
			}
		}
	}
	for _, o := range [...]struct {
		ids  []string
		what string
	}{{changed, "changes what was sealed"}, {gone, "takes out of a sealed core what does not expire"},
		{came, "puts something into a sealed core"}, {again, "brings back what was gone: an id belongs to one node"}} {
		if len(o.ids) == 0 {
			continue
		}
		message := "cycle " + strconv.FormatInt(next.Cycle(), 10) + " " + o.what
		if len(o.ids) > 1 {
			message += ", " + strconv.Itoa(len(o.ids)) + " nodes in all"
		}
		if err := r.refuseOrReport(o.ids[0], message); err != nil {
			return err
		}
	}
	return nil
}

// rewritten reports whether two versions of a node differ in more than stamps
// and ttl, in edition 1.0 also its place.
func rewritten(d tree.Difference, cycle int64) bool {
	stamps := []string{"created_at_iso", "created_at_ns", "creation_index", "cycle", "ttl"}
	if d.New.Bare { // a move inside a region keeps the id (1.0 02 §4.5.1)
		stamps = append(stamps, "offset", "parent_id")
	}
	return slices.ContainsFunc(differ.Fields(d, cycle, cycle), func(field string) bool {
		return !slices.Contains(stamps, field)
	})
}

// leftCore reports whether a node is the core of a sealed turn of a tree or below it, and another tree
// has its parent still.
func leftCore(t *tree.Tree, id string, other *tree.Tree, parent string) (bool, error) {
	if has, err := other.Has(parent); !has || err != nil {
		return false, err
	}
	path, err := t.Path(id)
	return tree.TurnOn(path) != nil && tree.InCore(path), err
}

// checkThread refuses or reports a snapshot whose thread differs from the one that its log
// entry recorded.
func (r *historyReader) checkThread(t *tree.Tree, e history.Entry) error {
	if e.Thread == "" || e.Thread == t.ThreadDigest().String() {
		return nil
	}
	cycle := strconv.FormatInt(t.Cycle(), 10)
	return r.refuseOrReport("", "the thread of cycle "+cycle+" is not the one that was recorded: the history was changed")
}

// checkReachable checks that a node in a line of the compact form has a path to the root, and
// not too long a path. parents maps the nodes of the line to their parents.
func (r *historyReader) checkReachable(id, root string, parents map[string]string) error {
	at := id
	for range tree.MaxDepth {
		parent, listed := parents[at]
		if !listed && r.last != nil {
			has, err := r.last.Has(at)
			if err != nil {
				return err
			}
			if has {
				above, err := r.last.Parent(at)
				if err != nil {
					return err
				}
				parent, listed = above, true
			}
		}
		switch {
		case !listed || (parent == "") != (at == root):
			return fault.OnNode(fault.DocumentInvalid, id, "the parent of the node is missing",
				"write the parent before it, or leave the node out")
		case parent == "":
			return nil
		case parent == id:
			return fault.OnNode(fault.PlacementInvalid, id, "the node is below itself", "name a parent that is not below it")
		}
		at = parent
	}
	return fault.OnNode(fault.Limit, id, "nodes are nested more than "+strconv.Itoa(tree.MaxDepth)+" levels deep",
		"put it into a container nearer to the root")
}

// buildNext makes the tree that a line of the compact form leads to, and checks the places that it
// changed.
func (r *historyReader) buildNext(cycle int64, gone []string, born []tree.Born) (*tree.Tree, error) {
	next, err := r.last.Patch(cycle, gone, born)
	if err != nil {
		return nil, err
	}
	if next.Len() > tree.MaxNodes {
		return nil, fault.New(fault.Limit, "a tree has more than "+strconv.Itoa(tree.MaxNodes)+" nodes",
			"leave out nodes, or split the history")
	}
	if err := checkPlaces(next, born); err != nil {
		return nil, err
	}
	return next, checkRegions(r.last, next, born)
}

// checkRegions refuses an id that starts or stops being a region: no node becomes the active
// head. It also refuses a block that kept the children it had as a container.
func checkRegions(last, next *tree.Tree, born []tree.Born) error {
	for _, b := range born {
		was, err := last.Entry(b.Node.ID)
		if err != nil {
			return err
		}
		is, err := next.Entry(b.Node.ID)
		if err != nil {
			return err
		}
		if is != nil && is.Class() == tree.Block && is.Children().Len() > 0 {
			return fault.OnNode(fault.PlacementInvalid, b.Node.ID, tree.BlockHasNoChildren,
				"name the container around it as their parent")
		}
		if was != nil && is != nil && was.Class() != is.Class() && (was.Class().Region() || is.Class().Region()) {
			return fault.OnNode(fault.DocumentInvalid, b.Node.ID,
				"a node that was "+was.Class().String()+" cannot become "+is.Class().String(),
				"give the new node another id")
		}
	}
	return nil
}

// checkPlaces checks the places of nodes that a line added or moved (02 §2.2, §4.2, §10).
func checkPlaces(t *tree.Tree, born []tree.Born) error {
	if !t.HasRegions() {
		return fault.New(fault.PlacementInvalid, tree.HasThreeRegions, "write all three below the root")
	}
	for _, b := range born {
		path, err := t.Path(b.Node.ID)
		if err != nil {
			return err
		}
		if len(path) == 0 {
			continue // removed again
		}
		var parent *tree.Entry // the root has none
		if len(path) > 1 {
			parent = path[len(path)-2]
		}
		if message := tree.PlacementFault(path[len(path)-1], parent); message != "" {
			return fault.OnNode(fault.PlacementInvalid, b.Node.ID, message, "name another parent or offset for it")
		}
	}
	return nil
}
