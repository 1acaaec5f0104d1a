package query_test

import (
	"context"
	"slices"
	"testing"

	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// An empty text is a value, and a region may carry a namespaced type.
func TestEmptyTextsAndForeignRegions(t *testing.T) {
	node := func(id, kind string, headers ...tree.Header) *tree.Node {
		return tree.NewNode(tree.Node{ID: id, Type: kind, Expiry: tree.Never, Headers: headers}, nil)
	}
	tr, err := tree.Build(1, []tree.Placed{
		{Node: node("root", "^root"), Parent: -1},
		{Node: node("seq", "^seq:x"), Parent: 0},
		{Node: node("t1", "seg"), Parent: 1},
		{Node: node("a", "block", tree.Header{Name: "role", Value: `""`}, tree.Header{Name: "kind", Value: `""`}), Parent: 2},
		{Node: node("t2", "seg"), Parent: 1},
		{Node: node("b", "block", tree.Header{Name: "role", Value: `"user"`}), Parent: 4},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		edition selector.Edition
		text    string
		want    []string
	}{
		{selector.V01, ".cb[role='']", []string{"a"}},
		{selector.V01, ".cb[kind='']", []string{"a"}},
		{selector.V01, ".cb[role!='']", []string{"b"}},
		{selector.Canonical, ".block", []string{"b", "a"}},
	} {
		plan, err := query.Compile(selector.MustParse(c.text, c.edition))
		if err != nil {
			t.Fatal(err)
		}
		got, err := plan.Run(context.Background(), tr)
		if err != nil || !slices.Equal(got.IDs(), c.want) {
			t.Errorf("%s: got %v, %v, want %v", c.text, got.IDs(), err, c.want)
		}
	}
}

// A namespaced type finds the nodes of that very nodeType too, whatever their
// kind header says (001, 003 §7.3), in either vocabulary, and so does the kind behind the colon (§3.2).
func TestANamespacedTypeFindsItsOwnNodeType(t *testing.T) {
	answers{
		{canonical, ".block:summary", "exact bare words old"},
		{canonical, "[nodeType='block:summary']", "exact bare words old"},
		{canonical, "[nodeType='cb:summary']", "exact bare words old"},
		{depth, ".cb:summary", "exact bare words old"},
		{depth, "[nodeType=['cb:summary','cb:text']]", "exact bare words old text"},
		{canonical, ".block:call", "exact"},
		{canonical, ".block[nodeType!='block:summary']", "text"},
		{canonical, ".block[kind='summary']", "exact bare words old"},
		{canonical, "[nodeType='block'][kind='summary']", "exact bare words old"},
		{canonical, ".block[kind='call']", "exact"},
		{canonical, ".block[kind!='summary']", "text"},
		{canonical, ".block[kind<'note']", "exact"},
		{canonical, ".block[kind~'^no']", "old"},
		{v01, ".cb[kind='summary']", "words"},
		{canonical, ".block:summary:first", "exact"},
		{canonical, ".block:summary[kind='note']", "old"},
		{canonical, "?? {type='cb:summary', kind=call}", "exact"},
		{v01, ".cb:summary", "exact bare old"},
		{v01, "[nodeType='cb:summary']", "exact bare old"},
	}.check(t, plant(t, 1, `
^root root
 ^sys sys
  block:summary exact kind=call
  block:summary bare
  block words kind=summary
  cb:summary old kind=note
  cb text kind=text
`))
}
