package tree_test

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/contexttree/pact/internal/tree"
)

// op is one call of the editor, as data.
type op struct {
	Call   string
	ID     string
	Parent string
	Offset int64
	Gap    tree.Gap
	Spec   tree.Spec
	Set    map[string]any
	List   []string
}

// edit does o through the package.
func (o op) edit(x *tree.Editor) (string, error) {
	switch o.Call {
	case "Add":
		return x.Add(o.Parent, o.Spec)
	case "AddAt":
		return x.AddAt(o.Gap, o.Spec)
	case "Update":
		return "", x.Update(o.ID, o.Set)
	case "Remove":
		return "", x.Remove(o.ID)
	case "Move":
		return x.Move(o.ID, o.Parent, o.Offset)
	case "MoveAt":
		return x.MoveAt(o.ID, o.Gap)
	}
	return "", x.Reorder(o.List...)
}

// below draws from 0 up to but without n, evenly: rapid's own ranges prefer
// small numbers, which would starve whatever stands late in a list.
func below(t *rapid.T, n int, label string) int {
	return rapid.Custom(func(t *rapid.T) int {
		v := 0
		for range 12 {
			v *= 2
			if rapid.Bool().Draw(t, "bit") {
				v++
			}
		}
		return v % n
	}).Draw(t, label)
}

// rarely is true once in n draws.
func rarely(t *rapid.T, n int, label string) bool { return below(t, n, label) == n-1 }

func pick[T any](t *rapid.T, label string, from ...T) T { return from[below(t, len(from), label)] }

// genID draws a node: mostly one of this cycle, now and then one that is not there.
func genID(t *rapid.T, w *modelTree) string {
	all := sortedIDs(w)
	var fresh []string
	for _, id := range all {
		if w.free(id) {
			fresh = append(fresh, id)
		}
	}
	switch {
	case rarely(t, 40, "absent"):
		return "nobody"
	case len(fresh) > 0 && !rarely(t, 4, "any"):
		return pick(t, "fresh", fresh...)
	}
	return pick(t, "id", all...)
}

func genParent(t *rapid.T, w *modelTree) string {
	if rarely(t, 6, "anywhere") {
		return genID(t, w)
	}
	list := []string{"^ah", "^ah", "^ah", "^sys", "^sys"}
	for _, id := range sortedIDs(w) {
		if c := w.class(id); c == "container" || c == "turn" {
			list = append(list, id)
		}
	}
	if rarely(t, 30, "region") {
		list = []string{"^root", "^seq"}
	}
	return pick(t, "parent", list...)
}

func genGap(t *rapid.T, w *modelTree) tree.Gap {
	g := tree.Gap{Parent: genParent(t, w), Edge: pick(t, "edge", tree.Start, tree.End, tree.After, tree.Before)}
	list := w.kids(w.resolve(g.Parent))
	if r := w.nodes[w.resolve(g.Parent)]; r != nil && (w.class(r.id) == "^ah" || w.class(r.id) == "turn" ||
		rarely(t, 20, "no core")) {
		g.Core = rapid.Bool().Draw(t, "core")
	}
	g.N = 1 + below(t, max(1, len(list)), "n")
	if rarely(t, 10, "beyond") {
		g.N = pick(t, "odd n", -1, 0, 9)
	}
	return g
}

var genContents = []any{nil, "", "x", "hello", "grüße\t\"𝄞\"\x7f<&>", 7, 12345, true, []any{1, "two", nil},
	map[string]any{"b": 1, "a": []any{}}, map[string]any{}}

