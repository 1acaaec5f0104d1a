package sqlstore

import (
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// changePlan plans one change, difference by difference.
type changePlan struct {
	*plan
	step
	change     store.Change
	after      *tree.Tree      // the snapshot, or the working state
	cycle      int64           // of the snapshot to come, whose drafts are being written
	differing  map[string]bool // ids that differ
	removedIDs []string
	turnSealed bool   // the turn that the head becomes was met
	newCoreID  string // id of its core, where that is new
	reasonByID map[string]string
}

func (w *changePlan) addDifference(d tree.Difference) error {
	switch {
	case d.Old == nil:
		return w.added(d)
	case d.New == nil:
		return w.removed(d)
	}
	return w.changed(d)
}

// added plans a node that was not there: draft or published, it is born in the
// cycle to come. The turn that the head becomes takes the number that was kept
// for it, and so does a core that comes with it.
func (w *changePlan) added(d tree.Difference) error {
	if d.NewParent == "" {
		return fault.OnNode(fault.PlacementInvalid, d.New.ID, "a context keeps its root", "")
	}
	parent, err := w.parent(w.after, d.New, d.NewParent)
	if err != nil {
		return err
	}
	class, named := tree.ClassOfType(d.New.Type)
	var r ref
	switch {
	case !w.turnSealed && w.seals() && d.NewParent == w.after.Region(tree.Seq).Node().ID:
		w.turnSealed = true
		head, err := w.ref(w.change.Before.Region(tree.Head).Node().ID)
		if err != nil {
			return err
		}
		r = ref{nid: head.nid + 1, birth: w.cycle}
		if core := w.after.Entry(d.New.ID).Core(); core != nil && !w.change.Before.Has(core.Node().ID) {
			w.newCoreID = core.Node().ID
		}
	case d.New.ID == w.newCoreID:
		r = ref{nid: parent + 1, birth: w.cycle}
	case named && class == tree.Head:
		r = w.number(w.cycle, tree.Head)
	default:
		r = w.number(w.cycle, tree.Block)
	}
	return w.addVersion(&w.step, d.New, r, parent, false)
}

// seals reports whether the change puts a new head in the place of the old one.
// A history from elsewhere may keep the same one.
func (w *changePlan) seals() bool {
	old := w.change.Before.Region(tree.Head)
	return w.change.Sealed != nil && old != nil && !w.after.Has(old.Node().ID)
}

// removed plans the end of a node: a draft leaves no trace, unless it is the
// draft of another version of an earlier node.
func (w *changePlan) removed(d tree.Difference) error {
	r, err := w.ref(d.Old.ID)
	if err != nil {
		return err
	}
	w.removedIDs = append(w.removedIDs, d.Old.ID)
	if r.birth == w.cycle {
		w.drops = append(w.drops, r)
	}
	if r.birth < w.cycle || d.Old.Cycle < w.cycle {
		w.deaths = append(w.deaths, death{ref{r.nid, w.cycle}, w.reason(d.Old)})
	}
	return nil
}

// reason says why a node goes.
func (w *changePlan) reason(n *tree.Node) string {
	if w.reasonByID == nil {
		w.reasonByID = reasons(w.change.Entry.Report)
	}
	if why := w.reasonByID[n.ID]; why != "" {
		return why
	}
	if class, named := tree.ClassOfType(n.Type); named && class == tree.Head {
		return sealed
	}
	return edited
}

// changed plans another version of a node, or another place. A node that is
// sealed with the head around it is stored in its place already.
func (w *changePlan) changed(d tree.Difference) error {
	w.differing[d.New.ID] = true
	before, err := w.parent(w.change.Before, d.Old, d.OldParent)
	if err != nil {
		return err
	}
	after, err := w.parent(w.after, d.New, d.NewParent)
	if err != nil || d.Old.Same(d.New) && before == after {
		return err
	}
	return w.replace(d.New, after)
}

// replace plans a version in the place of another: a draft is written over, a
// published one stays for the snapshots that have it.
func (w *changePlan) replace(n *tree.Node, parent int64) error {
	r, err := w.ref(n.ID)
	if err != nil {
		return err
	}
	if r.birth == w.cycle {
		w.drops = append(w.drops, r)
	}
	return w.addVersion(&w.step, n, ref{nid: r.nid, birth: w.cycle}, parent, false)
}

// reparentCore moves what lies at offset 0 of the head between the head's core to
// come and its turn to come, where the head got or lost an explicit core.
func (w *changePlan) reparentCore() error {
	old, now := w.change.Before.Region(tree.Head), w.after.Region(tree.Head)
	if old == nil || now == nil || old.Node().ID != now.Node().ID || (old.Core() == nil) == (now.Core() == nil) {
		return nil
	}
	id := now.Node().ID
	for k := range now.Children().All() {
		n := k.Node()
		if n.Offset != 0 || w.differing[n.ID] || w.change.Before.Parent(n.ID) != id {
			continue
		}
		before, err := w.parent(w.change.Before, n, id)
		if err != nil {
			return err
		}
		after, err := w.parent(w.after, n, id)
		if err != nil {
			return err
		}
		if before != after {
			if err := w.replace(n, after); err != nil {
				return err
			}
		}
	}
	return nil
}
