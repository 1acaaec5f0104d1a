package tree_test

import (
	"context"
	"errors"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// reading is a content that calls a function.
type reading func(context.Context) (canon.Value, error)

// Read implements [tree.Source].
func (f reading) Read(ctx context.Context) (canon.Value, error) { return f(ctx) }

var errAway = fault.Wrap(fault.Store, errors.New("away"), "the store does not answer", "")

// loaded is a snapshot whose contents are in a store that does not answer:
// a group in ^sys with a block that is held and one that is not.
func loaded(t *testing.T) (*tree.Tree, *modelTree) {
	t.Helper()
	w := newModelTree()
	w.put(&modelNode{id: "list", typ: "cont", parent: "sys", expiry: never})
	w.put(&modelNode{id: "held", typ: "block", parent: "list", expiry: never, content: "here"})
	w.put(&modelNode{id: "away", typ: "block", parent: "list", expiry: never, content: "there"})
	nodes := placed(w.document())
	for i, p := range nodes {
		if p.Node.ID != "away" {
			continue
		}
		n := *p.Node
		n.Content = tree.From(n.Content.Size(), reading(func(context.Context) (canon.Value, error) { return "", errAway }))
		nodes[i].Node = tree.NewNode(n, &p.Node.Hash)
	}
	tr, err := tree.Build(1, nodes)
	must(t, err)
	return tr, w
}

// An edit that the store lets down half way is not done at all.
func TestFailingStoreLeavesNothingBehind(t *testing.T) {
	noIDs := func(string) (bool, error) { return false, errAway }
	cases := []struct {
		rule  string
		taken func(string) (bool, error)
		do    func(*tree.Editor) error
	}{
		{"moving a block whose content is away", nil, func(x *tree.Editor) error {
			_, err := x.Move("away", "^ah",
				1)
			return err
		}},
		{"moving a group with such a block in it", nil, func(x *tree.Editor) error {
			_, err := x.Move("list", "^ah",
				1)
			return err
		}},
		{"moving such a group to a gap", nil, func(x *tree.Editor) error {
			_, err := x.MoveAt("list", tree.Gap{Parent: "^sys", Edge: tree.End})
			return err
		}},
		{"updating a block whose content is away", nil, func(x *tree.Editor) error {
			return x.Update("away",
				map[string]any{"priority": 1})
		}},
		{"generating an id", noIDs, func(x *tree.Editor) error { _, err := x.Add("^sys", tree.Spec{}); return err }},
		{"generating an id behind one that is there", noIDs, func(x *tree.Editor) error {
			_, err := x.Add("^sys",
				tree.Spec{NodeType: "block:x"})
			return err
		}},
		{"looking an id up", noIDs, func(x *tree.Editor) error {
			_, err := x.Add("^sys",
				tree.Spec{ID: "block:7-7"})
			return err
		}},
		{"generating the id of what moves", noIDs, func(x *tree.Editor) error {
			_, err := x.Move("held", "^ah",
				1)
			return err
		}},
	}
	for _, c := range cases {
		t.Run(c.rule, func(t *testing.T) {
			base, w := loaded(t)
			env := w.env()
			if c.taken != nil {
				env.Taken = func(id string) (bool, error) {
					if id == "block:x:2-1" {
						return false, nil
					}
					return c.taken(id)
				}
			}
			begun := func() *tree.Editor { // in the middle of a batch
				x := tree.Edit(background, base.WithCycle(2), base, tree.Stamps{Cycle: 2, LastNS: w.last, Given: 2}, env)
				_, err := x.Add("^ah", tree.Spec{ID: "block:x:2-1", NodeType: "block:x"})
				must(t, err)
				return x
			}
			x, untouched := begun(), begun()
			if err := c.do(x); !errors.Is(err, fault.Store) {
				t.Errorf("got %v, want %s", err, fault.Store)
			}
			equal(t, "stamps", x.Stamps, untouched.Stamps)
			got, want := x.Tree(), untouched.Tree()
			equal(t, "digest", got.Digest(), want.Digest())
			for _, id := range []string{"list", "held", "away", "block:x:2-1", "cont:2-1", "block:2-1", "block:2-2"} {
				equal(t, "parent of "+id, sure.Get(got.Parent(id)), sure.Get(want.Parent(id)))
			}
		})
	}
}

func TestFailingSealChangesNothing(t *testing.T) {
	base, w := loaded(t)
	env := w.env()
	env.Taken = func(string) (bool, error) { return false, errAway }
	before := tree.Stamps{Cycle: 2, LastNS: w.last, Given: 2}
	tr, stamps, err := tree.Seal(base, before, env)
	if tr != nil || !errors.Is(err, fault.Store) {
		t.Errorf("got %v and a tree %v, want %s and none", err, tr != nil, fault.Store)
	}
	equal(t, "stamps", stamps, before)
	equal(t, "digest", base.Digest(), built(t, w).Digest())
}

// Which of several faults of one update is reported does not depend on luck.
func TestUpdateReportsTheSameFaultEveryTime(t *testing.T) {
	b := newSecondCycle(t)
	set := map[string]any{"role": 1, "kind": 2, "key": 3, "speed": 4, "id": 5, "ttl": -1, "priority": "x"}
	first := b.Update("rule", set)
	for range 50 {
		if err := b.Update("rule", set); err == nil || err.Error() != first.Error() {
			t.Fatalf("got %v\nthen %v", first, err)
		}
	}
}

// A value that stands for none is the same as none, in whatever way it comes.
func TestAbsentValuesAreNone(t *testing.T) {
	digest := func(s tree.Spec) tree.Digest {
		b := newSecondCycle(t)
		s.ID = "a"
		_, err := b.Add("^sys", s)
		must(t, err)
		return b.Tree().Digest()
	}
	want := digest(tree.Spec{})
	var nothing *int
	for name, s := range map[string]tree.Spec{
		"null as content":               {Content: canon.Null},
		"no value as content":           {Content: canon.Value("")},
		"a nil pointer as content":      {Content: nothing},
		"null as an attribute":          {Attrs: map[string]any{"data_x": nil}},
		"no value as an attribute":      {Attrs: map[string]any{"data_x": canon.Value("")}},
		"a nil pointer as an attribute": {Attrs: map[string]any{"data_x": nothing}},
		"no tags and no refs":           {Tags: []string{}, Refs: []string{}},
	} {
		if got := digest(s); got != want {
			t.Errorf("%s: got digest %v, want that of a node without it", name, got)
		}
	}
}
