package query_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

func TestLocal(t *testing.T) {
	for text, want := range map[string]bool{
		".cb": true, "^seq .mt :pre .cb[role='user']": true, ".mc > .cb[ttl<=1]": true, "[data_x>5]": true, ".mt, #x": true,
		"+a":                      true,
		"?? {tag='a'} @order=bfs": true, "@t0..@t-1 .cb @mode=reduce": true, "@t0 [sdepth=2]": true,
		"@t0 [born_turn=2]": true,
		".cb:first":         false, ".mt:depth(1) .cb": false, "(d1, *:cb)": false,
		"@t0 [age<2]": false, "@t0 [depth=1]": false,
		"@t0 [depth!=null]": false,
		".cb @first":        false, ".cb @limit=1": false, ".cb @unique": false, "[key='a']": false,
	} {
		plan, err := query.Compile(selector.MustParse(text, selector.Depth))
		if err != nil {
			t.Fatal(err)
		}
		if plan.Local() != want {
			t.Errorf("%s: local is %v", text, !want)
		}
	}
}

// Among finds, of what Run finds, the nodes asked for and those below them.
func TestAmong(t *testing.T) {
	found := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 5))
		tr := garden(t)
		var all []string
		for e := range sure.All(tr.All()) {
			all = append(all, e.Node().ID)
		}
		var ids []string
		for range 1 + r.IntN(4) {
			ids = append(ids, all[r.IntN(len(all))])
		}
		for _, text := range []string{"*", ".block", ".cont", ".seg > .block", "^seq .cont .block", ":core .block",
			"[role='user'], ^ah *", "[kind=text] +a", "^root > *"} {
			plan, err := query.Compile(selector.MustParse(text, canonical))
			if err != nil {
				t.Fatal(err)
			}
			whole, err := plan.Run(context.Background(), tr)
			if err != nil {
				t.Fatal(err)
			}
			want := slices.DeleteFunc(whole.Nodes, func(e *tree.Entry) bool {
				return !slices.ContainsFunc(sure.Get(tr.Path(e.Node().ID)), func(a *tree.Entry) bool {
					return slices.Contains(ids,
						a.Node().ID)
				})
			})
			got, err := plan.RunBelow(context.Background(), tr, append(ids, "nobody"))
			if err != nil || !slices.Equal(got.Nodes, want) {
				t.Fatalf("seed %d, %s among %q: got %q, want %q", seed, text, ids, got.IDs(), query.Result{Nodes: want}.IDs())
			}
			found += len(want)
		}
	}
	if found < 300 {
		t.Errorf("only %d nodes were found", found)
	}
}
