package query_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

var editions = []selector.Edition{selector.V01, selector.Depth, selector.Canonical}

var withPublished = append(slices.Clone(editions), selector.V1)

// TestPlannedAgreesWithNaive compares the engine with the evaluator of this
// package's tests on random trees, in every edition.
func TestPlannedAgreesWithNaive(t *testing.T) {
	rounds := testrun.Size[uint64](t, 100, 300, 5000)
	for _, e := range withPublished {
		t.Run(string(e), func(t *testing.T) {
			asked, found := 0, 0
			for seed := range rounds {
				r := rand.New(rand.NewPCG(seed, 7))
				tr := sketchTree(t, r, 5)
				if seed%12 == 11 {
					tr = sketchWide(t, r)
				}
				w := flatten(tr, e)
				for range 20 {
					text := genSelector(r, w)
					s, err := selector.Parse(text, e)
					for err != nil && w.traits.Fragments { // which does not read all that the others do
						text = genSelector(r, w)
						s, err = selector.Parse(text, e)
					}
					if err != nil {
						t.Fatalf("seed %d: %s: %v", seed, text, err)
					}
					want := compare(t, tr, w, s)
					asked++
					found += min(1, len(want))
					if t.Failed() {
						t.Fatalf("seed %d: %s", seed, text)
					}
				}
			}
			if found*4 < asked {
				t.Errorf("%d of %d selectors found something", found, asked)
			}
		})
	}
}

// runPlan compiles and runs a selector.
func runPlan(t testing.TB, tr *tree.Tree, s *selector.Selector) (*query.Plan, query.Result) {
	t.Helper()
	plan, err := query.Compile(s)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	result, err := plan.Run(context.Background(), tr)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return plan, result
}

// compare runs a selector both ways, as far as its order and as far as its
// window, and returns the ids it finds.
func compare(t testing.TB, tr *tree.Tree, w *model, s *selector.Selector) []string {
	t.Helper()
	plan, result := runPlan(t, tr, s)
	all := w.selection(s)
	if got, want := result.IDs(), idsOf(all); !slices.Equal(got, want) {
		t.Errorf("%s, %s\n got %q\nwant %q\n%s", s.Edition, s, got, want, show(tr))
	}
	want := idsOf(window(s, all))
	result.Nodes = plan.Window(result.Nodes)
	if got := result.IDs(); !slices.Equal(got, want) {
		t.Errorf("%s, %s, the window\n got %q\nwant %q", s.Edition, s, got, want)
	}
	return want
}

// TestWhereAgreesWithNaive compares what Where keeps: what a selector finds
// and what is below that, elided cores among it.
func TestWhereAgreesWithNaive(t *testing.T) {
	kept, dropped := 0, 0
	for seed := range testrun.Size[uint64](t, 60, 300, 3000) {
		r := rand.New(rand.NewPCG(seed, 8))
		tr := sketchTree(t, r, 4)
		e := editions[seed%3]
		w := flatten(tr, e)
		for range 20 {
			s := selector.MustParse(genSelector(r, w), e)
			_, result := runPlan(t, tr, s)
			belowSome(t, r, tr, w, s, result)
			cover := result.Subtrees(tr)
			under := w.covered(s)
			for _, x := range w.real {
				if got, want := sure.Get(cover.Has(sure.Get(tr.Entry(x.node.ID)))), under[x]; got != want {
					t.Fatalf("%s, %s: %s: %v\n%s", e, s, x.node.ID, got, show(tr))
				} else if want {
					kept++
				} else {
					dropped++
				}
			}
		}
	}
	if kept < 1000 || dropped < 1000 {
		t.Errorf("%d nodes are kept, %d are not", kept, dropped)
	}
}

// belowSome holds RunBelow to what a run finds of the nodes asked for and of those below them, where a selector is local.
func belowSome(t *testing.T, r *rand.Rand, tr *tree.Tree, w *model, s *selector.Selector, whole query.Result) {
	t.Helper()
	plan, err := query.Compile(s)
	if err != nil || !plan.Local() {
		return
	}
	ids := []string{"nobody"}
	for range 1 + r.IntN(4) {
		ids = append(ids, pick(r, w.real...).node.ID)
	}
	want := slices.DeleteFunc(slices.Clone(whole.Nodes), func(e *tree.Entry) bool {
		return !slices.ContainsFunc(sure.Get(tr.Path(e.Node().ID)), func(a *tree.Entry) bool { return slices.Contains(ids, a.Node().ID) })
	})
	if got, err := plan.RunBelow(context.Background(), tr, ids); err != nil || !slices.Equal(got.Nodes, want) {
		t.Fatalf("%s among %q: got %q, %v, want %q\n%s", s, ids, got.IDs(), err, query.Result{Nodes: want}.IDs(), show(tr))
	}
}
