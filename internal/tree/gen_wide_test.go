package tree_test

import (
	"errors"
	"math/rand"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/tree"
)

// The drawn trees are small. These are wide enough for lists of several
// levels and for threads that are kept and written in pieces.

// genWide is a context with a long ^sys and a long history, contents from
// nothing to more than any buffer.
func genWide(rng *rand.Rand) *modelTree {
	w := newModelTree()
	w.cycle = 1
	leaf := func(parent string, offset int64) {
		r := &modelNode{typ: "block", parent: parent, offset: offset, cycle: 1, expiry: never, headers: map[string]any{}}
		switch rng.Intn(60) {
		case 0:
			r.content = strings.Repeat("long ", 9000)
		case 1, 2:
			r.content = strings.Repeat("ü", 300)
		default:
			r.content = strings.Repeat("x", rng.Intn(12))
		}
		if rng.Intn(3) == 0 {
			r.headers["role"] = "tool"
		}
		if rng.Intn(12) == 0 {
			r.expiry = int64(rng.Intn(9))
		}
		w.put(r)
	}
	for range rng.Intn(240) {
		leaf("sys", int64(rng.Intn(3)))
	}
	for range rng.Intn(80) {
		turn := w.put(&modelNode{typ: "seg", parent: "seq", cycle: 1, expiry: never})
		if core := w.put(&modelNode{typ: "cont", parent: turn, cycle: 1, expiry: never}); rng.Intn(5) > 0 {
			leaf(core, 0)
		}
		for range rng.Intn(3) {
			leaf(turn, int64(rng.Intn(3)-4))
		}
	}
	w.publish()
	w.cycle, w.next = 2, 0
	return w
}

// genEdits edits a wide context here and there, in the package and the model.
func genEdits(t *testing.T, rng *rand.Rand, r *version, edits int) version {
	t.Helper()
	w := r.world.frozen()
	w.sorted, w.history = nil, map[string]bool{}
	x := tree.Edit(background, r.tree.WithCycle(w.cycle), r.tree, tree.Stamps{Cycle: w.cycle, LastNS: w.last}, w.env())
	all := ids(w.document())
	for range edits {
		id := all[rng.Intn(len(all))]
		o := op{Call: "Add", Parent: "^sys", Spec: tree.Spec{Offset: int64(rng.Intn(5) - 1), Content: "new"}}
		switch rng.Intn(5) {
		case 0:
			o = op{Call: "Remove", ID: id}
		case 1:
			o = op{Call: "Update", ID: id, Set: map[string]any{"content": "other"}}
		case 2:
			o = op{Call: "Add", Parent: id, Spec: tree.Spec{Offset: 1}}
		case 3:
			o = op{Call: "Move", ID: id, Parent: "^sys", Offset: 1}
		}
		got, err := o.edit(x)
		want, no := o.model(w)
		if !admits(no, err) || got != want {
			t.Fatalf("%v\n got %q, %v\nwant %q, %s", o, got, err, want, expected(no))
		}
	}
	tr := x.Tree()
	return version{tree: tr, world: w.frozen(), digest: tr.Digest()}
}

var errFull = errors.New("full")
