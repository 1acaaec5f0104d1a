package commit_test

import (
	"context"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"sort"

	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// The model is semantics §4 written down a second time, by brute force: what
// the law calls the largest set is found by trying every set.

// modelNode holds the parts of a node that a commit looks at.
type modelNode struct {
	id, parent, class            string
	offset, priority, ns, expiry int64
	removable, pinned            bool
	refs, tags                   []string
	role, kind, text             string // text is the content, which is drawn as a string or left out
	print                        string // everything that the node says
	order                        int    // in the document
	index                        int64  // creation_index
}

// modelTree is a tree as a set of items.
type modelTree map[string]*modelNode

func read(t *tree.Tree) modelTree {
	b := modelTree{}
	for p := range sure.All(t.All()) {
		e, parent := p.Entry, p.Parent
		n := e.Node()
		content, err := n.Content.Value(context.Background())
		if err != nil {
			panic(err)
		}
		text, _ := content.Text()
		b[n.ID] = &modelNode{
			n.ID, parent, e.Class().String(), n.Offset, n.Priority, n.CreatedNS, n.Expiry, n.Removable, n.Pinned, n.Refs, n.Tags,
			n.Role, n.Kind, text, fmt.Sprint(n.Type, n.Offset, n.Priority, n.Cycle, n.CreatedNS, n.Index, n.Expiry, n.Headers,
				content), len(b), n.Index,
		}
	}
	return b
}

// reorder numbers the items as the canonical order has them (02 §4.3).
func (b modelTree) reorder() {
	next, below := 0, map[string][]*modelNode{}
	for _, i := range b {
		below[i.parent] = append(below[i.parent], i)
	}
	var number func(id string)
	number = func(id string) {
		b[id].order = next
		next++
		kids := below[id]
		region := map[string]int{"^sys": 1, "^seq": 2, "^ah": 3}
		sort.Slice(kids, func(x, y int) bool {
			i, k := kids[x], kids[y]
			switch {
			case region[i.class] != region[k.class]:
				return region[i.class] < region[k.class]
			case i.offset != k.offset:
				return i.offset < k.offset
			case i.ns != k.ns:
				return i.ns < k.ns
			case i.index != k.index:
				return i.index < k.index
			}
			return i.id < k.id
		})
		for _, k := range kids {
			number(k.id)
		}
	}
	number(below[""][0].id)
}

func (b modelTree) without(gone map[string]bool) modelTree {
	c := maps.Clone(b)
	for id := range gone {
		delete(c, id)
	}
	return c
}

// list is some of the items in document order.
func (b modelTree) list(want func(*modelNode) bool) (ids []string) {
	for id, i := range b {
		if want(i) {
			ids = append(ids, id)
		}
	}
	sort.Slice(ids, func(x, y int) bool { return b[ids[x]].order < b[ids[y]].order })
	return ids
}

func (b modelTree) children(id string) []string {
	return b.list(func(i *modelNode) bool { return i.parent == id })
}

// below is a node with everything below it.
func (b modelTree) below(id string) []string {
	all := []string{id}
	for _, k := range b.children(id) {
		all = append(all, b.below(k)...)
	}
	return all
}

// path is a node with everything above it, from the root down.
func (b modelTree) path(id string) (path []string) {
	for ; id != ""; id = b[id].parent {
		path = append([]string{id}, path...)
	}
	return path
}

func (b modelTree) region(id string) string {
	if p := b.path(id); len(p) > 1 {
		return b[p[1]].class
	}
	return ""
}

// core: the container at offset 0 of a turn or of the head.
func (b modelTree) core(id string) bool {
	above := b[b[id].parent]
	return above != nil && b[id].class == "container" && b[id].offset == 0 && (above.class == "turn" ||
		above.class == "^ah")
}

// referrers are the nodes that refer to id, itself aside.
func (b modelTree) referrers(id string) []string {
	return b.list(func(i *modelNode) bool { return i.id != id && slices.Contains(i.refs, id) })
}

// largest tries every subset of the candidates and returns the largest that
// nobody outside refers to, nobody retains, and that takes children with their
// parents.
func (b modelTree) largest(candidates []string, retained map[string]bool) map[string]bool {
	if len(candidates) > 16 {
		panic("the model tries every subset: draw fewer candidates")
	}
	at := map[string]int{}
	for i, id := range candidates {
		at[id] = i
	}
	var never uint
	needs := make([]uint, len(candidates)) // who has to go as well
	for i, id := range candidates {
		if retained[id] {
			never |= 1 << i
		}
		for _, other := range slices.Concat(b.referrers(id), b.children(id)) {
			if k, in := at[other]; in {
				needs[i] |= 1 << k
			} else {
				never |= 1 << i
			}
		}
	}
	var best uint
	for set := uint(0); set < 1<<len(candidates); set++ {
		ok := set&never == 0 && bits.OnesCount(set) > bits.OnesCount(best)
		for i := 0; ok && i < len(candidates); i++ {
			ok = set>>i&1 == 0 || needs[i]&^set == 0
		}
		if ok {
			best = set
		}
	}
	gone := map[string]bool{}
	for i, id := range candidates {
		if best>>i&1 == 1 {
			gone[id] = true
		}
	}
	return gone
}

// pairs are the results of a call or the calls of a result, both of them blocks:
// one of the two refers to the other.
func (b modelTree) pairs(id string) []string {
	return b.list(func(i *modelNode) bool {
		if i.class != "block" || b[id].class != "block" {
			return false
		}
		halves := i.kind+b[id].kind == "callresult" || i.kind+b[id].kind == "resultcall"
		return halves && (slices.Contains(i.refs, id) || slices.Contains(b[id].refs, i.id))
	})
}

// due returns the nodes that expire at a cycle, with everything below them.
func (b modelTree) due(cycle int64) []string {
	set := map[string]bool{}
	for id, i := range b {
		if i.expiry <= cycle && i.class[0] != '^' && !b.core(id) {
			for _, under := range b.below(id) {
				set[under] = true
			}
		}
	}
	return b.list(func(i *modelNode) bool { return set[i.id] })
}

// model is a commit under way.
type model struct {
	modelTree
	retained map[string]bool
	removed  map[string]string // with the reason
	stubs    map[string]modelStub
	lapsed   map[string]bool // what expiry left without its other half
	cycle    int64
	next     int64 // what the next generated id counts
	last     int64 // the last created_at_ns
	counted  bool  // whether tokens are
}

func (r *model) clone() *model {
	c := *r
	c.modelTree = maps.Clone(r.modelTree)
	c.removed, c.stubs = maps.Clone(r.removed), maps.Clone(r.stubs)
	return &c
}

func (r *model) take(gone map[string]bool, reason string) {
	for id := range gone {
		if r.modelTree[id].print != "" { // what this commit made nobody has seen
			r.removed[id] = reason
		}
		delete(r.stubs, id)
	}
	r.modelTree = r.modelTree.without(gone)
}

// cascade removes the removable groups whose last child went.
func (r *model) cascade() {
	groups := r.list(func(i *modelNode) bool { return i.removable && i.class == "container" && !r.core(i.id) })
	r.take(r.largest(groups, r.retained), "cascade")
}

func (r *model) expire() {
	r.take(r.largest(r.due(r.cycle), r.retained), "expired")
	r.cascade()
}

// newModel is the model of an input, nothing done yet.
func newModel(in commit.Input) *model {
	r := &model{
		modelTree: read(in.Working), retained: map[string]bool{}, removed: map[string]string{},
		stubs: map[string]modelStub{},
		cycle: in.Stamps.Cycle, next: in.Stamps.Next, last: in.Stamps.LastNS, counted: in.Policy.Counts(),
	}
	for id := range r.modelTree {
		r.retained[id] = in.Retained != nil && in.Retained(id)
	}
	return r
}
