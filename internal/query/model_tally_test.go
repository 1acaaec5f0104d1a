package query_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/contexttree/pact/selector"
)

// tally counts for each construct of the language how many selectors had it
// and how many of those found something, so that no comparison is made on
// empty results alone.
type tally map[string]*[2]int

func (c tally) count(s *selector.Selector, found bool) {
	seen := map[string]bool{}
	for _, name := range constructs(s) {
		if seen[name] {
			continue
		}
		seen[name] = true
		if c[name] == nil {
			c[name] = new([2]int)
		}
		c[name][0]++
		if found {
			c[name][1]++
		}
	}
}

// check wants every construct of the edition to have been there often, and to
// have been in a good share of selectors with a result.
func (c tally) check(t *testing.T, e selector.Edition) {
	t.Helper()
	names, least := slices.Clone(allIntegers), 30
	if testing.Short() {
		least = 5
	}
	if e != selector.V01 {
		names = append(names, later...)
	}
	if e.Traits().Fragments {
		names = append(slices.DeleteFunc(names, func(name string) bool { return slices.Contains(removed, name) }), "scope", "else")
	}
	for _, name := range names {
		n := c[name]
		if n == nil {
			t.Errorf("%s: no selector has %s", e, name)
			continue
		}
		if n[0] < least || n[1]*8 < n[0] {
			t.Errorf("%s: %s is in %d selectors, %d of which find something", e, name, n[0], n[1])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if !slices.Contains(names, name) {
			t.Errorf("%s: %s is not on the list of constructs", e, name)
		}
	}
}

var allIntegers = []string{
	"anywhere", "child", "descendant", "several groups", "first step", "later step",
	"*", "region", "id", "type", "type with kind", "foreign type", "zone as step", "zone", "depth", ":first", ":last",
	":nth",
	"[a]", "[a=]", "[a!=]", "[a<]", "[a<=]", "[a>]", "[a>=]", "number", "text", "word", "null",
	"integer header", "text header", "nodeType", "list header", "content", "attribute",
}

var later = []string{
	"[a~]", "[a=[]]", "derived facet",
	"depth step", "open depths", "tag first", "tag", "?", "??", "within", "? behind", "?? behind",
	"d hop", "turn hop", "turn hop first", "container hop", "offset hop", "block hop", "block hop at", "? hop", "?? hop",
	"position and steps", "position and filters",
	"same key", "choice of same key", "@order=pre", "@order=post", "@order=bfs", "@order=path", "@order=turn:asc,pre",
	"@order=turn:desc,pre",
	"@unique", "@limit", "@p", "@first", "@mode",
}

// removed are what edition 1.0 does not read, or reads as something else.
var removed = []string{
	"type", "type with kind", "foreign type", "?", "??", "within", "? behind", "?? behind", "turn hop", "turn hop first",
	"container hop", "block hop", "block hop at", "? hop",
}

// constructs lists what a selector is made of.
func constructs(s *selector.Selector) []string {
	list := []string{"anywhere"}
	if len(s.Groups) > 1 {
		list = append(list, "several groups")
	}
	for _, g := range s.Groups {
		if g.Scope != nil {
			list = append(list, "scope")
		}
		if g.Else {
			list = append(list, "else")
		}
		for i, step := range g.Steps {
			list = append(list, [...]string{"first step", "descendant", "child"}[step.Comb])
			if i > 0 {
				list = append(list, "later step")
			}
			for k, part := range step.Parts {
				list = append(list, ofPart(part, i == 0, k == 0, len(step.Parts) == 1)...)
			}
			if _, ok := step.Parts[0].(selector.Position); ok && len(step.Parts) > 1 {
				list = append(list, "position and filters")
			}
		}
		if _, ok := g.Steps[0].Parts[0].(selector.Position); ok && len(g.Steps) > 1 {
			list = append(list, "position and steps")
		}
	}
	w := &model{traits: s.Edition.Traits()}
	if w.isFamily(s) {
		list = append(list, "same key")
		last := s.Groups[0].Steps[len(s.Groups[0].Steps)-1]
		if slices.ContainsFunc(last.Parts[w.keyPart(last):],
			func(p selector.Part) bool { _, ok := p.(selector.Pick); return ok }) {
			list = append(list, "choice of same key")
		}
	}
	for _, c := range s.Controls {
		name := [...]string{"@mode", "@order", "@unique", "@limit", "@p", "@first"}[c.Kind]
		if c.Kind == selector.ControlOrder {
			name += "=" + c.Word
		}
		list = append(list, name)
	}
	return list
}

// ofPart names a part by where it stands: in the first step, first in its step,
// alone in its step.
func ofPart(part selector.Part, start, first, alone bool) []string {
	switch part := part.(type) {
	case selector.Universal:
		return []string{"*"}
	case selector.Region:
		return []string{"region"}
	case selector.ID:
		return []string{"id"}
	case selector.Type:
		if base, _, narrow := cutType(part.Name); !slices.Contains([]string{"mt", "mc", "cb", "seg", "cont", "block"}, base) {
			return []string{"foreign type"}
		} else if narrow {
			return []string{"type with kind"}
		}
		return []string{"type"}
	case selector.Offset:
		if alone {
			return []string{"zone as step"}
		}
		return []string{"zone"}
	case selector.DepthIs:
		return ofDepths("depth", part.Set)
	case selector.DepthStep:
		return ofDepths("depth step", part.Set)
	case selector.Pick:
		return []string{[...]string{":first", ":last", ":nth"}[part.Kind]}
	case selector.Tag:
		if start && first {
			return []string{"tag first"}
		}
		return []string{"tag"}
	case selector.Search:
		name := map[bool]string{false: "?", true: "??"}[part.Deep]
		if !start {
			name += " behind"
		} else if len(part.Within) > 0 {
			name = "within"
		}
		return append(ofAttrs(part.Attrs), name)
	case selector.Position:
		var list []string
		for i, h := range part.Hops {
			list = append(append(list, ofHop(h, i)), ofAttrs(h.Attrs)...)
		}
		return list
	case selector.Attr:
		return ofAttrs([]selector.Attr{part})
	}
	return []string{fmt.Sprintf("%T", part)}
}

func ofDepths(name string, set selector.DepthSet) []string {
	for _, term := range set.Terms {
		if term.Lo < -1<<60 || term.Hi > 1<<60 {
			return []string{name, "open depths"}
		}
	}
	return []string{name}
}

func ofHop(h selector.Hop, i int) string {
	switch {
	case h.Kind == selector.HopTurn && i == 0:
		return "turn hop first"
	case h.Kind == selector.HopBlock && !h.Any:
		return "block hop at"
	}
	return [...]string{"d hop", "turn hop", "container hop", "offset hop", "block hop", "? hop", "?? hop"}[h.Kind]
}

func ofAttrs(attrs []selector.Attr) []string {
	var list []string
	for _, a := range attrs {
		name := "[a" + [...]string{"", "=", "!=", "<", "<=", ">", ">=", "~"}[a.Op] + "]"
		if len(a.Values) > 1 {
			name = "[a=[]]"
		}
		list = append(list, name, ofName(a.Name))
		for _, v := range a.Values {
			list = append(list, [...]string{"number", "text", "word", "null"}[v.Kind])
		}
	}
	return list
}

func ofName(name string) string {
	switch name {
	case "offset", "ttl", "priority", "cycle", "created_at_ns", "creation_index":
		return "integer header"
	case "id", "created_at_iso", "content_hash", "role", "kind", "key":
		return "text header"
	case "tag", "tags", "refs":
		return "list header"
	case "born_turn", "age", "depth", "sdepth":
		return "derived facet"
	case "nodeType", "content":
		return name
	}
	return "attribute"
}
