package query_test

import (
	"regexp"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// model is a tree written out flat, for an evaluator that knows nothing of
// summaries, ranks or indexes. Elided cores and the parts :pre, :core and
// :post of a turn are things of their own in it.
type model struct {
	edition selector.Edition
	traits  selector.Traits
	cycle   int64
	root    *modelNode
	real    []*modelNode // the nodes of the tree, in canonical document order
	cores   []*modelNode // the elided ones
	parts   []*modelNode // three for every turn and for the active head

	patterns map[string]*regexp.Regexp // compiled so far
}

// modelNode is a node, an elided core or a part of a turn.
type modelNode struct {
	node     *tree.Node // nil for a part
	class    tree.Class
	elided   bool
	part     bool
	zone     selector.Zone // of a part
	parent   *modelNode    // of a part and an elided core: the turn
	children []*modelNode  // in canonical order, an elided core not among them
	core     *modelNode    // the elided core in a turn, and in its :core
	placed   bool          // it has a depth: everything but the root, ^seq and what is astray
	depth    int64         // 0 in ^ah, -1 in ^sys, n in the n-th newest turn
	level    int64         // levels below the root
}

func flatten(t *tree.Tree, e selector.Edition) *model {
	w := &model{edition: e, traits: e.Traits(), cycle: t.Cycle(), patterns: map[string]*regexp.Regexp{}}
	byID := map[string]*modelNode{}
	for p := range sure.All(t.All()) {
		entry, parent := p.Entry, p.Parent
		x := &modelNode{node: entry.Node(), class: entry.Class(), parent: byID[parent]}
		byID[x.node.ID] = x
		if x.parent != nil {
			x.parent.children = append(x.parent.children, x)
			x.level = x.parent.level + 1
		}
		w.real = append(w.real, x)
	}
	w.root = w.real[0]
	for _, region := range w.root.children {
		switch region.class {
		case tree.Sys:
			region.place(-1)
		case tree.Head:
			region.place(0)
		case tree.Seq:
			depth := int64(0)
			for _, x := range slices.Backward(region.children) {
				if x.class == tree.Turn { // anything else is astray and has no depth
					depth++
					x.place(depth)
				}
			}
		}
	}
	for _, x := range w.real {
		if isTurn(x) {
			w.inside(x)
		}
	}
	return w
}

// place gives a thing and everything below it its depth.
func (x *modelNode) place(depth int64) {
	x.placed, x.depth = true, depth
	for _, k := range x.children {
		k.place(depth)
	}
}

func zoneOf(offset int64) selector.Zone {
	switch {
	case offset < 0:
		return selector.Pre
	case offset > 0:
		return selector.Post
	}
	return selector.Core
}

// inside adds the parts of a turn, and its core where that is elided: there are
// blocks at offset 0 and no container is (decision 003).
func (w *model) inside(turn *modelNode) {
	var zones [3]*modelNode
	for z := range zones {
		zones[z] = &modelNode{part: true, zone: selector.Zone(z), parent: turn, placed: true, depth: turn.depth,
			level: turn.level}
		w.parts = append(w.parts, zones[z])
	}
	explicit := false
	for _, k := range turn.children {
		z := zones[zoneOf(k.node.Offset)]
		z.children = append(z.children, k)
		explicit = explicit || k.node.Offset == 0 && k.class == tree.Container
	}
	own := zones[selector.Core]
	if explicit || len(own.children) == 0 {
		return
	}
	n := &tree.Node{Type: w.traits.ContainerType, Cycle: turn.node.Cycle, CreatedNS: turn.node.CreatedNS,
		Index: turn.node.Index, Expiry: tree.Never}
	core := &modelNode{node: n, class: tree.Container, elided: true, parent: turn, children: own.children, placed: true,
		depth: turn.depth, level: turn.level + 1}
	turn.core, own.core = core, core
	w.cores = append(w.cores, core)
}

// kids returns the children of x, the elided core at its place among them
// where it takes part.
func kids(x *modelNode, withCore bool) []*modelNode {
	if !withCore || x.core == nil {
		return x.children
	}
	at := slices.IndexFunc(x.children, func(k *modelNode) bool { return k.node.Offset >= 0 })
	return slices.Insert(slices.Clone(x.children), at, x.core)
}

// families returns the children of x and of everything below it, each list of
// siblings for itself.
func families(x *modelNode, withCore bool) [][]*modelNode {
	list := [][]*modelNode{kids(x, withCore)}
	for _, k := range x.children {
		list = append(list, families(k, withCore)...)
	}
	return list
}

// below returns everything below x.
func below(x *modelNode) []*modelNode {
	return slices.Concat(families(x, false)...)
}

// key is the family: the header, else the id. What is not in the tree has none.
func (x *modelNode) key() (string, bool) {
	if x.elided {
		return "", false
	}
	if k, ok := x.node.Header("key").Text(); ok {
		return k, true
	}
	return x.node.ID, true
}

// kinds is the kind facet: the header and, in the editions that read types so,
// what stands behind the first colon of the type.
func (w *model) kinds(x *modelNode) (list []string) {
	if k, ok := x.node.Header("kind").Text(); ok {
		list = append(list, k)
	}
	if _, k, ok := strings.Cut(x.node.Type, ":"); ok && w.traits.KindInType {
		list = append(list, k)
	}
	return list
}

// kind is the first of them.
func (w *model) kind(x *modelNode) (string, bool) {
	list := append(w.kinds(x), "")
	return list[0], len(list) > 1
}

// path returns the ids from the root down to x.
func (x *modelNode) path() []string {
	if x.parent == nil {
		return []string{x.node.ID}
	}
	return append(x.parent.path(), x.node.ID)
}

// pattern compiles a regular expression, once where there are not too many.
func (w *model) pattern(text string) *regexp.Regexp {
	if len(w.patterns) > 1000 {
		clear(w.patterns)
	}
	if w.patterns[text] == nil {
		w.patterns[text] = regexp.MustCompile(text)
	}
	return w.patterns[text]
}

// cutType splits a type at its first colon.
func cutType(name string) (base, kind string, ok bool) { return strings.Cut(name, ":") }
