package pact

import (
	"slices"
	"strconv"
	"weak"

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

// seen holds the parts that were checked, for as long as a tree has them.
type seen struct {
	parts map[part]struct{}
	sweep int // how many there are when those that no tree has any more are let go
}

func newSeen() *seen { return &seen{parts: map[part]struct{}{}, sweep: 1 << 12} }

// before reports whether a part was seen before, and sees it.
func (s *seen) before(p part) bool {
	if _, there := s.parts[p]; there {
		return true
	}
	if s.parts[p] = struct{}{}; len(s.parts) >= s.sweep {
		for p := range s.parts {
			if p.node.Value() == nil && p.list.Value() == nil {
				delete(s.parts, p)
			}
		}
		s.sweep = max(s.sweep, 2*len(s.parts))
	}
	return false
}

// shape checks the nodes of a tree that were not checked before: their places
// (02 §2.2, §4.2), their canonical order (02 §4.3), the index, and each version
// by itself.
func (v *verifier) shape(t *tree.Tree) *Broken {
	if !t.HasRegions() {
		return &Broken{Cycle: t.Cycle(), What: "a snapshot has ^sys, ^seq and ^ah"}
	}
	return v.entry(t, t.Root(), nil, 1)
}

func (v *verifier) entry(t *tree.Tree, e, parent *tree.Entry, level int) *Broken {
	n := e.Node()
	switch {
	case level > tree.MaxDepth:
		return broken(t, n, "the node is nested too deep")
	case parent != nil && tree.PlacementFault(e, parent) != "":
		return broken(t, n, tree.PlacementFault(e, parent))
	case t.Node(n.ID) != n || parent != nil && t.Parent(n.ID) != parent.Node().ID:
		return broken(t, n, "the id is that of another node, too")
	}
	if b := v.version(t, n); b != nil || v.err != nil {
		return b
	}
	return v.children(t, e, level)
}

// children checks the list of children of an entry.
func (v *verifier) children(t *tree.Tree, e *tree.Entry, level int) *Broken {
	if e.Children().Len() == 0 {
		return nil
	}
	return v.list(t, e.Children(), e, level)
}

func (v *verifier) list(t *tree.Tree, l *tree.List, parent *tree.Entry, level int) *Broken {
	if v.seen.before(part{list: weak.Make(l), of: parent.Class()}) {
		return nil
	}
	items, runs := l.Parts()
	var last *tree.Entry
	follows := func(e *tree.Entry) *Broken {
		if last != nil && !inOrder(last, e) {
			return broken(t, e.Node(), "the node does not come after its sibling "+last.Node().ID+" in canonical order")
		}
		return nil
	}
	for i := range len(items) + 1 {
		if len(runs) > 0 && runs[i].Len() > 0 {
			if b := follows(runs[i].At(0)); b != nil {
				return b
			}
			if b := v.list(t, runs[i], parent, level); b != nil || v.err != nil {
				return b
			}
			last = runs[i].At(runs[i].Len() - 1)
		}
		if i == len(items) {
			return nil
		}
		if b := follows(items[i]); b != nil {
			return b
		}
		if b := v.entry(t, items[i], parent, level+1); b != nil || v.err != nil {
			return b
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
func (v *verifier) version(t *tree.Tree, n *tree.Node) *Broken {
	if v.seen.before(part{node: weak.Make(n)}) {
		return nil
	}
	v.fresh = append(v.fresh, n.ID)
	v.report.Versions++
	if n.Erased() {
		v.erased[n.ID] = true
	}
	content, err := n.Content.Value(v.ctx)
	if err == nil {
		err = v.ctx.Err()
	}
	if err != nil {
		var b *Broken
		if b, v.err = brokenBy(nil, err); b != nil {
			b.Cycle = t.Cycle()
		}
		return b
	}
	if n.ID == "" || len(n.ID) > tree.MaxID || !canon.ValidText(n.ID) {
		return broken(t, n, "the id is not one that a node can have")
	}
	if len(content) != n.Content.Size() {
		return &Broken{Cycle: t.Cycle(), Node: n.ID, What: "size of the content", Recorded: strconv.Itoa(n.Content.Size()), Found: strconv.Itoa(len(content))}
	}
	if content != "" {
		if !content.Canonical() {
			return broken(t, n, "the content is not in canonical form")
		}
	}
	again := *n
	again.Headers, again.Content = slices.Clone(n.Headers), tree.Hold(content)
	made := tree.NewNode(again, nil)
	if made.ContentHash() != n.ContentHash() {
		return &Broken{Cycle: t.Cycle(), Node: n.ID, What: "content hash", Recorded: n.ContentHash(), Found: made.ContentHash()}
	}
	if !made.Same(n) {
		return broken(t, n, "the headers do not agree with what is read out of them")
	}
	return nil
}

func broken(t *tree.Tree, n *tree.Node, what string) *Broken {
	return &Broken{Cycle: t.Cycle(), Node: n.ID, What: what}
}
