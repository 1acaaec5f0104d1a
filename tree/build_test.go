package tree_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/contexttree/pact/tree"
)

// placed lists a world for Build, parents first.
func placed(list []*record) []tree.Placed {
	at := map[string]int{"": -1}
	var nodes []tree.Placed
	for _, r := range list {
		at[r.id] = len(nodes)
		nodes = append(nodes, tree.Placed{Node: r.node(), Parent: at[r.parent]})
	}
	return nodes
}

// built makes the tree of a world without any editing.
func built(t failer, w *world) *tree.Tree {
	t.Helper()
	tr, err := tree.Build(w.cycle, placed(w.document()))
	if err != nil {
		t.Fatalf("build: %v", err)
	}
	return tr
}

// remade makes a tree again from copies of its nodes, with nothing remembered.
func remade(t failer, tr *tree.Tree) *tree.Tree {
	t.Helper()
	at := map[string]int{"": -1}
	var nodes []tree.Placed
	for e, parent := range tr.All() {
		n := *e.Node()
		n.Headers = append([]tree.Header(nil), n.Headers...)
		at[n.ID] = len(nodes)
		nodes = append(nodes, tree.Placed{Node: tree.NewNode(n, nil), Parent: at[parent]})
	}
	again, err := tree.Build(tr.Cycle(), nodes)
	if err != nil {
		t.Fatalf("build: %v", err)
	}
	return again
}

// drawImported draws a world as a foreign document may bring it: elided and
// explicit cores, unknown types with and without children, content in ^ah.
func drawImported(t *rapid.T) *world {
	w := newWorld()
	w.cycle = 3
	put := func(typ, parent string, offset int64) string {
		r := &record{typ: typ, parent: parent, offset: offset, cycle: int64(below(t, 4, "cycle")), expiry: never,
			headers: map[string]any{}}
		if r.content = pick(t, "content", contents...); namedClass(typ) != "block" {
			r.content = nil
		}
		if rarely(t, 6, "finite") {
			r.expiry = int64(1 + below(t, 6, "expiry"))
		}
		return w.put(r)
	}
	fill := func(parent string, offset int64) {
		for range below(t, 3, "blocks") {
			put(pick(t, "leaf", "block", "cb:note", "x:note"), parent, offset)
		}
	}
	group := func(parent string, offset int64) {
		if rapid.Bool().Draw(t, "group") {
			g := put(pick(t, "group type", "cont", "x:list"), parent, offset)
			fill(g, 0)
			fill(g, 1)
		}
	}
	exchange := func(turn string) {
		fill(turn, -1)
		if rapid.Bool().Draw(t, "explicit core") {
			fill(put("mc", turn, 0), 0)
			if rarely(t, 4, "a block beside it") {
				put("block", turn, 0)
			}
		} else {
			fill(turn, 0)
		}
		group(turn, 1)
	}
	fill("sys", 0)
	group("sys", 0)
	for range below(t, 4, "turns") {
		exchange(put(pick(t, "turn type", "mt", "seg", "x:turn"), "seq", 0))
	}
	exchange("ah")
	w.publish()
	w.cycle, w.next = 4, 0
	return w
}

// A node of foreign type is a container while it has children and a block
// while it has none (docs/decisions). Whatever takes the last child away and
// brings another leaves the class that a reload would give.
func TestForeignGroupsAreWhatTheirChildrenMakeThem(t *testing.T) {
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
			w := newWorld()
			w.put(&record{id: "list", typ: "x:list", parent: "sys", expiry: never})
			w.put(&record{id: "only", typ: "block", parent: "list", expiry: never, content: "c"})
			base := built(t, w)
			x := tree.Edit(background, base.WithCycle(1), base, tree.Stamps{Cycle: 1, LastNS: w.last}, w.env())
			if err := c.do(x); err != nil {
				t.Fatal(err)
			}
			got := x.Tree()
			fresh := remade(t, got)
			equal(t, "digest", got.Digest(), fresh.Digest())
			equal(t, "summary", *got.Root().Summary(), *fresh.Root().Summary())
			for e := range got.All() {
				if e.Node().Type == "x:list" {
					equal(t, "class", e.Class(), c.want)
				}
			}
		})
	}
}
