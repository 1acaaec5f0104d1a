package query_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// generator draws selectors that look for something in a tree: it chooses a node
// and says where and what that is, now and then wrongly.
type generator struct {
	*rand.Rand
	w     *model
	timed bool // the selector has an address, so derived facets are allowed
}

func (d *generator) later() bool { return d.w.traits.Extended }

// wrong is true where a condition is to be an unforeseen one.
func (d *generator) wrong() bool { return one(d.Rand, 9) }

// node draws a node, more often one deep down.
func (d *generator) node() *modelNode {
	x := pick(d.Rand, d.w.real...)
	if x.class.Region() {
		x = pick(d.Rand, d.w.real...)
	}
	return x
}

// genSelector draws the text of a selector for the tree of w.
func genSelector(r *rand.Rand, w *model) string {
	d := &generator{Rand: r, w: w, timed: one(r, 2)}
	text := ""
	if d.timed {
		text = "@t0 "
	}
	if d.later() && one(r, 12) {
		return text + d.family()
	}
	text += d.group()
	for one(r, 6) || w.traits.Fragments && one(r, 2) {
		text += pick(r, ", ", ",") + d.group()
	}
	if d.later() && one(r, 4) {
		text += d.controls()
	}
	return text
}

func (d *generator) controls() string {
	list := []string{" @order=" + pick(d.Rand, "pre", "post", "bfs", "path", "turn:asc,pre", "turn:desc,pre"), " @unique",
		" @first"}
	limit := fmt.Sprint(" @limit=", d.IntN(5))
	if one(d.Rand, 2) {
		limit += fmt.Sprint(" @p=", 1+d.IntN(3))
	}
	list = append(list, limit)
	if d.timed {
		list = append(list, " @mode="+pick(d.Rand, "union", "latest", "reduce"))
	}
	d.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	return strings.Join(list[:1+d.IntN(3)], "")
}

// group draws a chain.
func (d *generator) group() string {
	x := d.node()
	form := d.IntN(10)
	switch {
	case d.w.traits.Fragments && form < 3 && x.placed:
		top := x
		for !isPlace(top) && top.parent != d.w.root {
			top = top.parent
		}
		return fmt.Sprintf("d%d..d%d ", max(-1, x.depth-1), x.depth) + strings.TrimLeft(d.steps(top, x), " >")
	case d.w.traits.Fragments && form < 6:
		return d.chain(x)
	case d.w.traits.Fragments && form < 9:
		if one(d.Rand, 3) {
			return "(" + d.coordinate(d.node()) + " ?? " + d.coordinate(x) + ")"
		}
		return "(" + d.coordinate(x) + d.behind(x, false) + ")"
	case !d.later() || form < 4:
		return d.chain(x)
	case form < 8:
		return d.position(x)
	case form == 8:
		return d.search(x)
	}
	return "+" + d.tagOf(x) + d.filters(x, 2)
}

// family draws a selector for the nodes of one key and a choice from them.
func (d *generator) family() string {
	x := d.node()
	for range 5 {
		if x.node.Has("key") {
			break
		}
		x = d.node()
	}
	key, _ := x.key()
	text := pick(d.Rand, d.nameOf(x), "*", "?? {role!=zz}", "^root ", "^root *") + "[key=" + d.quote(key) + "]"
	if d.w.traits.HashIsKey && one(d.Rand, 2) {
		text = pick(d.Rand, "", "", "^root ") + "#" + d.quoteName(key)
	}
	if x.placed && one(d.Rand, 4) {
		text = pick(d.Rand, fmt.Sprintf("(depth(>=-1), ?? {key=%s})", d.quote(key)), fmt.Sprintf("?? {key=%s, role!=zz}",
			d.quote(key)))
	}
	text += d.filters(x, 1)
	return text + pick(d.Rand, ":first", ":last", ":nth(2)", "") + d.filters(x, 1)
}

// chain draws steps that lead to x.
func (d *generator) chain(x *modelNode) string { return d.steps(nil, x) }

// steps draws the steps behind from that lead to x; from is nil at the start
// of a group.
func (d *generator) steps(from, x *modelNode) string {
	path := d.route(from, x)
	var b strings.Builder
	last := from
	for i, y := range path {
		first := from == nil && i == 0
		if !first {
			b.WriteString(d.join(last, y))
		}
		b.WriteString(d.step(y, first, i == len(path)-1))
		last = y
	}
	return b.String()
}

