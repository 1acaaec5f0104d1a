package query_test

import (
	"context"
	"slices"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// family is a tree with members of the key K in every region: two turns, the
// newer with two members, the active head, the system header.
func family(t *testing.T) *tree.Tree {
	t.Helper()
	var nodes []tree.Placed
	add := func(parent int, id, kind string, at int64, headers ...string) int {
		n := tree.Node{ID: id, Type: kind, CreatedNS: at, Expiry: tree.Never}
		for i := 0; i < len(headers); i += 2 {
			n.Headers = append(n.Headers, tree.Header{Name: headers[i], Value: canon.String(headers[i+1])})
		}
		nodes = append(nodes, tree.Placed{Node: tree.NewNode(n, nil), Parent: parent})
		return len(nodes) - 1
	}
	root := add(-1, "root", "^root", 0)
	add(add(root, "sys", "^sys", 0), "policy", "block", 1, "key", "K")
	seq := add(root, "seq", "^seq", 0)
	add(add(seq, "old", "seg", 2), "a", "block", 3, "key", "K", "role", "user")
	turn := add(seq, "new", "seg", 4)
	add(turn, "b", "block", 5, "key", "K")
	add(turn, "c", "block", 6, "key", "K", "role", "user")
	add(turn, "other", "block", 7)
	add(add(root, "ah", "^ah", 8), "d", "block", 9, "key", "K")
	tr, err := tree.Build(1, nodes)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestSameKeySetsComeNewestFirst(t *testing.T) {
	tr := family(t)
	for _, c := range []struct {
		edition selector.Edition
		text    string
		want    []string
	}{
		{selector.V01, "[key='K']", []string{"policy", "a", "b", "c", "d"}},
		{selector.Depth, "[key='K']", []string{"d", "c", "b", "a", "policy"}},
		{selector.Canonical, "[key='K']", []string{"d", "c", "b", "a", "policy"}},
		{selector.Canonical, "#K", []string{"d", "c", "b", "a", "policy"}},
		{selector.Canonical, "#other", []string{"other"}},
		{selector.Depth, "[key='K']:depth(>0):first", []string{"c"}},
		{selector.Depth, ".cb[key='K']:last", []string{"policy"}},
		{selector.Depth, "[key='K']:nth(3)", []string{"b"}},
		{selector.Depth, "[key='K']:first[role='user']", []string{}},
		{selector.Depth, "^seq .mt .cb[key='K'][role='user']:nth(2)", []string{"a"}},
		{selector.Depth, ".mt:depth(1) .cb[key='K'], #policy", []string{"policy", "b", "c"}},
		{selector.V01, "^seq .mt .cb[key='K']:first", []string{"a", "b"}},
	} {
		plan, err := query.Compile(selector.MustParse(c.text, c.edition))
		if err != nil {
			t.Fatal(c.text, err)
		}
		got, err := plan.Run(context.Background(), tr)
		if err != nil || !slices.Equal(got.IDs(), c.want) {
			t.Errorf("%s, %s: got %v, %v, want %v", c.edition, c.text, got.IDs(), err, c.want)
		}
	}
}
