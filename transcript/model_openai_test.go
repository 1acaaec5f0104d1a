package transcript

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// modelOpenAI makes the messages of a tree with nothing kept: it lists all blocks of
// the thread at once and puts together what belongs together.
func modelOpenAI(t testing.TB, tr *tree.Tree) string {
	t.Helper()
	r := renderer{ctx: context.Background(), node: func(id string) *tree.Node { return sure.Get(tr.Node(id)) }}
	var list []piece
	var walk func(e *tree.Entry, region tree.Class, turn string)
	walk = func(e *tree.Entry, region tree.Class, turn string) {
		if e.Class() == tree.Turn {
			turn = e.Node().ID
		}
		if e.Class() == tree.Block {
			p, err := r.piece(e.Node(), region, turn)
			must(t, err)
			list = append(list, p)
			return
		}
		for k := range sure.All(e.Children().All()) {
			walk(k, region, turn)
		}
	}
	for region := range sure.All(tr.Root().Children().All()) {
		walk(region, region.Class(), region.Node().ID)
	}
	rejoin(list)
	var messages []string
	for len(list) > 0 {
		n := messageLength(list)
		m, err := r.appendMessage(nil, list[:n])
		must(t, err)
		messages, list = append(messages, string(m)), list[n:]
	}
	return "[" + strings.Join(messages, ",") + "]"
}

func sameAsModel(t testing.TB, what string, tr *tree.Tree) {
	t.Helper()
	var got bytes.Buffer
	must(t, tr.WriteAs(context.Background(), &got, openAIForm))
	if want := modelOpenAI(t, tr); got.String() != want {
		t.Fatalf("%s:\n got %.2000s\nwant %.2000s", what, got.String(), want)
	}
}
