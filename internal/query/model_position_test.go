package query_test

import (
	"slices"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// position follows the hops from the root down and returns what the last one
// finds, siblings together. core says that the filters behind the position
// name the class of cores; they belong to the last hop.
func (w *model) position(p selector.Position, core bool) [][]*modelNode {
	now := [][]*modelNode{{w.root}}
	for i, h := range p.Hops {
		named := slices.ContainsFunc(h.Attrs, attrNamesCore) || i == len(p.Hops)-1 && core
		var next [][]*modelNode
		switch {
		case i == 0 && (h.Kind == selector.HopDepth || h.Kind == selector.HopTurn):
			next = families(w.root, false) // wherever they are
		case h.Kind == selector.HopDepth, h.Kind == selector.HopTurn:
			next = now // the node itself
		default:
			for _, x := range slices.Concat(now...) {
				next = append(next, w.leap(h, x, named)...)
			}
		}
		for k, siblings := range next {
			next[k] = slices.DeleteFunc(slices.Clone(siblings), func(x *modelNode) bool {
				return !w.answers(h, i == 0 &&
					!meetsDepth(p.Hops), x)
			})
		}
		now = next
	}
	return now
}

// leap returns where a hop leads from x.
func (w *model) leap(h selector.Hop, x *modelNode, core bool) [][]*modelNode {
	if h.Kind == selector.HopDeep {
		return families(x, core)
	}
	return [][]*modelNode{kids(x, core || h.Kind == selector.HopContainer || h.Kind == selector.HopOffset &&
		h.Offset == 0)}
}

// meetsDepth reports whether a depth follows the turns that a position begins
// with. Then the turns there need not be sealed ones.
func meetsDepth(hops []selector.Hop) bool {
	i := slices.IndexFunc(hops, func(h selector.Hop) bool { return h.Kind != selector.HopTurn })
	return i >= 0 && hops[i].Kind == selector.HopDepth
}

// answers reports whether a hop that leads to x stops there.
func (w *model) answers(h selector.Hop, first bool, x *modelNode) bool {
	ok := true
	switch h.Kind {
	case selector.HopDepth:
		ok = isPlace(x) && inDepths(h.Depth, x.depth)
	case selector.HopTurn:
		ok = isSealed(x) || !first && (x.class == tree.Turn || x.class == tree.Head || x.class == tree.Sys)
	case selector.HopContainer:
		ok = x.class == tree.Container
	case selector.HopOffset:
		ok = x.node.Offset == h.Offset
	case selector.HopBlock:
		ok = x.class == tree.Block && (h.Any || x.node.Offset == h.Offset)
	}
	return ok && w.all(h.Attrs, x)
}
