package tree_test

import (
	"slices"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/tree"
)

// refusal is one rule of docs/decisions.md that an edit breaks: the code it
// is refused with and the node it names, "" where there is none to name. An
// edit that breaks several may be refused for any of them.
type refusal struct {
	code fault.Code
	node string
}

func placement(id string) refusal { return refusal{fault.PlacementInvalid, id} }
func sealed(id string) refusal    { return refusal{fault.Sealed, id} }
func missing(id string) refusal   { return refusal{fault.NodeNotFound, id} }
func invalid() refusal            { return refusal{fault.DocumentInvalid, ""} }

// free: born in this cycle, so everything may be done to it.
// free reports whether a node can be edited as a new one can: it is in no snapshot, or only below ^ah of one, where
// nothing was sealed yet.
func (w *modelTree) free(id string) bool { return !w.published[id] || w.open[id] }

// resolve is a parent by id or by the name of a region.
func (w *modelTree) resolve(parent string) string {
	if _, named := regionRank[parent]; named {
		return w.region(parent)
	}
	return parent
}

// core is the explicit core of a turn or head: its container at offset 0.
func (w *modelTree) core(id, besides string) string {
	for _, k := range w.kids(id) {
		if k.offset == 0 && k.id != besides && w.class(k.id) == "container" {
			return k.id
		}
	}
	return ""
}

// own are the blocks of an elided core.
func (w *modelTree) own(id string) []*modelNode {
	var list []*modelNode
	for _, k := range w.kids(id) {
		if k.offset == 0 && w.class(k.id) != "container" {
			list = append(list, k)
		}
	}
	return list
}

// turnOf is the turn that a node is or is in, with its child on the way down.
func (w *modelTree) turnOf(id string) (turn, child string) {
	path := append(w.path(id), "")
	if len(path) > 3 && w.class(path[1]) == "^seq" {
		return path[2], path[3]
	}
	return "", ""
}

// place says where a node of a class goes that is put under a parent at an
// offset, and what speaks against it. self is the node itself where it is in
// the tree already.
func (w *modelTree) place(parent, class string, offset int64, removable bool, self string) (string, []refusal) {
	var no []refusal
	if removable && class != "container" {
		no = append(no, placement(parent)) // only groups are removable
	}
	switch w.class(parent) {
	case "^root", "^seq", "block":
		return parent, append(no, placement(parent))
	case "^ah":
		core := w.core(parent, self)
		switch {
		case offset != 0:
		case class == "container" && (core != "" || len(w.own(parent)) > 0 || removable):
			no = append(no, placement(parent))
		case class != "container" && core != "":
			parent = core
		}
	}
	if turn, child := w.turnOf(parent); turn != "" {
		if child == "" && offset == 0 || child != "" && w.nodes[child].offset == 0 {
			no = append(no, sealed(parent))
		}
	}
	return parent, no
}

// leave says why a node may not leave its place.
func (w *modelTree) leave(id string) []refusal {
	class := w.class(id)
	switch {
	case strings.HasPrefix(class, "^"):
		return []refusal{placement(id)}
	case w.free(id), w.regionOf(id) == "^sys":
		return nil
	}
	if _, child := w.turnOf(id); child == "" || w.nodes[child].offset == 0 {
		return []refusal{sealed(id)}
	}
	return nil
}

var canonicalRoles = []string{"user", "assistant", "tool", "system", "other"}

func goodRole(s string) bool {
	return slices.Contains(canonicalRoles, s) || strings.Contains(s, ":")
}

func custom(name string) bool {
	return name != "content_hash" && (strings.HasPrefix(name, "data_") || strings.HasPrefix(name, "content_") ||
		strings.Contains(name, ":"))
}

// describe is a new node, and what is wrong with it by itself.
func (w *modelTree) describe(s tree.Spec) (*modelNode, []refusal) {
	var no []refusal
	if s.NodeType == "" {
		s.NodeType = words.Block
	}
	switch class := namedClass(s.NodeType); {
	case class == "turn" || strings.HasPrefix(class, "^"):
		no = append(no, placement(""))
	case class == "" && !strings.Contains(s.NodeType, ":"):
		no = append(no, invalid())
	}
	r := &modelNode{id: s.ID, typ: s.NodeType, offset: s.Offset, priority: s.Priority, cycle: w.cycle, expiry: never,
		headers: map[string]any{}, content: s.Content}
	if s.TTL != nil {
		r.expiry = w.cycle + *s.TTL
		if *s.TTL < 0 {
			no = append(no, invalid())
		}
	}
	if s.Role != "" && !goodRole(s.Role) {
		no = append(no, invalid())
	}
	for name, v := range map[string]string{"role": s.Role, "kind": s.Kind, "key": s.Key} {
		if v != "" {
			r.headers[name] = v
		}
	}
	for name, v := range map[string][]string{"tags": s.Tags, "refs": s.Refs} {
		if len(v) > 0 {
			r.headers[name] = v
		}
	}
	for name, v := range map[string]bool{"removable": s.Removable, "pinned": s.Pinned} {
		if v {
			r.headers[name] = true
		}
	}
	for name, v := range s.Attrs {
		if !custom(name) {
			no = append(no, invalid())
		}
		r.headers[name] = v
	}
	if s.ID != "" && (w.nodes[s.ID] != nil || w.history[s.ID]) {
		no = append(no, refusal{fault.NodeDuplicate, s.ID})
	}
	return r, no
}

