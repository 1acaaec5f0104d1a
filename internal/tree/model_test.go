package tree_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/contexttree/pact/internal/tree"
)

// The model is the law written down a second time, with no thought for speed:
// a bag of nodes, sorted whenever a test asks for an order. It shares no
// code with the package and no idea of how the package works.

const never = math.MaxInt64

// modelNode is a node with the id of its parent.
type modelNode struct {
	id, typ, parent                            string
	offset, priority, cycle, ns, index, expiry int64
	headers                                    map[string]any
	content                                    any // nil for none
}

// modelTree is one state of a context together with what edits need to know.
type modelTree struct {
	nodes     map[string]*modelNode
	published map[string]bool // ids of the last snapshot: what belongs to earlier cycles
	open      map[string]bool // ids below ^ah of the last snapshot
	history   map[string]bool // ids of every snapshot there ever was
	now       int64           // what the clock says
	cycle     int64           // of the commit to come
	last      int64           // the last created_at_ns given
	next      int64           // the next creation_index

	sorted map[string][]*modelNode // children by parent, in a frozen copy only
}

func newModelTree() *modelTree {
	w := &modelTree{nodes: map[string]*modelNode{}, published: map[string]bool{}, history: map[string]bool{}}
	w.now = 1000
	for i, name := range []string{"root", "sys", "seq", "ah"} {
		parent := "root"
		if i == 0 {
			parent = ""
		}
		w.put(&modelNode{id: name, typ: "^" + name, parent: parent, expiry: never})
	}
	w.publish()
	w.cycle, w.next = 1, 0
	return w
}

func (w *modelTree) stamp(r *modelNode) {
	w.last = max(w.now, w.last+1)
	r.ns, r.index = w.last, w.next
	w.next++
}

// restamp gives a node that is there a new stamp, which is one of this cycle.
func (w *modelTree) restamp(r *modelNode) {
	r.cycle = w.cycle
	w.stamp(r)
}

// put stamps a node, names it where it has no name, and takes it in.
func (w *modelTree) put(r *modelNode) string {
	for r.id == "" {
		id := fmt.Sprintf("%s:%d-%d", strings.TrimPrefix(r.typ, "^"), w.cycle, w.next)
		if w.nodes[id] == nil && !w.history[id] {
			r.id = id
		} else {
			w.next++
		}
	}
	w.stamp(r)
	w.nodes[r.id] = r
	return r.id
}

func (w *modelTree) publish() {
	w.published, w.open = map[string]bool{}, map[string]bool{}
	for id := range w.nodes {
		w.published[id], w.history[id] = true, true
		w.open[id] = w.regionOf(id) == "^ah" && w.class(id) != "^ah"
	}
}

// frozen is a copy that does not change any more.
func (w *modelTree) frozen() *modelTree {
	c := *w
	c.nodes = map[string]*modelNode{}
	for id, r := range w.nodes {
		n := *r
		n.headers = maps.Clone(r.headers)
		c.nodes[id] = &n
	}
	c.published, c.open, c.history = maps.Clone(w.published), maps.Clone(w.open), nil
	sorted := map[string][]*modelNode{}
	for id := range c.nodes {
		sorted[id] = c.kids(id)
	}
	c.sorted = sorted
	return &c
}

// class is docs/decisions.md: regions by name, canonical types by their first part,
// anything else by its place.
func (w *modelTree) class(id string) string {
	r := w.nodes[id]
	if c := namedClass(r.typ); c != "" {
		return c
	}
	if p := w.nodes[r.parent]; p != nil && w.class(p.id) == "^seq" {
		return "turn"
	}
	if len(w.kids(id)) > 0 {
		return "container"
	}
	return "block"
}

func namedClass(typ string) string {
	base, _, _ := strings.Cut(typ, ":")
	switch base {
	case "^root", "^sys", "^seq", "^ah":
		return base
	case "mt", "seg":
		return "turn"
	case "mc", "cont":
		return "container"
	case "cb", "block":
		return "block"
	}
	return ""
}

var regionRank = map[string]int{"^root": 0, "^sys": 1, "^seq": 2, "^ah": 3}

// rank is the place among siblings: regions in their order, then offset,
// created_at_ns, creation_index, id.
func (w *modelTree) rank(r *modelNode) [5]any {
	region := 4
	if c := namedClass(r.typ); strings.HasPrefix(c, "^") {
		region = regionRank[c]
	}
	return [5]any{region, r.offset, r.ns, r.index, r.id}
}

func (w *modelTree) before(a, b *modelNode) bool {
	x, y := w.rank(a), w.rank(b)
	if x[0] != y[0] {
		return x[0].(int) < y[0].(int)
	}
	for i := 1; i < 4; i++ {
		if x[i] != y[i] {
			return x[i].(int64) < y[i].(int64)
		}
	}
	return a.id < b.id
}

// kids are the children in canonical order.
func (w *modelTree) kids(id string) []*modelNode {
	if w.sorted != nil {
		return w.sorted[id]
	}
	var list []*modelNode
	for _, r := range w.nodes {
		if r.parent == id {
			list = append(list, r)
		}
	}
	sort.Slice(list, func(i, j int) bool { return w.before(list[i], list[j]) })
	return list
}

// below is the document order of a node and everything below it.
func (w *modelTree) below(id string) []*modelNode {
	list := []*modelNode{w.nodes[id]}
	for _, k := range w.kids(id) {
		list = append(list, w.below(k.id)...)
	}
	return list
}

func (w *modelTree) root() string {
	for id, r := range w.nodes {
		if r.parent == "" {
			return id
		}
	}
	return ""
}

func (w *modelTree) document() []*modelNode { return w.below(w.root()) }

// path is a node and everything above it, from the root down.
func (w *modelTree) path(id string) []string {
	var list []string
	for id != "" {
		list = append([]string{id}, list...)
		id = w.nodes[id].parent
	}
	return list
}

// region is the id of the region with this name.
func (w *modelTree) region(name string) string {
	for id := range w.nodes {
		if p := w.nodes[id].parent; w.class(id) == name && (p == "" || p == w.root()) {
			return id
		}
	}
	return ""
}

// regionOf is the class of the region that a node is in.
func (w *modelTree) regionOf(id string) string {
	if p := w.path(id); len(p) > 1 {
		return w.class(p[1])
	}
	return "^root"
}

// blocks are the blocks at and below a node in thread order, which is
// document order (02 §12).
func (w *modelTree) blocks(id string) []*modelNode {
	var list []*modelNode
	for _, r := range w.below(id) {
		if w.class(r.id) == "block" {
			list = append(list, r)
		}
	}
	return list
}

func ids(list []*modelNode) []string {
	s := make([]string, len(list))
	for i, r := range list {
		s[i] = r.id
	}
	return s
}

func sortedIDs(w *modelTree) []string { return slices.Sorted(maps.Keys(w.nodes)) }

// env is the environment of an editor.
func (w *modelTree) env() tree.Env {
	return tree.Env{
		Vocabulary: words,
		Clock:      func() int64 { return w.now },
		Taken:      func(id string) (bool, error) { return w.history[id], nil },
	}
}
