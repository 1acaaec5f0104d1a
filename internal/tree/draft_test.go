package tree

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/contexttree/pact/internal/sure"
)

// TestDraftsAreSealedInPlace seals the same batch twice, as a tree that others may
// read and as a draft, cycle after cycle: both give the same snapshot with the same
// index, and what was there before the batch stays as it was.
func TestDraftsAreSealedInPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 8))
	now := int64(1000)
	env := Env{Vocabulary: Vocabulary{Turn: "seg", Container: "cont", Block: "block"},
		Clock: func() int64 { now++; return now }, Taken: func(string) (bool, error) { return false, nil }}
	before, stamps, err := New(env, nil)
	must(t, err)
	for range 40 {
		at := now
		batch := func() *Editor {
			now = at
			edits := rand.New(rand.NewPCG(uint64(at), 1))
			x := Edit(context.Background(), before, before, stamps, env)
			var ids []string
			for i := range 1 + edits.IntN(6) {
				s := Spec{Content: fmt.Sprint("text ", i), Offset: int64(edits.IntN(3) - 1)}
				if len(ids) > 0 && edits.IntN(3) == 0 {
					s.Refs = ids[:1]
				}
				id, err := x.Add([]string{"^ah", "^ah", "^sys"}[edits.IntN(3)], s)
				must(t, err)
				if ids = append(ids, id); edits.IntN(4) == 0 {
					must(t, x.Remove(ids[len(ids)-1]))
					ids = ids[:len(ids)-1]
				}
			}
			return x
		}
		index := indexOf(before)
		x := batch()
		want, next, err := Seal(x.Tree(), x.Stamps, env)
		must(t, err)
		x = batch()
		got, again, err := Seal(x.Draft(), x.Stamps, env)
		must(t, err)
		if got.Digest() != want.Digest() || again != next || indexOf(got) != indexOf(want) {
			t.Fatalf("cycle %d: sealed %s, want %s", stamps.Cycle, indexOf(got), indexOf(want))
		}
		if indexOf(before) != index {
			t.Fatalf("cycle %d: the tree before the batch has another index", stamps.Cycle)
		}
		if r.IntN(5) > 0 { // sometimes the cycle is begun anew
			before, stamps = got.WithCycle(next.Cycle), next
		}
	}
}

// indexOf writes out what the index says of every node that is or was there.
func indexOf(t *Tree) string {
	text := ""
	for p := range sure.All(t.All()) {
		e, parent := p.Entry, p.Parent
		id := e.Node().ID
		text += fmt.Sprintln(id, parent, sure.Get(t.Parent(id)), sure.Get(t.Node(id)) == e.Node(), sure.Get(t.Entry(id)) == e)
		for _, to := range e.Node().Refs {
			found := false
			for from := range sure.All(t.Referrers(to)) {
				found = found || from == id
			}
			text += fmt.Sprintln(id, "refers to", to, found)
		}
	}
	return text + fmt.Sprint(t.ids.size, t.refs.size)
}