// add is Add and the second half of AddAt.
func (w *modelTree) add(parent string, s tree.Spec, first []refusal) (string, []refusal) {
	if parent = w.resolve(parent); w.nodes[parent] == nil {
		return "", []refusal{missing(parent)}
	}
	r, no := w.describe(s)
	class := namedClass(r.typ)
	if class == "" {
		class = "block"
	}
	into, why := w.place(parent, class, s.Offset, s.Removable, "")
	if s.TTL != nil && class == "container" && s.Offset == 0 && w.class(parent) == "^ah" {
		no = append(no, placement(parent)) // a core stays
	}
	if no = append(append(no, why...), first...); len(no) > 0 {
		return "", no
	}
	r.parent = into
	return w.put(r), nil
}

// remove is Remove.
func (w *modelTree) remove(id string) []refusal {
	if w.nodes[id] == nil {
		return []refusal{missing(id)}
	}
	no := w.leave(id)
	if len(no) == 0 {
		w.drop(id)
	}
	return no
}

func (w *modelTree) drop(id string) {
	for _, r := range w.below(id) {
		delete(w.nodes, r.id)
	}
}

// move is Move and the second half of MoveAt.
func (w *modelTree) move(id, parent string, offset int64, restamp bool, first []refusal) (string, []refusal) {
	if parent = w.resolve(parent); w.nodes[parent] == nil {
		return "", []refusal{missing(parent)}
	}
	r := w.nodes[id]
	if r == nil {
		return "", append(first, missing(id))
	}
	class := w.class(id)
	no := append(first, w.leave(id)...)
	if class == "turn" {
		no = append(no, placement(id))
	}
	into, why := w.place(parent, class, offset, r.headers["removable"] == true, id)
	if slices.Contains(w.path(into), id) {
		no = append(no, placement(id)) // below itself
	}
	if r.expiry != never && class == "container" && offset == 0 && w.class(into) == "^ah" {
		no = append(no, placement(id)) // a core stays
	}
	if no = append(no, why...); len(no) > 0 {
		return "", no
	}
	if !w.free(id) {
		return w.again(id, into, offset), nil
	}
	r.parent, r.offset = into, offset
	if restamp {
		w.restamp(r)
	}
	return id, nil
}

// again moves a node of an earlier cycle: it goes, and new nodes come.
func (w *modelTree) again(id, into string, offset int64) string {
	gone := w.below(id)
	names := map[string]string{}
	for _, r := range gone {
		delete(w.nodes, r.id)
	}
	for i, r := range gone {
		n := *r
		n.id, n.cycle = "", w.cycle
		if n.parent = names[r.parent]; i == 0 {
			n.parent, n.offset = into, offset
		}
		if n.expiry != never {
			n.expiry = max(n.expiry, w.cycle)
		}
		names[r.id] = w.put(&n)
	}
	return names[id]
}

// reorder is Reorder.
func (w *modelTree) reorder(list []string) (no []refusal) {
	first := w.nodes[append(list, "")[0]]
	for i, id := range list {
		r := w.nodes[id]
		switch {
		case r == nil:
			no = append(no, missing(id))
			continue
		case !w.free(id):
			no = append(no, sealed(id))
		}
		if first != nil && (r.parent != first.parent || r.offset != first.offset) || slices.Contains(list[:i], id) {
			no = append(no, placement(id))
		}
	}
	if len(no) == 0 {
		for _, id := range list {
			w.restamp(w.nodes[id])
		}
	}
	return no
}

// model does o in the model.
func (o op) model(w *modelTree) (id string, no []refusal) {
	switch o.Call {
	case "Add":
		return w.add(o.Parent, o.Spec, nil)
	case "AddAt":
		return w.addAt(o.Gap, o.Spec)
	case "Update":
		return "", w.update(o.ID, o.Set)
	case "Remove":
		return "", w.remove(o.ID)
	case "Move":
		return w.move(o.ID, o.Parent, o.Offset, false, nil)
	case "MoveAt":
		return w.moveAt(o.ID, o.Gap)
	}
	return "", w.reorder(o.List)
}
