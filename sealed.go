package pact

import (
	"slices"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/differ"
	"github.com/contexttree/pact/tree"
)

// objection is something that a context cannot have done, in a history from
// elsewhere. Strictly it is refused, else it is taken as it is and reported.
func (h *historyReader) objection(node, message string) error {
	if h.strict {
		return fault.OnNode(fault.DocumentInvalid, node, message, "read it leniently to take it as it is")
	}
	h.found(node, message)
	return nil
}

// seal holds a snapshot to what was sealed before (03 §5): an id belongs to one
// node, and of a sealed turn nodes may go and others be attached outside the
// core, but none changes. Stamps are left out, since reading fills in those that are missing, and so is
// the ttl, which a node that was held back lost. Each rule is reported once a
// cycle. Cost: what differs.
func (h *historyReader) seal(next *tree.Tree) error {
	var changed, gone, came, again []string
	if h.gone == nil {
		h.gone = make(map[string]bool)
	}
	tree.Compare(h.last.WithCycle(next.Cycle()), next, func(d tree.Difference) bool {
		switch {
		case d.New == nil:
			h.gone[d.Old.ID] = true
			if d.Old.Expiry == tree.Never && !d.Old.Removable && next.Has(d.OldParent) && ofCore(h.last, d.Old.ID) {
				gone = append(gone, d.Old.ID)
			}
		case h.gone[d.New.ID]:
			again = append(again, d.New.ID)
			delete(h.gone, d.New.ID)
		case d.Old == nil:
			if h.last.Has(d.NewParent) && ofCore(next, d.New.ID) {
				came = append(came, d.New.ID)
			}
		case turnOf(h.last, d.Old.ID) != nil && rewritten(d, next.Cycle()):
			changed = append(changed, d.New.ID)
		}
		return true
	})
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
		if err := h.objection(o.ids[0], message); err != nil {
			return err
		}
	}
	return nil
}

// rewritten reports whether two versions of a node differ in more than stamps
// and ttl.
func rewritten(d tree.Difference, cycle int64) bool {
	stamps := []string{"created_at_iso", "created_at_ns", "creation_index", "cycle", "ttl"}
	return slices.ContainsFunc(differ.Fields(d, cycle, cycle), func(field string) bool { return !slices.Contains(stamps, field) })
}

// turnOf returns the path from the turn that a node is or lives in down to it,
// nil where it is in none.
func turnOf(t *tree.Tree, id string) []*tree.Entry {
	path := t.Path(id)
	if i := slices.IndexFunc(path, func(e *tree.Entry) bool { return e.Class() == tree.Turn }); i >= 0 {
		return path[i:]
	}
	return nil
}

// ofCore reports whether a node is, or is below, the core of a turn.
func ofCore(t *tree.Tree, id string) bool {
	path := turnOf(t, id)
	return len(path) > 1 && path[1].Node().Offset == 0
}
