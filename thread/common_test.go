package thread_test

import (
	"context"
	"testing"

	"github.com/contexttree/pact/thread"
	"github.com/contexttree/pact/tree"
)

// What is not rendered ends no prefix: headers that no thread has, and an empty
// text in place of no content. What is rendered does, wherever it comes from.
func TestOnlyRenderedBytesEndAPrefix(t *testing.T) {
	older := grow(t, "a", "b")[1]
	x := tree.Edit(context.Background(), older.WithCycle(3), older, tree.Stamps{Cycle: 3, LastNS: 100}, env)
	add(t, x, "^sys", tree.Spec{ID: "note"})
	for name, c := range map[string]struct {
		set    map[string]any
		blocks int
	}{
		"a priority":    {map[string]any{"priority": 7}, 4},
		"an empty text": {map[string]any{"content": ""}, 4},
		"a text":        {map[string]any{"content": "x"}, 1},
	} {
		before := x.Tree()
		y := tree.Edit(context.Background(), before, older, tree.Stamps{Cycle: 3, LastNS: 200}, env)
		if err := y.Update("note", c.set); err != nil {
			t.Fatal(err)
		}
		p, err := thread.Common(context.Background(), before, y.Tree())
		if err != nil {
			t.Fatal(err)
		}
		if p.Blocks != c.blocks || p.Complete() != (c.blocks == 4) {
			t.Errorf("%s: %d blocks are the same, want %d", name, p.Blocks, c.blocks)
		}
	}
}
