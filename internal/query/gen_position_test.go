package query_test

import (
	"fmt"
	"strconv"
	"strings"
)

// search draws a search for x from the root, and perhaps what to find below it.
func (d *generator) search(x *modelNode) string {
	switch n := d.IntN(4); {
	case n == 0:
		for x.parent != nil && x.parent != d.w.root {
			x = x.parent
		}
		return "?" + pick(d.Rand, "", " ") + d.braces(x) + d.behind(x, true)
	case n == 1:
		hops := d.place(x)
		for one(d.Rand, 3) {
			hops += pick(d.Rand, ", ", ",") + d.place(d.node())
		}
		return "within(" + hops + ") ?? " + d.braces(x) + d.behind(x, false)
	}
	return "??" + pick(d.Rand, "", " ") + d.braces(x) + d.behind(x, false)
}

// coordinate draws the depth of x and the offsets that lead to it (1.0 04 §8).
func (d *generator) coordinate(x *modelNode) string {
	offsets := ""
	for ; x.parent != nil && !isPlace(x); x = x.parent {
		offsets = fmt.Sprint(", ", x.node.Offset) + offsets
	}
	return fmt.Sprintf("(d%d%s)", x.depth, offsets)
}

// place draws a hop that finds something above x when it stands alone.
func (d *generator) place(x *modelNode) string {
	for x.parent != nil && !isPlace(x) && x.parent != d.w.root {
		x = x.parent
	}
	switch {
	case x.placed && one(d.Rand, 2):
		return d.depthHop(x) + d.hopAttrs(x)
	case isTurn(x) && x.depth > 0 && one(d.Rand, 2):
		return pick(d.Rand, "seg", "mt") + d.hopAttrs(x)
	case one(d.Rand, 3):
		return pick(d.Rand, "? ", "??") + d.braces(x)
	}
	return d.hop(x)
}

// behind draws what may follow a position or a search that found x: filters,
// spaced or not, and steps further down. After a single "?" there must be no
// other one.
func (d *generator) behind(x *modelNode, single bool) string {
	var b strings.Builder
	for range d.IntN(3) {
		f := d.filter(x)
		if f[0] != ':' && one(d.Rand, 2) {
			b.WriteByte(' ')
		}
		b.WriteString(f)
	}
	if list := below(x); len(list) > 0 && one(d.Rand, 3) {
		y := pick(d.Rand, list...)
		if one(d.Rand, 3) {
			if y.parent == x && !single && one(d.Rand, 2) {
				return b.String() + " ? " + d.braces(y)
			}
			return b.String() + " ?? " + d.braces(y) + d.filters(y, 1)
		}
		b.WriteString(d.rest(x, y))
	}
	return b.String()
}

// rest draws a chain from x down to y.
func (d *generator) rest(x, y *modelNode) string {
	text := d.steps(x, y)
	if c := text[strings.IndexFunc(text, func(r rune) bool { return r != ' ' })]; c == '[' || c == '{' || c == '+' {
		return " > *" + text[len(text)-len(strings.TrimLeft(text, " ")):] // it would be a filter
	}
	return text
}

// position draws hops that lead to x, as a path in parentheses or, where it is
// one hop, sometimes without them.
func (d *generator) position(x *modelNode) string {
	hops := d.hops(x)
	if len(hops) == 1 && one(d.Rand, 2) && hops[0][0] != '?' && !strings.HasPrefix(hops[0], "depth") {
		behind := d.behind(x, false)
		if _, err := strconv.Atoi(hops[0]); err == nil && behind != "" && behind[0] == ':' {
			behind = " > *" + behind // 0:first is refused, because 0:block is a hop
		}
		return hops[0] + behind
	}
	return "(" + strings.Join(hops, pick(d.Rand, ", ", ",")) + ")" + d.behind(x, false)
}

func (d *generator) hops(x *modelNode) []string {
	path := []*modelNode{}
	for y := x; y.parent != nil; y = y.parent {
		path = append([]*modelNode{y}, path...)
	}
	if len(path) == 0 {
		return []string{"?? " + d.braces(x)}
	}
	var hops []string
	last := d.w.root
	for i, y := range path {
		at := len(path) - 1
		switch {
		case isPlace(y):
			depth, turn := d.depthHop(y)+d.hopAttrs(y), pick(d.Rand, "seg", "mt")+d.hopAttrs(y)
			switch {
			case one(d.Rand, 6):
				hops = []string{depth, turn}
			case one(d.Rand, 6):
				hops = []string{turn, depth}
			case one(d.Rand, 8):
				hops = []string{pick(d.Rand, "?", "??") + d.braces(y), pick(d.Rand, depth, turn, depth+", "+turn)}
			default:
				hops = []string{depth}
			}
			if isTurn(y) && y.depth > 0 && one(d.Rand, 5) {
				hops = []string{turn}
			}
		case i < at && one(d.Rand, 4):
			hops = append(hops, "?? "+d.braces(x))
			return hops
		case !y.placed && i < at: // ^seq: the depth says the way
			continue
		default:
			if last.core != nil && y.node.Offset == 0 && one(d.Rand, 2) {
				hops = append(hops, pick(d.Rand, "0", "cont", "mc[offset=0]", "mc", "? {type=mc}", "0{role=null}"))
			}
			hops = append(hops, d.hop(y))
		}
		last = y
	}
	return hops
}

func (d *generator) depthHop(x *modelNode) string {
	if one(d.Rand, 3) {
		return "depth(" + d.depths(x) + ")"
	}
	if d.wrong() {
		return fmt.Sprint("d", d.IntN(5)-1)
	}
	return fmt.Sprint("d", x.depth)
}

// hop draws a hop to a child.
func (d *generator) hop(x *modelNode) string {
	if d.wrong() {
		x = d.node()
	}
	at := x.node.Offset
	if one(d.Rand, 5) {
		return "?" + d.braces(x)
	}
	if one(d.Rand, 3) {
		return fmt.Sprint(at) + d.hopAttrs(x)
	}
	if isBlock(x) {
		kind := ""
		if k, ok := d.w.kind(x); ok && word.MatchString(k) && one(d.Rand, 3) {
			kind = "." + k
		}
		return pick(d.Rand, fmt.Sprint(at, ":block"), fmt.Sprint(at, ":cb"), "*:block", "*:cb", "*:block", "block", "cb") +
			kind + d.hopAttrs(x)
	}
	return pick(d.Rand, "cont", "mc") + d.hopAttrs(x)
}

func (d *generator) hopAttrs(x *modelNode) string {
	if !one(d.Rand, 4) {
		return ""
	}
	return d.block(x)
}
