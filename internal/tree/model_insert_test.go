package tree_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/tree"
)

// gap finds what an insertion selector names (docs/decisions.md): the parent, the
// offset of the neighbour (given false where there is none), the siblings that
// must follow, and what speaks against it.
func (w *modelTree) gap(g tree.Gap, moving string) (parent string, offset int64, given bool, follow []string,
	no []refusal) {
	if parent = w.resolve(g.Parent); w.nodes[parent] == nil {
		return parent, 0, false, nil, []refusal{missing(parent)}
	}
	asked, list := parent, w.kids(parent)
	if g.Core {
		if c := w.class(parent); c != "turn" && c != "^ah" {
			return parent, 0, false, nil, []refusal{placement(parent)}
		}
		if core := w.core(parent, ""); core != "" {
			parent, list = core, w.kids(core)
		} else {
			list = w.own(parent)
		}
	}
	// before is how many children come before the gap, next to whom it is.
	before, next := 0, 0
	switch g.Edge {
	case tree.End:
		before, next = len(list), len(list)-1
	case tree.After:
		before, next = g.N, g.N-1
	case tree.Before:
		before, next = g.N-1, g.N-1
	}
	if (g.Edge == tree.After || g.Edge == tree.Before) && (g.N < 1 || g.N > len(list)) {
		return parent, 0, false, nil, []refusal{placement(asked)}
	}
	if len(list) == 0 {
		return parent, 0, g.Core, nil, nil
	}
	offset = list[next].offset
	for _, k := range list[before:] {
		if k.offset != offset || k.id == moving {
			continue
		}
		if !w.free(k.id) {
			no = append(no, sealed(k.id))
		}
		follow = append(follow, k.id)
	}
	return parent, offset, true, follow, no
}

// stampAll gives the siblings that must follow their new stamps.
func (w *modelTree) stampAll(list []string) {
	for _, id := range list {
		w.restamp(w.nodes[id])
	}
}

func (w *modelTree) addAt(g tree.Gap, s tree.Spec) (string, []refusal) {
	parent, offset, given, follow, no := w.gap(g, "")
	if given {
		s.Offset = offset
	}
	id, no := w.add(parent, s, no)
	if len(no) == 0 {
		w.stampAll(follow)
	}
	return id, no
}

func (w *modelTree) moveAt(id string, g tree.Gap) (string, []refusal) {
	parent, offset, given, follow, no := w.gap(g, id)
	if r := w.nodes[id]; !given && r != nil {
		offset = r.offset
	}
	id, no = w.move(id, parent, offset, true, no)
	if len(no) == 0 {
		w.stampAll(follow)
	}
	return id, no
}

// What an update may set: of ^sys after its cycle, and of nodes of this cycle.
var (
	settableLater = []string{"content", "tags", "priority"}
	settableNow   = []string{"ttl", "offset", "pinned", "refs", "role", "kind", "key", "provenance", "mime", "encoding"}
)

// update is Update.
func (w *modelTree) update(id string, set map[string]any) (no []refusal) {
	r := w.nodes[id]
	if r == nil {
		return []refusal{missing(id)}
	}
	class := w.class(id)
	if class == "turn" || strings.HasPrefix(class, "^") || !w.free(id) && w.regionOf(id) != "^sys" {
		return []refusal{sealed(id)}
	}
	n := *r
	n.headers = map[string]any{}
	for name, v := range r.headers {
		n.headers[name] = v
	}
	for name, v := range set {
		now, later := slices.Contains(settableNow, name), slices.Contains(settableLater, name) || custom(name)
		switch {
		case !now && !later:
			no = append(no, invalid())
			if !w.free(id) {
				no = append(no, sealed(id))
			}
		case !later && !w.free(id):
			no = append(no, sealed(id))
		case !n.set(name, v, w.cycle):
			no = append(no, invalid())
		}
	}
	if n.expiry != never && n.offset == 0 && class == "container" && w.class(r.parent) == "^ah" {
		no = append(no, placement(id)) // a core stays
	}
	if n.offset != r.offset {
		into, why := w.place(r.parent, class, n.offset, r.headers["removable"] == true, id)
		if into != r.parent {
			why = append(why, placement(id)) // an update does not move
		}
		no = append(no, why...)
	}
	if len(no) == 0 {
		w.nodes[id] = &n
	}
	return no
}

// set sets one header and reports whether the value is one for it.
func (r *modelNode) set(name string, v any, cycle int64) bool {
	number, isInt := v.(int)
	switch name {
	case "priority":
		r.priority = int64(number)
		return isInt
	case "offset":
		r.offset = int64(number)
		return isInt
	case "ttl":
		if r.expiry = cycle + int64(number); v == nil {
			r.expiry = never
		}
		return v == nil || isInt && number >= 0
	case "content":
		r.content = v
		return true
	}
	if v == nil {
		delete(r.headers, name)
		return true
	}
	text, isText := v.(string)
	_, isList := v.([]string)
	_, isBool := v.(bool)
	r.headers[name] = v
	switch name {
	case "role":
		return isText && goodRole(text)
	case "kind", "key", "provenance", "mime", "encoding":
		return isText
	case "tags", "refs":
		return isList
	case "pinned":
		return isBool
	}
	return true
}

// seal is docs/decisions.md.
func (w *modelTree) seal() {
	head := w.region("^ah")
	core := w.core(head, "")
	own := w.own(head)
	rest := w.kids(head)
	delete(w.nodes, head)
	turn := w.put(&modelNode{typ: words.Turn, parent: w.region("^seq"), cycle: w.cycle, expiry: never})
	for _, k := range rest {
		k.parent = turn
	}
	if core == "" {
		c := w.put(&modelNode{typ: words.Container, parent: turn, cycle: w.cycle, expiry: never})
		for _, k := range own {
			k.parent = c
		}
	}
	w.put(&modelNode{typ: "^ah", parent: w.root(), cycle: w.cycle, expiry: never})
	w.publish()
	w.cycle, w.next = w.cycle+1, 0
}

// expected says in words what the model allows.
func expected(no []refusal) string {
	if len(no) == 0 {
		return "no error"
	}
	return fmt.Sprint("one of ", no)
}

// admits reports whether err is one that the model expects.
func admits(no []refusal, err error) bool {
	if err == nil {
		return len(no) == 0
	}
	e := faultOf(err)
	return slices.ContainsFunc(no, func(r refusal) bool {
		return e.Code == r.code && (r.node == "" || r.node == e.Node)
	})
}
