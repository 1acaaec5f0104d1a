package tree_test

import (
	"context"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// TestSpecTakesJSON gives values of nodes to other nodes: as contents, as
// attributes, and inside of them.
func TestSpecTakesJSON(t *testing.T) {
	const value canon.Value = `{"a":["<&>",1.0]}`
	base, stamps, err := tree.New(threadEnv, nil)
	must(t, err)
	x := tree.Edit(context.Background(), base, base, stamps, threadEnv)
	for _, c := range []struct {
		given any
		want  canon.Value
	}{
		{value, value},
		{[]any{value, canon.Value("")}, `[{"a":["<&>",1.0]},null]`},
		{map[string]canon.Value{"x": value}, `{"x":{"a":["<&>",1.0]}}`},
		{canon.Value("NaN"), "NaN"},
	} {
		id, err := x.Add("^sys", tree.Spec{Content: c.given, Attrs: map[string]any{"data_x": c.given}})
		if err != nil {
			t.Errorf("%v: %v", c.given, err)
			continue
		}
		n := sure.Get(x.Tree().Node(id))
		if content, err := n.Content.Value(context.Background()); content != c.want || n.Header("data_x") != c.want ||
			err != nil {
			t.Errorf("%v becomes %s and %s, %v", c.given, content, n.Header("data_x"), err)
		}
	}
}
