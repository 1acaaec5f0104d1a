package differ_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// genHistory makes a few snapshots and working states by random edits.
func genHistory(t *testing.T, seed uint64) []*tree.Tree {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	now := int64(0)
	env := tree.Env{Vocabulary: tree.Vocabulary{Turn: "mt", Container: "mc", Block: "cb"},
		Clock: func() int64 { now++; return now },
		Taken: func(string) (bool, error) { return false, nil }}
	working, stamps, err := tree.New(env, nil)
	must(t, err)
	base := working
	var all []*tree.Tree
	for range 6 {
		x := tree.Edit(context.Background(), working.WithCycle(stamps.Cycle), base, stamps, env)
		for range r.IntN(9) {
			ids := []string{"^sys", "^ah"}
			for e := range sure.All(x.Tree().All()) {
				ids = append(ids, e.Node().ID)
			}
			id, other := ids[r.IntN(len(ids))], ids[r.IntN(len(ids))]
			spec := tree.Spec{Role: "user", Kind: "text", Offset: int64(r.IntN(3) - 1), Content: r.IntN(3)}
			if r.IntN(3) == 0 { // refused where it stands already
				spec.Key = []string{"K", "L"}[r.IntN(2)]
			}
			if r.IntN(2) == 0 {
				spec.TTL = new(int64(r.IntN(4)))
			}
			if r.IntN(4) == 0 {
				spec = tree.Spec{NodeType: "mc", Offset: 1, Removable: r.IntN(2) == 0}
			}
			switch r.IntN(5) { // refused edits leave the tree alone
			case 0:
				_ = x.Remove(id)
			case 1:
				_, _ = x.Move(id, other, int64(r.IntN(3)-1))
			case 2:
				_ = x.Update(id, map[string]any{"content": r.IntN(5), "data_x": r.IntN(2), "tags": []string{fmt.Sprint(r.IntN(2))}})
			default:
				_, _ = x.Add(id, spec)
			}
		}
		all = append(all, x.Tree())
		sealed, after, _, err := commit.Run(context.Background(), commit.Input{Working: x.Tree(), Stamps: x.Stamps,
			Env: env})
		must(t, err)
		working, base, stamps = sealed, sealed, after
		all = append(all, sealed)
	}
	return all
}
