package sqlstore

import (
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// changePlan plans the rows of one change from the differences between the trees before and
// after it.
type changePlan struct {
	*plan
	step
	change     store.Change
	after      *tree.Tree      // the snapshot, or the working state
	cycle      int64           // of the next snapshot; the drafts of the change belong to it
	differing  map[string]bool // ids of the nodes that changed
	removedIDs []string
	turnSealed bool   // the plan has the turn that the head becomes
	newCoreID  string // id of the core of that turn, if the core is new
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

// added plans the first version of a node. Draft or published, it is born in the
// next cycle. The turn that the head becomes and a new core in it take the nids
// that number reserved for them.
func (w *changePlan) added(d tree.Difference) error {
	if d.NewParent == "" {
		return fault.OnNode(fault.PlacementInvalid, d.New.ID, "the change gives the context another root", "")
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

// seals reports whether the change replaces the active head. A commit of an
// imported history may keep it.
func (w *changePlan) seals() bool {
	old := w.change.Before.Region(tree.Head)
	return w.change.Sealed != nil && old != nil && !w.after.Has(old.Node().ID)
}

// removed plans the end of a node. It deletes the row of a draft, and adds a death for a node
// that a snapshot has.
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
		w.deaths = append(w.deaths, death{ref: ref{r.nid, w.cycle}, reason: w.reason(d.Old)})
	}
	return nil
}

// reason returns why a node is removed: the reason in the report of the commit, or else sealed
// or edited.
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

// changed plans a new version of a node whose headers, content or stored parent
// changed. Sealing alone changes no row: drafts are stored below the turn to come.
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

// replace plans a new version of a node. It deletes the previous version if that is a draft; a
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

// reparentCore rewrites the blocks at offset 0 of the head after the head got or lost an
// explicit core: their stored parent changes from the nid reserved for the core to that of the
// turn, or back.
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
