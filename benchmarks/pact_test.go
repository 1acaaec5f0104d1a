package benchmarks

import (
	"context"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// buildPact makes the tree of this project.
func buildPact(n int) *tree.Tree {
	var nodes []tree.Placed
	cycle := int64(0)
	conversation(n, func(_ int, it item) {
		node := tree.Node{ID: it.id, Type: it.nodeType, Offset: it.offset, Priority: it.priority, Cycle: it.cycle,
			CreatedNS: int64(len(nodes)), Index: it.index, Expiry: tree.Never}
		if it.ttl >= 0 {
			node.Expiry = it.ttl // completed below, when the cycle of the tree is known
		}
		for _, h := range []struct{ name, value string }{{"role", it.role}, {"kind", it.kind}, {"key", it.key}} {
			if h.value != "" {
				node.Headers = append(node.Headers, tree.Header{Name: h.name, Value: canon.String(h.value)})
			}
		}
		if it.tags != nil {
			node.Headers = append(node.Headers, tree.Header{Name: "tags", Value: canon.Value("[" + canon.String(it.tags[0]) +
				"]")})
		}
		if it.content != "" {
			node.Content = tree.InMemory(canon.String(it.content))
		}
		nodes = append(nodes, tree.Placed{Node: &node, Parent: it.parent})
		cycle = max(cycle, it.cycle)
	})
	for i, p := range nodes {
		if p.Node.Expiry != tree.Never {
			p.Node.Expiry += cycle
		}
		nodes[i].Node = tree.NewNode(*p.Node, nil)
	}
	t, err := tree.Build(cycle, nodes)
	if err != nil {
		panic(err)
	}
	return t
}

func openPact(n int) prepare { return pactOver(buildPact(n)) }

func pactOver(t *tree.Tree) prepare {
	return func(text string, _ bool) asked {
		plan, err := query.Compile(selector.MustParse(text, selector.Depth))
		if err != nil {
			panic(err)
		}
		run := func() query.Result {
			r, err := plan.Run(context.Background(), t)
			if err != nil {
				panic(err)
			}
			return r
		}
		return asked{
			run: func() int { return len(run().Nodes) },
			ids: func() []string { return run().IDs() },
		}
	}
}

// bareLoop is measured beside a scan: a loop over all nodes, written
// by hand, that tests one field of each and keeps those that pass. Of the ways
// to walk a tree this is the fastest.
func bareLoop(t *tree.Tree, keep func(*tree.Node) bool) []*tree.Entry {
	var kept []*tree.Entry
	var visit func(*tree.Entry)
	visit = func(e *tree.Entry) {
		if keep(e.Node()) {
			kept = append(kept, e)
		}
		if kids := e.Children(); kids != nil {
			for k := range sure.All(kids.All()) {
				visit(k)
			}
		}
	}
	visit(t.Root())
	return kept
}
