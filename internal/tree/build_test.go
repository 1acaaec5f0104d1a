package tree_test

import (
	"testing"

	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// A node of foreign type is a container while it has children and a block
// while it has none (docs/decisions.md). Whatever takes the last child away and
// brings another leaves the class that a reload would give.
func TestUnknownTypesAreContainersWhileTheyHaveChildren(t *testing.T) {
	both := func(first, second func(*tree.Editor) error) func(*tree.Editor) error {
		return func(x *tree.Editor) error {
			if err := first(x); err != nil {
				return err
			}
			return second(x)
		}
	}
	move := func(id, parent string) func(*tree.Editor) error {
		return func(x *tree.Editor) error { _, err := x.Move(id, parent, 3); return err }
	}
	addFree := func(x *tree.Editor) error { _, err := x.Add("list", tree.Spec{ID: "free"}); return err }
	remove := func(x *tree.Editor) error { return x.Remove("only") }
	for _, c := range []struct {
		rule string
		do   func(*tree.Editor) error
		want tree.Class
	}{
		{"untouched", addFree, tree.Container},
		{"the last child is removed", remove, tree.Block},
		{"the last child moves away", move("only", "^ah"), tree.Block},
		{"the last child moves within", move("only", "list"), tree.Container},
		{"a last child of this cycle moves within", both(both(addFree, remove), move("free", "list")), tree.Container},
		{"a last child of this cycle moves to a gap within", both(both(addFree, remove), func(x *tree.Editor) error {
			_, err := x.MoveAt("free", tree.Gap{Parent: "list", Edge: tree.End})
			return err
		}), tree.Container},
		{"the group moves", move("list", "^ah"), tree.Container},
	} {
		t.Run(c.rule, func(t *testing.T) {
			w := newModelTree()
			w.put(&modelNode{id: "list", typ: "x:list", parent: "sys", expiry: never})
			w.put(&modelNode{id: "only", typ: "block", parent: "list", expiry: never, content: "c"})
			base := built(t, w)
			x := tree.Edit(background, base.WithCycle(1), base, tree.Stamps{Cycle: 1, LastNS: w.last}, w.env())
			must(t, c.do(x))
			got := x.Tree()
			fresh := remade(t, got)
			equal(t, "digest", got.Digest(), fresh.Digest())
			equal(t, "summary", *got.Root().Summary(), *fresh.Root().Summary())
			for e := range sure.All(got.All()) {
				if e.Node().Type == "x:list" {
					equal(t, "class", e.Class(), c.want)
				}
			}
		})
	}
}
