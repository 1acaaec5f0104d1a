package document

import (
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

// completeRegions adds the regions that a document leaves out. They are empty,
// and their creation indexes follow those of all nodes in the document.
func (r *reader) completeRegions() {
	have := map[tree.Class]bool{}
	for _, n := range r.nodes {
		if n.parent == 0 {
			have[n.class] = true
		}
	}
	for _, c := range [...]tree.Class{tree.Sys, tree.Seq, tree.Head} {
		if have[c] {
			continue
		}
		n := read{parent: 0, class: c}
		n.ID, n.Type = r.free(c.String()[1:]), c.String()
		n.Index, n.Cycle, n.Expiry = int64(len(r.nodes)), r.cycle, tree.Never
		n.Bare = r.traits.Bare
		r.ids[n.ID] = true
		r.nodes = append(r.nodes, n)
	}
}

// shape checks a whole tree.
func (r *reader) shape(t *tree.Tree) error {
	var walk func(e, parent *tree.Entry) error
	walk = func(e, parent *tree.Entry) error {
		if message := tree.PlacementFault(e, parent); message != "" {
			code := fault.PlacementInvalid
			if message == tree.SecondCore && r.traits.Bare { // 1.0 04 §11
				code = fault.DuplicateContainer
			}
			if err := r.refuse(code, e.Node().ID, message, "move it, or read it leniently to take it as it is"); err != nil {
				return err
			}
		}
		if parent != nil && e.Class() == tree.Container && tree.IsCore(e, parent.Class()) && e.Node().Expiry != tree.Never {
			r.find(fault.PlacementInvalid, e.Node().ID, "the core has a ttl, and a core never expires")
		}
		needsCore := e.Class() == tree.Turn && parent.Class() == tree.Seq
		for k, err := range e.Children().All() {
			if err != nil {
				return err
			}
			needsCore = needsCore && k.Node().Offset != 0
			if err := walk(k, e); err != nil {
				return err
			}
		}
		if needsCore {
			r.find(fault.PlacementInvalid, e.Node().ID, "the turn has no core: neither a container nor a block at offset 0")
		}
		return nil
	}
	if err := walk(t.Root(), nil); err != nil || !r.traits.Bare {
		return err
	}
	return r.overlaps(t)
}

// overlaps finds nodes of one key at one depth, and nodes of ^sys that outlast their cadence: an edit could not put them
// there (1.0 02 §3.6).
func (r *reader) overlaps(t *tree.Tree) error {
	at := map[string]*tree.Entry{} // by key, the place of the last node
	for place, err := range t.All() {
		if err != nil {
			return err
		}
		n := place.Node()
		if n.Key == "" {
			continue
		}
		path, err := t.Path(n.ID)
		if err != nil {
			return err
		}
		if len(path) < 3 { // a region
			continue
		}
		region := path[1]
		if region.Class() == tree.Seq {
			region = path[2]
		} else if region.Class() == tree.Sys && n.Outlasts(n.Cycle) {
			r.find(fault.OverlapViolatesODI, n.ID, "the node is still in ^sys when its cadence is due, and comes again only when it is gone")
		}
		if at[n.Key] == region {
			r.find(fault.OverlapViolatesODI, n.ID, "another node of its key stands at the same depth")
		}
		at[n.Key] = region
	}
	return nil
}

// parentID returns what reads the parent_id of a node below the node with an index. The place of the
// node says the same, so the header is not kept (1.0 02 §3.1.1).
func (r *reader) parentID(parent int) func(*read, canon.Member) error {
	id := ""
	if parent >= 0 {
		id = r.nodes[parent].ID
	}
	return func(n *read, m canon.Member) error {
		if m.Value.Kind == canon.KindNull && id == "" || m.Value.Kind == canon.KindString && m.Value.Text == id || parent < -1 {
			return nil
		}
		return r.refuse(fault.InvalidParent, n.ID, "the parent_id is not the id of the node that it stands in",
			"leave parent_id out: the place says which it is")
	}
}