func genSpec(t *rapid.T, w *modelTree) tree.Spec {
	s := tree.Spec{
		NodeType: pick(t, "type", "", "", "block", "cb:note", "cont", "mc:list", "x:note"),
		Offset:   int64(pick(t, "offset", 0, 0, 0, -1, 1, 2)),
		Priority: int64(pick(t, "priority", 0, 0, 5)),
		Role:     pick(t, "role", "", "", "user", "tool", "x:critic"),
		Kind:     pick(t, "kind", "", "text", "call"),
		Key:      pick(t, "key", "", "", "k1", "k2"),
		Content:  pick(t, "content", genContents...),
		Pinned:   rarely(t, 8, "pinned"),
	}
	if namedClass(s.NodeType) == "container" {
		s.Removable = rarely(t, 4, "removable")
	}
	if rarely(t, 5, "refers") {
		s.Refs = []string{genID(t, w), genID(t, w)}
	}
	if rarely(t, 6, "tagged") {
		s.Tags = []string{"red", "blue"}
	}
	if rarely(t, 4, "finite") {
		s.TTL = new(int64(below(t, 4, "ttl")))
	}
	if rarely(t, 6, "attributes") {
		s.Attrs = map[string]any{"data_n": 3, "x:y": []string{"z"}}
	}
	if rarely(t, 6, "named") {
		s.ID = pick(t, "id", "alpha", "beta", "block:1-5", "block:2-1", "cont:3-0", "seg:2-2", "ah:3-9")
	}
	if rarely(t, 12, "odd") {
		switch below(t, 6, "how") {
		case 0:
			s.NodeType = pick(t, "odd type", "seg", "mt:late", "^sys", "^ah", "^seq:2", "plain")
		case 1:
			s.TTL = new(int64(-1))
		case 2:
			s.Role = "boss"
		case 3:
			s.Attrs = map[string]any{pick(t, "odd name", "priority", "id", "content_hash", "speed"): 1}
		case 4:
			s.Removable = true
		default:
			s.ID = pick(t, "taken", sortedIDs(w)...)
		}
	}
	return s
}

var genUpdates = map[string][]any{
	"content":      genContents,
	"priority":     {1, -4, "high", nil},
	"offset":       {0, 1, -1, 2.5},
	"ttl":          {0, 2, nil, -3},
	"tags":         {[]string{"green"}, nil, "green"},
	"refs":         {[]string{"sys"}, nil, []any{1}},
	"role":         {"assistant", "x:judge", nil, "boss", 4},
	"kind":         {"text", nil, true},
	"key":          {"k3", nil},
	"pinned":       {true, false, nil, "yes"},
	"data_n":       {1, "n", nil},
	"x:y":          {map[string]any{"z": 1}, nil},
	"mime":         {"text/plain", nil},
	"id":           {"other"},
	"cycle":        {9},
	"removable":    {true},
	"content_hash": {"00"},
	"speed":        {1},
}

var genUpdateNames = []string{"content", "priority", "offset", "ttl", "tags", "refs", "role", "kind", "key", "pinned",
	"data_n", "x:y", "mime", "id", "cycle", "removable", "content_hash", "speed"}

// genOp draws a call. Most are sensible, so that trees grow; what is wrong
// with the others is spread over every rule.
func genOp(t *rapid.T, w *modelTree) op {
	o := op{Call: pick(t, "call", "Add", "Add", "Add", "Add", "AddAt", "AddAt", "Update", "Update", "Remove", "Move",
		"Move", "MoveAt", "Reorder")}
	switch o.Call {
	case "Add":
		o.Parent, o.Spec = genParent(t, w), genSpec(t, w)
	case "AddAt":
		o.Gap, o.Spec = genGap(t, w), genSpec(t, w)
	case "Update":
		o.ID, o.Set = genID(t, w), map[string]any{}
		for range 1 + below(t, 2, "headers") {
			last := len(genUpdateNames) - 1
			if !rarely(t, 5, "reserved") {
				last = 12 // the names up to mime
			}
			name := genUpdateNames[below(t, last+1, "header")]
			o.Set[name] = pick(t, "value", genUpdates[name]...)
		}
	case "Remove":
		o.ID = genID(t, w)
	case "Move":
		o.ID, o.Parent, o.Offset = genID(t, w), genParent(t, w), int64(below(t, 4, "offset")-1)
	case "MoveAt":
		o.ID, o.Gap = genID(t, w), genGap(t, w)
	case "Reorder":
		o.List = genSiblings(t, w)
	}
	return o
}

// genSiblings draws what a Reorder lists: siblings at one offset in some
// order, or any nodes at all.
func genSiblings(t *rapid.T, w *modelTree) []string {
	if rarely(t, 5, "strangers") {
		return []string{genID(t, w), genID(t, w)}
	}
	one := w.nodes[genID(t, w)]
	if one == nil {
		return []string{"nobody"}
	}
	var list []string
	for _, k := range w.kids(one.parent) {
		if k.offset == one.offset && w.free(k.id) == w.free(one.id) {
			list = append(list, k.id)
		}
	}
	if len(list) == 0 {
		return []string{one.id}
	}
	list = rapid.Permutation(list).Draw(t, "order")
	return list[:1+below(t, len(list), "listed")]
}

func (o op) String() string {
	return fmt.Sprintf("%s(id %q parent %q offset %d gap %+v spec %+v set %v list %q)", o.Call, o.ID, o.Parent, o.Offset,
		o.Gap, o.Spec, o.Set, o.List)
}
