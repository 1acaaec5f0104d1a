package document

import (
	"slices"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

// Equal hashes of different contents, which only a forger of hashes can show.
func TestCollisionsAreReported(t *testing.T) {
	forged := tree.Digest{7}
	node := func(id, content string, headers ...tree.Header) tree.Placed {
		n := tree.Node{ID: id, Type: "cb", Headers: headers}
		if content != "" {
			n.Content = tree.InMemory(canon.String(content))
		}
		return tree.Placed{Node: tree.NewNode(n, &forged)}
	}
	role := func(v canon.Value) tree.Header { return tree.Header{Name: "role", Value: v} }
	data := func(v canon.Value) tree.Header { return tree.Header{Name: "data_x", Value: v} }
	other := tree.Header{Name: "x:y", Value: "1"} // which no hash covers
	for _, c := range []struct {
		name  string
		nodes []tree.Placed
		want  []string // ids of the nodes that collide
	}{
		{"the same content", []tree.Placed{node("a", "x"), node("b", "x"), node("c", "x", role(`""`)), node("d", "x", other)},
			nil},
		{"other contents", []tree.Placed{node("a", "x"), node("b", "y"), node("c", "x")}, []string{"b"}},
		{"another role", []tree.Placed{node("a", "x", role(`"user"`)), node("b", "x", role(`"tool"`))}, []string{"b"}},
		{"another attribute", []tree.Placed{node("a", "x"), node("b", "x", data("1")), node("c", "x", data("2"))},
			[]string{"b", "c"}},
		{"no content", []tree.Placed{node("a", "x"), node("b", "")}, nil},
	} {
		r := &reader{}
		r.collisions(c.nodes)
		var got []string
		for _, f := range r.findings {
			if got = append(got, f.Node); f.Code != fault.DocumentInvalid {
				t.Errorf("%s: %+v", c.name, f)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: reported %q, want %q", c.name, got, c.want)
		}
	}
}
