package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
)

// genNode is a node of a random history: its place, and what selectors ask of it.
type genNode struct {
	id, parent, typ, role, kind, key string
	offset, expiry                   int64
}

var genRoles, genKinds, genKeys = []string{"", "user", "tool"}, []string{"text", "note"}, []string{"", "", "k", "l"}

// genHistory makes snapshots of consecutive cycles, newest first. From each to the next nodes
// come, go with what is below them, move to another turn, and change.
func genHistory(t testing.TB, r *rand.Rand) (trees []*tree.Tree) {
	t.Helper()
	nodes := []genNode{{id: "root", typ: "^root"}, {id: "sys", parent: "root", typ: "^sys"},
		{id: "seq", parent: "root", typ: "^seq"}, {id: "ah", parent: "root", typ: "^ah"}}
	next := 0
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	turnOrHead := func() string {
		for {
			if n := nodes[r.IntN(len(nodes))]; n.typ == "seg" || n.typ == "^ah" {
				return n.id
			}
		}
	}
	change := func(n *genNode, cycle int64) {
		n.role, n.kind, n.key, n.expiry = pick(genRoles), pick(genKinds), pick(genKeys), tree.Never
		if r.IntN(3) == 0 {
			n.expiry = cycle + 1 + r.Int64N(4)
		}
	}
	block := func(parent string, offset, cycle int64) {
		next++
		n := genNode{id: fmt.Sprint("b", next), parent: parent, typ: "block", offset: offset}
		change(&n, cycle)
		nodes = append(nodes, n)
	}
	for cycle := int64(1); cycle <= 2+r.Int64N(6); cycle++ {
		turn := fmt.Sprint("turn", cycle)
		nodes = append(nodes, genNode{id: turn, parent: "seq", typ: "seg"},
			genNode{id: turn + "core", parent: turn, typ: "cont"})
		block(turn+"core", 0, cycle)
		for range 2 + r.IntN(4) {
			switch i := r.IntN(len(nodes)); {
			case r.IntN(2) == 0:
				block(turnOrHead(), 1, cycle)
			case nodes[i].typ == "block" && nodes[i].offset == 1 && r.IntN(2) == 0:
				nodes[i].parent = turnOrHead()
			case nodes[i].typ == "block":
				change(&nodes[i], cycle)
			case nodes[i].typ == "seg" && r.IntN(3) == 0:
				gone := nodes[i].id
				nodes = slices.DeleteFunc(nodes, func(n genNode) bool {
					return n.id == gone || n.id == gone+"core" || n.parent == gone || n.parent == gone+"core"
				})
			}
		}
		nodes = slices.DeleteFunc(nodes, func(n genNode) bool { return n.typ == "block" && n.expiry <= cycle })
		trees = slices.Insert(trees, 0, genTree(t, cycle, nodes))
	}
	return trees
}

// genTree makes the tree of some nodes, parents before children.
func genTree(t testing.TB, cycle int64, nodes []genNode) *tree.Tree {
	t.Helper()
	var placed []tree.Placed
	at := map[string]int{"": -1}
	for len(placed) < len(nodes) {
		for i, n := range nodes {
			parent, ready := at[n.parent]
			if _, done := at[n.id]; done || !ready {
				continue
			}
			made := tree.Node{ID: n.id, Type: n.typ, Offset: n.offset, CreatedNS: int64(i), Expiry: n.expiry}
			if n.typ != "block" {
				made.Expiry = tree.Never
			}
			for name, value := range map[string]string{"role": n.role, "kind": n.kind, "key": n.key} {
				if value != "" {
					made.Headers = append(made.Headers, tree.Header{Name: name, Value: canon.String(value)})
				}
			}
			slices.SortFunc(made.Headers, func(a, b tree.Header) int {
				return slices.Index([]string{"key", "kind", "role"}, a.Name) - slices.Index([]string{"key", "kind", "role"}, b.Name)
			})
			at[n.id] = len(placed)
			placed = append(placed, tree.Placed{Node: tree.NewNode(made, nil), Parent: parent})
		}
	}
	made, err := tree.Build(cycle, placed)
	must(t, err)
	return made
}

var must = testrun.Must