// route draws what a chain passes through on its way to x: some of what x is
// below, elided cores and parts of turns included.
func (d *generator) route(from, x *modelNode) []*modelNode {
	path := []*modelNode{x}
	for y := x.parent; y != nil && y != from; y = y.parent {
		if top := path[0]; (y.class == tree.Turn || y.class == tree.Head) && top.parent == y && top.node != nil {
			if y.core != nil && top.node.Offset == 0 && one(d.Rand, 3) {
				path = append([]*modelNode{y.core}, path...)
			}
			if one(d.Rand, 8) {
				path = append([]*modelNode{d.w.partOf(y, zoneOf(top.node.Offset))}, path...)
			}
		}
		if one(d.Rand, 2) {
			path = append([]*modelNode{y}, path...)
		}
	}
	return path
}

func (w *model) partOf(turn *modelNode, zone selector.Zone) *modelNode {
	for _, p := range w.parts {
		if p.parent == turn && p.zone == zone {
			return p
		}
	}
	return nil
}

// join draws the combinator between two steps.
func (d *generator) join(from, to *modelNode) string {
	child := to.parent == from || from != nil && (from.part || from.elided) && from.parent == to.parent
	if child && one(d.Rand, 2) || d.wrong() {
		return pick(d.Rand, " > ", ">")
	}
	return " "
}

// step draws a compound that x matches, unless something goes wrong.
func (d *generator) step(x *modelNode, first, last bool) string {
	if x.part {
		return [...]string{":pre", ":core", ":post"}[x.zone]
	}
	if last && one(d.Rand, 25) {
		return pick(d.Rand, ":pre", ":core", ":post")
	}
	if d.later() && !first && one(d.Rand, 10) { // the join before it is part of its meaning
		return d.nameOf(x) + pick(d.Rand, " ", "") + "{" + d.attr(x) + "}" + d.filters(x, 1)
	}
	if d.later() && first && isPlace(x) && one(d.Rand, 2) {
		return "depth(" + d.depths(x) + ")" + d.filters(x, 2)
	}
	if name := d.nameOf(x); name != "" {
		return name + d.filters(x, 3)
	}
	return d.block(x) + d.filters(x, 2)
}

// nameOf draws what a step can begin with to name x, or nothing.
func (d *generator) nameOf(x *modelNode) string {
	if d.wrong() {
		x = d.node()
	}
	switch {
	case x.elided:
		return pick(d.Rand, ".mc", ".cont", "[nodeType='mc']", "[type=cont]", "*[nodeType=cont]")
	case x.class.Region() && !one(d.Rand, 3):
		if x.class != tree.Root && x.class != tree.Seq && one(d.Rand, 3) {
			return pick(d.Rand, ".mt", ".seg") + ":depth(" + d.depths(x) + ")"
		}
		return x.class.String()
	}
	switch d.IntN(8) {
	case 0:
		return "*"
	case 1, 2:
		return d.hash(d.hashOf(x))
	case 3:
		if x.class.Region() {
			return ""
		}
		return d.typeOf(x) + d.hash(d.hashOf(x))
	case 4:
		return ""
	}
	if x.class.Region() {
		return "*"
	}
	name := d.typeOf(x)
	if d.later() && one(d.Rand, 5) {
		name += "(" + d.attr(x) + pick(d.Rand, "", " "+d.attr(x), ", "+d.attr(x)) + ")"
	}
	return name
}

// hashOf is what "#" compares, or the other facet that it might.
func (d *generator) hashOf(x *modelNode) string {
	if key, _ := x.key(); d.w.traits.HashIsKey != d.wrong() {
		return key
	}
	return x.node.ID
}

// typeOf draws a type token for x.
func (d *generator) typeOf(x *modelNode) string {
	word := map[tree.Class][]string{tree.Turn: {".mt", ".seg"}, tree.Container: {".mc", ".cont"},
		tree.Block: {".cb", ".block"}}[x.class]
	name := pick(d.Rand, word...)
	kind, ok := d.w.kind(x)
	_, old, colon := cutType(x.node.Type)
	_, named := tree.ClassOfType(x.node.Type)
	switch n := d.IntN(4); {
	case n == 0 && d.later() && ok && kind != "":
		return name + ":" + kind
	case n == 0 && !d.later() && colon && named:
		return name + ":" + old
	case n <= 1 && !named:
		return "." + x.node.Type
	}
	return name
}
