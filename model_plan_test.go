package pact_test

import (
	"context"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// modelWeight counts a snapshot node by node.
func modelWeight(t *testing.T, s *pact.Snapshot) (w inspect.Weight) {
	t.Helper()
	for e := range sure.All(tree.Of(s).All()) {
		switch e.Class() {
		case tree.Turn:
			w.Turns++
		case tree.Container:
			w.Nodes++
		case tree.Block:
			w.Nodes++
			w.Blocks++
			v, err := e.Node().Content.Value(context.Background())
			must(t, err)
			text, _ := v.Text()
			w.Tokens += int64(len(strings.Fields(text)))
		}
	}
	thread, err := s.Thread(t.Context())
	must(t, err)
	w.Bytes = int64(len(thread))
	return w
}
