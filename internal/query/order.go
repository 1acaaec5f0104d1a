package query

import (
	"cmp"
	"slices"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// arrange sorts the selected nodes, which are in document order, into the order
// of a same-key set or of @order (001 §4).
func (r *run) arrange() {
	if r.plan.keySet {
		r.orderKeySet()
	}
	switch r.plan.order {
	case "post":
		r.inPostOrder()
	case "bfs":
		r.byLevel()
	case "path":
		r.byPath()
	}
}

// byLevel sorts by the distance from the root and keeps the order within a level.
func (r *run) byLevel() {
	nodes := r.result.Nodes
	ranks := make([]int, len(nodes))
	for i := range ranks {
		ranks[i] = i
	}
	slices.SortStableFunc(ranks, func(i, j int) int { return cmp.Compare(r.locations[i].level, r.locations[j].level) })
	sorted := make([]*tree.Entry, len(nodes))
	for i, n := range ranks {
		sorted[i] = nodes[n]
	}
	r.result.Nodes = sorted
}

// inPostOrder puts every node after the nodes below it.
func (r *run) inPostOrder() {
	type above struct {
		entry *tree.Entry
		level int
	}
	var open []above // nodes not yet in sorted, each an ancestor of the next
	sorted := make([]*tree.Entry, 0, len(r.result.Nodes))
	for _, e := range r.result.Nodes {
		path, err := r.tree.Path(e.Node().ID)
		r.fail(err)
		for n := len(open); n > 0; n-- {
			if top := open[n-1]; top.level < len(path) && path[top.level] == top.entry {
				break
			}
			sorted = append(sorted, open[n-1].entry)
			open = open[:n-1]
		}
		open = append(open, above{e, len(path) - 1})
	}
	for _, a := range slices.Backward(open) {
		sorted = append(sorted, a.entry)
	}
	r.result.Nodes = sorted
}

// byPath sorts by the path of ids from the root, comparing id by id as bytes.
func (r *run) byPath() {
	type addressed struct {
		entry *tree.Entry
		path  []*tree.Entry
	}
	list := make([]addressed, len(r.result.Nodes))
	for i, e := range r.result.Nodes {
		path, err := r.tree.Path(e.Node().ID)
		r.fail(err)
		list[i] = addressed{e, path}
	}
	slices.SortFunc(list, func(a, b addressed) int {
		return slices.CompareFunc(a.path, b.path, func(x, y *tree.Entry) int { return cmp.Compare(x.Node().ID, y.Node().ID) })
	})
	for i, a := range list {
		r.result.Nodes[i] = a.entry
	}
}

// Window applies the controls that leave nodes out (001 §4): @unique keeps the
// first node of each key; @limit N keeps the first N nodes or, with @p, those of
// one page; @first keeps the first of what is left. nodes are those of one
// [Result], or the caller's merger of several (docs/decisions.md). Window does not
// change the slice. Cost: O(nodes).
func (p *Plan) Window(nodes []*tree.Entry) []*tree.Entry {
	if _, ok := p.source.Control(selector.ControlUnique); ok {
		seen := make(map[string]bool)
		var kept []*tree.Entry
		for _, e := range nodes {
			if k := e.Node().KeyFacet(); !seen[k] {
				seen[k] = true
				kept = append(kept, e)
			}
		}
		nodes = kept
	}
	if limit, ok := p.source.Control(selector.ControlLimit); ok {
		page := 1
		if c, ok := p.source.Control(selector.ControlPage); ok {
			page = c.N
		}
		total := int64(len(nodes))
		begin := min(int64(page-1)*int64(limit.N), total)
		nodes = nodes[begin:min(begin+int64(limit.N), total)]
	}
	if _, ok := p.source.Control(selector.ControlFirst); ok && len(nodes) > 1 {
		nodes = nodes[:1]
	}
	return nodes
}
