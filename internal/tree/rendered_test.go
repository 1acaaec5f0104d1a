package tree_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// What is kept of a turn is not used once a node of another turn for which its form asked was updated, was removed or
// came back; the older trees, which share the turn, are rendered as they were.
func TestWhatIsRenderedFollowsANodeOfAnotherTurn(t *testing.T) {
	const asked = "cb:1-1"
	form := &tree.Form{Write: func(r *tree.Rendering, part *tree.Entry, _ tree.Class) {
		if part.Node().ID != "mt:2-1" {
			return
		}
		says := canon.Value("null")
		if n := r.Node(asked); n != nil {
			says = sure.Get(n.Content.Value(r.Context()))
		}
		r.End(append(r.Begin(), says...), nil)
	}}
	list := sealTexts(t, "a", "b")
	first := list[1]
	was := sure.Get(first.Node(asked))
	now := *was
	now.Content = tree.InMemory(`"new"`)
	put := func(tr *tree.Tree, n *tree.Node) *tree.Tree {
		return sure.Get(tr.Patch(3, nil, []tree.Born{{Node: n, Parent: sure.Get(first.Parent(asked))}}))
	}
	updated := put(first, tree.NewNode(now, nil))
	removed := sure.Get(updated.Without(asked))
	versions := []struct {
		what string
		tree *tree.Tree
		says string
	}{{"as sealed", first, `"a"`}, {"updated", updated, `"new"`}, {"removed", removed, `null`},
		{"back", put(removed, was), `"a"`}}
	turn := func(tr *tree.Tree) *tree.Entry { return sure.Get(tr.Region(tree.Seq).Children().At(1)) }
	for _, round := range []string{"first", "again"} {
		for _, v := range versions {
			if turn(v.tree) != turn(first) {
				t.Fatalf("%s: the second turn is not shared", v.what)
			}
			var out bytes.Buffer
			if err := v.tree.WriteAs(background, &out, form); err != nil || out.String() != "["+v.says+"]" {
				t.Errorf("%s, %s: got %s, %v, want [%s]", round, v.what, &out, err, v.says)
			}
		}
	}
}

// What the last form wrote is kept beside a turn, and no more.
func TestATurnKeepsOneForm(t *testing.T) {
	node := func(id, nodeType string) *tree.Node {
		return tree.NewNode(tree.Node{ID: id, Type: nodeType, Expiry: tree.Never}, nil)
	}
	tr, err := tree.Build(0, []tree.Placed{{node("root", "^root"), -1}, {node("seq", "^seq"), 0}, {node("t", "seg"), 1},
		{node("b", "block"), 2}})
	must(t, err)
	written := 0
	var forms []*tree.Form
	for i := range 6 {
		forms = append(forms, &tree.Form{Write: func(r *tree.Rendering, _ *tree.Entry, _ tree.Class) {
			written++
			r.End(fmt.Appendf(r.Begin(), "%d", i), nil)
		}})
	}
	ask := func(i, want int) {
		t.Helper()
		var b bytes.Buffer
		if err := tr.WriteAs(background, &b, forms[i]); err != nil || b.String() != fmt.Sprintf("[%d]", i) ||
			written != want {
			t.Errorf("form %d: %q, %v, written %d times, want %d", i, b.String(), err, written, want)
		}
	}
	for i := range 6 {
		ask(i, i+1)
	}
	ask(5, 6)
	ask(0, 7)
	ask(0, 7)
	ask(5, 8)
}
