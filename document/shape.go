package document

import (
	"github.com/contexttree/pact/internal/fault"
	"github.com/contexttree/pact/tree"
)

// completeRegions adds the regions that a document leaves out, empty, numbered
// after everything it lists.
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
		r.ids[n.ID] = true
		r.nodes = append(r.nodes, n)
	}
}

// shape checks a whole tree.
func (r *reader) shape(t *tree.Tree) error {
	var walk func(e, parent *tree.Entry) error
	walk = func(e, parent *tree.Entry) error {
		if parent != nil {
			if message := Misplaced(e, parent); message != "" {
				if err := r.refuse(fault.PlacementInvalid, e.Node().ID, message, ""); err != nil {
					return err
				}
			}
		}
		for k := range e.Children().All() {
			if err := walk(k, e); err != nil {
				return err
			}
		}
		return nil
	}
	if root := t.Root().Node(); root.Removable {
		if err := r.refuse(fault.PlacementInvalid, root.ID, notRemovable, ""); err != nil {
			return err
		}
	}
	return walk(t.Root(), nil)
}

const notRemovable = "only a group can be removable"

// Misplaced says what is wrong with the place of a child, "" where nothing is:
// what no context can have (02 §2.2, §4.2, §5.3.1, §10).
func Misplaced(e, parent *tree.Entry) string {
	above, class := parent.Class(), e.Class()
	inTurn := above == tree.Turn || above == tree.Head
	if e.Node().Removable && (class.Region() || class == tree.Turn || inTurn && parent.Core() == e) {
		return notRemovable
	}
	switch {
	case above == tree.Root && !class.Region() || class == tree.Root:
		return "the root holds ^sys, ^seq and ^ah and nothing else"
	case class.Region() && above != tree.Root:
		return "regions are children of the root"
	case class.Region():
		if first := firstRegion(parent, class); first != e {
			return "there is one " + class.String() + " and no second"
		}
	case above == tree.Seq && class != tree.Turn:
		return "^seq holds turns only"
	case class == tree.Turn && above != tree.Seq:
		return "turns live under ^seq only"
	case above == tree.Block:
		return "a block has no children"
	case inTurn && e.Node().Offset == 0 && class == tree.Container && parent.Core() != e:
		return "a turn has one core; a group needs another offset than 0"
	case inTurn && e.Node().Offset == 0 && class != tree.Container && parent.Core() != nil:
		return "a block at offset 0 belongs into the core that is there"
	}
	return ""
}

func firstRegion(root *tree.Entry, class tree.Class) *tree.Entry {
	for e := range root.Children().All() {
		if e.Class() == class {
			return e
		}
	}
	return nil
}

// Complete reports whether a tree has its three regions.
func Complete(t *tree.Tree) bool {
	return t.Region(tree.Sys) != nil && t.Region(tree.Seq) != nil && t.Region(tree.Head) != nil
}
