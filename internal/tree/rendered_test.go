package tree_test

import (
	"bytes"
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
	now.Content = tree.Hold(`"new"`)
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
