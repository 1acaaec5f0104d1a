package record

import (
	"context"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

// reading is a content that calls a function.
type reading func(context.Context) (canon.Value, error)

// Read implements [tree.Source].
func (f reading) Read(ctx context.Context) (canon.Value, error) { return f(ctx) }

// A block that many calls send is read from the store and parsed once; one that
// changed under its id is read again, and one without a hash each time.
func TestEachContentIsReadOnce(t *testing.T) {
	reads := 0
	node := func(hash byte, text string) *tree.Node {
		n := &tree.Node{ID: "block", HashOK: hash > 0, Hash: tree.Digest{hash}}
		n.Content = tree.From(len(text), reading(func(context.Context) (canon.Value, error) {
			reads++
			return canon.Value(text), nil
		}))
		return n
	}
	known := contents{}
	for i, c := range []struct {
		node  *tree.Node
		says  string
		reads int
	}{
		{node(1, `["a"]`), `["a"]`, 1}, {node(1, `["a"]`), `["a"]`, 1}, {node(2, `"b"`), `"b"`, 2},
		{node(1, `["a"]`), `["a"]`, 2}, {node(0, `"c"`), `"c"`, 3}, {node(0, `"d"`), `"d"`, 4}, {node(2, `"b"`), `"b"`, 4},
	} {
		got, err := known.content(t.Context(), c.node)
		if err != nil || string(got.Value()) != c.says || reads != c.reads {
			t.Errorf("%d: %s after %d reads, want %s after %d; %v", i, got.Value(), reads, c.says, c.reads, err)
		}
	}
}
