package verify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
)

// node is a node of a tree that is made by hand, below another by its place.
func node(parent int, id, kind string, change func(n *tree.Node)) tree.Placed {
	n := tree.Node{ID: id, Type: kind, Cycle: 1, Expiry: tree.Never}
	if change != nil {
		change(&n)
	}
	return tree.Placed{Parent: parent, Node: tree.NewNode(n, nil)}
}

// instead puts another content into a node that was made.
func instead(p tree.Placed, content canon.Value) tree.Placed {
	n := *p.Node
	n.Content = tree.InMemory(content)
	p.Node = &n
	return p
}

// Of each node it is checked whether it may stand where it is, and whether it is what its headers and its content say.
func TestDefectsOfNodes(t *testing.T) {
	says := func(content canon.Value) func(n *tree.Node) {
		return func(n *tree.Node) { n.Content = tree.InMemory(content); n.Hash, n.HashOK = n.HashWith(content) }
	}
	regions := []tree.Placed{node(-1, "root", "^root", nil), node(0, "sys", "^sys", nil), node(0, "seq", "^seq", nil), node(0, "ah", "^ah", nil)}
	const hash = "content hash"
	for name, x := range map[string]struct {
		more       []tree.Placed
		node, what string // "" for none
	}{
		"nothing":                         {nil, "", ""},
		"a text":                          {[]tree.Placed{node(1, "b", "cb", says(`"text"`))}, "", ""},
		"another text than its hash says": {[]tree.Placed{instead(node(1, "b", "cb", says(`"other"`)), `"othes"`)}, "b", hash},
		"a longer text":                   {[]tree.Placed{instead(node(1, "b", "cb", says(`"other"`)), `"others"`)}, "b", hash},
		"a text that is gone":             {[]tree.Placed{instead(node(1, "b", "cb", says(`"other"`)), "")}, "b", hash},
		"a text of a turn":                {[]tree.Placed{node(2, "t", "mt", nil), node(4, "c", "mc", nil), instead(node(5, "b", "cb", says(`"other"`)), `"othes"`)}, "b", hash},
		"members in another order":        {[]tree.Placed{node(1, "b", "cb", says(`{"b":1,"a":1}`))}, "b", "the content is not in canonical form"},
		"an id that is too long":          {[]tree.Placed{node(1, strings.Repeat("b", tree.MaxID+1), "cb", nil)}, strings.Repeat("b", tree.MaxID+1), "the id is not one that a node can have"},
		"the longest id":                  {[]tree.Placed{node(1, strings.Repeat("b", tree.MaxID), "cb", nil)}, "", ""},
		"an id that is no text":           {[]tree.Placed{node(1, "b\xff", "cb", nil)}, "b\xff", "the id is not one that a node can have"},
		"a node without an id":            {[]tree.Placed{node(1, "", "cb", nil)}, "", "the id is not one that a node can have"},
		"a block in the sequence":         {[]tree.Placed{node(2, "b", "cb", nil)}, "b", "^seq can only hold turns"},
		"a region in a region":            {[]tree.Placed{node(1, "again", "^seq", nil)}, "again", "a region can only be a child of the root"},
	} {
		built, err := tree.Build(1, append(append([]tree.Placed{}, regions...), x.more...))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		d := newVerifier(t.Context(), nil, engine.Info{}).nodes(built)
		switch {
		case d == nil && x.what != "":
			t.Errorf("%s: no defect", name)
		case d != nil && (d.Node != x.node || d.What != x.what):
			t.Errorf("%s: %+v", name, d)
		}
	}
	removable := node(-1, "root", "^root", func(n *tree.Node) { n.Headers = []tree.Header{{Name: "removable", Value: canon.True}} })
	for what, list := range map[string][]tree.Placed{tree.HasThreeRegions: regions[:3], tree.NotRemovable: append([]tree.Placed{removable}, regions[1:]...)} {
		built, err := tree.Build(1, list)
		if d := newVerifier(t.Context(), nil, engine.Info{}).nodes(built); err != nil || d == nil || d.What != what {
			t.Errorf("%+v, %v, want %s", d, err, what)
		}
	}
}

// A digest that does not fit names the nodes that the cycle added, up to fifty: the one, or those of which one has the defect.
func TestWhoIsSuspected(t *testing.T) {
	for fresh, suspects := range map[int]int{0: 0, 1: 0, 2: 2, 50: 50, 51: 0} {
		v := &verifier{}
		for n := range fresh {
			v.fresh = append(v.fresh, fmt.Sprint(n))
		}
		if d := v.suspect(&inspect.Defect{}); len(d.Suspects) != suspects || (d.Node == "0") != (fresh == 1) {
			t.Errorf("of %d nodes: %+v", fresh, d)
		}
	}
}
