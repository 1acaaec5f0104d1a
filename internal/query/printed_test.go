package query_test

import (
	"context"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// evaluate puts a selector to a tree and looks at everything that comes back.
func evaluate(t *testing.T, s *selector.Selector, tr *tree.Tree) int {
	t.Helper()
	plan, err := query.Compile(s)
	if err != nil {
		t.Errorf("%s, %s: %v", s.Edition, s, err)
		return 0
	}
	r, err := plan.Run(context.Background(), tr)
	if err != nil || r.Visited < 1 || r.Visited+r.Skipped != tr.Len() {
		t.Errorf("%s, %s: visited %d and skipped %d of %d, error %v", s.Edition, s, r.Visited, r.Skipped, tr.Len(), err)
	}
	seen := map[string]bool{}
	for _, id := range r.IDs() {
		if seen[id] || !sure.Get(tr.Has(id)) {
			t.Errorf("%s, %s: %q comes twice or from nowhere", s.Edition, s, id)
		}
		seen[id] = true
	}
	x := plan.Explain()
	if x.Selector != s.String() || len(x.Groups) != len(s.Groups) {
		t.Errorf("%s, %s: explained as %+v", s.Edition, s, x)
	}
	return len(plan.Window(r.Nodes))
}

// Every selector that a document prints is evaluated, in every edition that
// reads it.
func TestPrintedSelectorsAreEvaluated(t *testing.T) {
	data, err := os.ReadFile("../../selector/testdata/printed.tsv")
	if err != nil {
		t.Fatal(err)
	}
	tr := garden(t)
	found := 0
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "# ") {
			continue
		}
		text := strings.Split(strings.TrimSuffix(line, "\n"), "\t")[2]
		for _, e := range []selector.Edition{v01, depth, canonical} {
			if s, err := selector.Parse(text, e); err == nil {
				found += evaluate(t, s, tr)
			}
		}
	}
	if found == 0 {
		t.Error("none of them finds anything")
	}
}

// Whatever parses is evaluated.
func TestPiecesOfTheLanguageAreEvaluated(t *testing.T) {
	pieces := strings.Fields(`@t0 ^seq ^ah ^sys .cb .mt .mc .cont #a [id=ask] [id=old]:first , > > * * :pre :core :post :first :last :nth(2)
		:depth(1) :depth(1-2) depth(1) d1 d2 seg cont mc[offset=0] 0 0:cb *:block *:cb.note (d2,0,*:block) (seg,mc,*:cb) (d1,?{offset=1})
		(0) (d0,seg) ? ?? {kind=note} {type=cont} within(d1,d2) ??{cycle>4} +x +y [role=user] [type=mc] [depth=1] [age<3] [sdepth=3] [key=ask]
		@limit=2 @p=2 @first @unique @order=post @order=bfs @order=path @order=turn:asc,pre @mode=latest`)
	r := rand.New(rand.NewPCG(3, 29))
	tr := garden(t)
	parsed, found := 0, 0
	for range testrun.Size(t, 8_000, 40_000, 400_000) {
		var text strings.Builder
		for range 1 + r.IntN(5) {
			text.WriteString(pieces[r.IntN(len(pieces))])
			if r.IntN(3) > 0 {
				text.WriteByte(' ')
			}
		}
		for _, e := range []selector.Edition{v01, depth, canonical} {
			if s, err := selector.Parse(text.String(), e); err == nil {
				parsed++
				found += evaluate(t, s, tr)
			}
		}
	}
	if parsed < 5_000 || found < 5_000 {
		t.Errorf("%d of the texts parse and %d nodes are found", parsed, found)
	}
}
