package commit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
)

// halvesIn makes a tree with these blocks, each in a region or in a turn of ^seq, by name.
func halvesIn(t *testing.T, turns int, blocks []half) *tree.Tree {
	t.Helper()
	node := func(id, kind string, index int, headers ...tree.Header) *tree.Node {
		return tree.NewNode(tree.Node{ID: id, Type: kind, Index: int64(index), Expiry: tree.Never, Headers: headers}, nil)
	}
	placed := []tree.Placed{{Node: node("root", "^root", 0), Parent: -1}, {Node: node("sys", "^sys", 1)},
		{Node: node("seq", "^seq", 2)}, {Node: node("ah", "^ah", 3)}}
	at := map[string]int{"sys": 1, "ah": 3}
	for i := range turns {
		id := fmt.Sprint("t", i)
		at[id] = len(placed)
		placed = append(placed, tree.Placed{Node: node(id, "mt", 4+i), Parent: 2})
	}
	for i, b := range blocks {
		placed = append(placed, tree.Placed{Node: b.node(10_000 + i), Parent: at[b.in]})
	}
	tr, err := tree.Build(1, placed)
	must(t, err)
	return tr
}

type half struct {
	id, in, kind string
	refs         []string
}

func (h half) node(index int) *tree.Node {
	return tree.NewNode(tree.Node{ID: h.id, Type: "cb", Index: int64(index), Expiry: tree.Never, Headers: []tree.Header{
		{Name: "kind", Value: canon.String(h.kind)}, {Name: "refs", Value: canon.Strings(h.refs)}}}, nil)
}

// alone is Unpaired by its definition.
func alone(t *tree.Tree) (ids []string) {
	var blocks []*tree.Node
	for at := range sure.All(t.All()) {
		if at.Class() == tree.Block {
			blocks = append(blocks, at.Node())
		}
	}
	pair := func(call, result int) bool {
		c, r := blocks[call], blocks[result]
		return c.Kind == "call" && r.Kind == "result" && (slices.Contains(c.Refs, r.ID) || slices.Contains(r.Refs, c.ID))
	}
	for i, n := range blocks {
		paired := n.Kind != "call" && n.Kind != "result"
		for k := range blocks {
			paired = paired || k < i && pair(k, i) || i < k && pair(i, k)
		}
		if !paired {
			ids = append(ids, n.ID)
		}
	}
	return ids
}

func unpaired(t *testing.T, tr *tree.Tree) (ids []string) {
	t.Helper()
	list, err := Unpaired(t.Context(), tr)
	must(t, err)
	for _, o := range list {
		ids = append(ids, o.ID)
	}
	return ids
}

// What a turn has in itself is kept with it, so each tree is asked again after a node went.
func TestUnpairedAgreesWithModel(t *testing.T) {
	some := 0
	for seed := range uint64(testrun.Size(t, 60, 200, 5_000)) {
		r := rand.New(rand.NewPCG(seed, 5))
		turns, places := 1+r.IntN(30), []string{"sys", "ah"}
		for i := range turns {
			places = append(places, fmt.Sprint("t", i))
		}
		var blocks []half
		for i := range 2 * turns {
			h := half{id: fmt.Sprint("b", i), in: places[r.IntN(len(places))], kind: []string{"call", "result", "text"}[r.IntN(3)]}
			for range r.IntN(3) {
				h.refs = append(h.refs, fmt.Sprint("b", max(0, i+r.IntN(7)-3)))
			}
			if i > 0 && r.IntN(2) == 0 {
				h.in = blocks[i-1].in
			}
			blocks = append(blocks, h)
		}
		tr := halvesIn(t, turns, blocks)
		for len(blocks) > 0 {
			want, got := alone(tr), unpaired(t, tr)
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, %d blocks: got %v, want %v", seed, len(blocks), got, want)
			}
			some += len(want)
			at := r.IntN(len(blocks))
			tr = sure.Get(tr.Patch(1, []string{blocks[at].id}, nil))
			blocks = slices.Delete(blocks, at, at+1)
		}
	}
	if some == 0 {
		t.Error("no half was alone")
	}
}

var must = testrun.Must
