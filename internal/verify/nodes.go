package verify

import (
	"slices"
	"strconv"
	"weak"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/tree"
)

// part is what one snapshot shares with the next and is checked once: a version
// of a node, or a list of children with what they are children of.
type part struct {
	node weak.Pointer[tree.Node]
	list weak.Pointer[tree.List]
	of   tree.Class
}

// checkedParts remembers the parts that were checked, for as long as a tree has
// them.
type checkedParts struct {
	parts   map[part]struct{}
	sweepAt int // how many parts there are when those that no tree has any more are dropped
}

func newCheckedParts() *checkedParts {
	return &checkedParts{parts: map[part]struct{}{}, sweepAt: 1 << 12}
}

// add remembers a part and reports whether it is new.
func (c *checkedParts) add(p part) bool {
	if _, there := c.parts[p]; there {
		return false
	}
	if c.parts[p] = struct{}{}; len(c.parts) >= c.sweepAt {
		for p := range c.parts {
			if p.node.Value() == nil && p.list.Value() == nil {
				delete(c.parts, p)
			}
		}
		c.sweepAt = max(c.sweepAt, 2*len(c.parts))
	}
	return true
}

// nodes checks the nodes of a tree that were not checked before: their places
// (02 §2.2, §4.2), their canonical order (02 §4.3), the index, and each version
// by itself.
func (v *verifier) nodes(t *tree.Tree) *inspect.Defect {
	if !t.HasRegions() {
		return &inspect.Defect{Cycle: t.Cycle(), What: tree.HasThreeRegions}
	}
	return v.entry(t, t.Root(), nil, 1)
}

// entry checks a node in its place, and all that is below it and was not checked
// before. level counts from 1, the root.
func (v *verifier) entry(t *tree.Tree, e, parent *tree.Entry, level int) *inspect.Defect {
	n := e.Node()
	switch {
	case level > tree.MaxDepth:
		return defectOn(t, n, "the node is nested too deep")
	case tree.PlacementFault(e, parent) != "":
		return defectOn(t, n, tree.PlacementFault(e, parent))
	case t.Node(n.ID) != n || parent != nil && t.Parent(n.ID) != parent.Node().ID:
		return defectOn(t, n, "the id is that of another node, too")
	}
	if d := v.version(t, n); d != nil || v.err != nil {
		return d
	}
	return v.children(t, e, level)
}

// children checks the list of children of an entry.
func (v *verifier) children(t *tree.Tree, e *tree.Entry, level int) *inspect.Defect {
	if e.Children().Len() == 0 {
		return nil
	}
	return v.list(t, e.Children(), e, level)
}

// list checks the order of the items of a list, and the items.
func (v *verifier) list(t *tree.Tree, l *tree.List, parent *tree.Entry, level int) *inspect.Defect {
	if !v.checked.add(part{list: weak.Make(l), of: parent.Class()}) {
		return nil
	}
	items, runs := l.Parts()
	var last *tree.Entry
	follows := func(e *tree.Entry) *inspect.Defect {
		if last != nil && !inOrder(last, e) {
			return defectOn(t, e.Node(), "the node does not come after its sibling "+last.Node().ID+" in canonical order")
		}
		return nil
	}
	for i := range len(items) + 1 {
		if len(runs) > 0 && runs[i].Len() > 0 {
			if d := follows(runs[i].At(0)); d != nil {
				return d
			}
			if d := v.list(t, runs[i], parent, level); d != nil || v.err != nil {
				return d
			}
			last = runs[i].At(runs[i].Len() - 1)
		}
		if i == len(items) {
			return nil
		}
		if d := follows(items[i]); d != nil {
			return d
		}
		if d := v.entry(t, items[i], parent, level+1); d != nil || v.err != nil {
			return d
		}
		last = items[i]
	}
	return nil
}

// inOrder reports whether one sibling stands before another: regions in their
// fixed order, anything else in the canonical one.
func inOrder(a, b *tree.Entry) bool {
	if a.Class().Region() && b.Class().Region() {
		return a.Class() < b.Class()
	}
	return tree.Less(a.Node(), b.Node())
}

// version reads the content of a version of a node and makes the node again
// out of its headers and that: both have to agree.
func (v *verifier) version(t *tree.Tree, n *tree.Node) *inspect.Defect {
	if !v.checked.add(part{node: weak.Make(n)}) {
		return nil
	}
	v.fresh = append(v.fresh, n.ID)
	v.found.Versions++
	if n.Erased() {
		v.erased[n.ID] = true
	}
	content, err := n.Content.Value(v.ctx)
	if err == nil {
		err = v.ctx.Err()
	}
	if err != nil {
		var d *inspect.Defect
		if d, v.err = defectOf(nil, err); d != nil {
			d.Cycle = t.Cycle()
		}
		return d
	}
	if n.ID == "" || len(n.ID) > tree.MaxID || !canon.ValidText(n.ID) {
		return defectOn(t, n, "the id is not one that a node can have")
	}
	if len(content) != n.Content.Size() {
		return &inspect.Defect{
			Cycle: t.Cycle(), Node: n.ID, What: "size of the content",
			Recorded: strconv.Itoa(n.Content.Size()), Found: strconv.Itoa(len(content)),
		}
	}
	if content != "" && !canon.Value(content).Canonical() {
		return defectOn(t, n, "the content is not in canonical form")
	}
	again := *n
	again.Headers, again.Content = slices.Clone(n.Headers), tree.Hold(content)
	made := tree.NewNode(again, nil)
	if made.ContentHash() != n.ContentHash() {
		return &inspect.Defect{
			Cycle: t.Cycle(), Node: n.ID, What: "content hash", Recorded: n.ContentHash(), Found: made.ContentHash(),
		}
	}
	if !made.Same(n) {
		return defectOn(t, n, "the headers do not agree with what is read out of them")
	}
	return nil
}

func defectOn(t *tree.Tree, n *tree.Node, what string) *inspect.Defect {
	return &inspect.Defect{Cycle: t.Cycle(), Node: n.ID, What: what}
}
