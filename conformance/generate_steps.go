package conformance

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// group draws the steps of one group, and walks the whole tree for each.
func (g *drawing) group() (text string, found []*drawn) {
	for i := range 1 + g.IntN(3) {
		combinator := []string{" ", " > "}[g.IntN(2)]
		classes := []string{"mt", "mc", "cb", "cb", "*"}
		if i == 0 {
			combinator, classes = "", []string{"^sys", "^seq", "^ah", "^root", "mt", "mc", "cb"}
		}
		class := classes[g.IntN(len(classes))]
		step := map[bool]string{true: ".", false: ""}[strings.Contains("mtmccb", class)] + g.word(class)
		var matched []*drawn
		for _, n := range g.nodes {
			if (class == "*" || n.class == class) && (i == 0 || follows(n, combinator, found)) {
				matched = append(matched, n)
			}
		}
		if step[0] != '^' {
			step, matched = g.filtered(step, class, matched)
		}
		text, found = text+combinator+step, matched
	}
	return text, found
}

// follows reports whether a node stands below one of the nodes, after " > " directly.
func follows(n *drawn, combinator string, above []*drawn) bool {
	for up := n.parent; up != nil; up = up.parent {
		if slices.Contains(above, up) {
			return true
		}
		if combinator == " > " {
			break
		}
	}
	return false
}

// filtered draws the filters of a step and applies them.
func (g *drawing) filtered(step, class string, list []*drawn) (string, []*drawn) {
	keep := func(text string, f func(*drawn) bool) {
		step += text
		list = slices.DeleteFunc(list, func(n *drawn) bool { return !f(n) })
	}
	if class == "mt" && g.IntN(2) == 0 {
		from := 1 + g.IntN(3)
		to := from + g.IntN(3)
		keep(fmt.Sprintf(":depth(%d-%d,5)", from, to), func(n *drawn) bool { return from <= n.depth && n.depth <= to || n.depth == 5 })
	}
	for range g.IntN(3) {
		text, f := g.attribute()
		keep(text, f)
	}
	if class != "cb" || g.IntN(3) > 0 { // the first, last or n-th of its siblings that are left
		return step, list
	}
	at := g.IntN(3)
	pick := []string{":first", ":last", ":nth(2)"}[at]
	left := slices.Clone(list)
	keep(pick, func(n *drawn) bool {
		siblings := slices.DeleteFunc(slices.Clone(left), func(s *drawn) bool { return s.parent != n.parent })
		return slices.Index(siblings, n) == []int{0, len(siblings) - 1, 1}[at]
	})
	return step, list
}

// attribute draws a comparison. What a node has not is null: it differs from every value, and is neither less nor greater.
func (g *drawing) attribute() (string, func(*drawn) bool) {
	if g.IntN(2) == 0 {
		name := []string{"role", "kind", "id"}[g.IntN(3)]
		value := map[string]string{"role": "user", "kind": "call", "id": "a7"}[name]
		equal := g.IntN(2) == 0
		return "[" + name + map[bool]string{true: "=", false: "!="}[equal] + "'" + value + "']",
			func(n *drawn) bool { return (n.headers[name] == value) == equal }
	}
	name := []string{"ttl", "priority", "offset", "cycle", "created_at_ns"}[g.IntN(5)]
	if name == "ttl" && g.IntN(3) == 0 {
		return "[ttl=null]", func(n *drawn) bool { return n.headers["ttl"] == nil }
	}
	value := g.IntN(5) - map[bool]int{true: 2, false: 0}[name == "offset"]
	op := []string{"=", "!=", "<", "<=", ">", ">="}[g.IntN(6)]
	return "[" + name + op + strconv.Itoa(value) + "]", func(n *drawn) bool {
		have, there := n.headers[name].(int)
		return map[string]bool{"=": there && have == value, "!=": !there || have != value, "<": there && have < value,
			"<=": there && have <= value, ">": there && have > value, ">=": there && have >= value}[op]
	}
}
