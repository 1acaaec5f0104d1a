package sqlite_test

import (
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

func BenchmarkParts(b *testing.B) {
	text := write(rand.New(rand.NewPCG(1, 2)))
	w := begin(b, open(b, filepath.Join(b.TempDir(), "pact.db")))
	p := plainly(b)
	var tr, ap, pl time.Duration
	for b.Loop() {
		t0 := time.Now()
		x := tree.Edit(b.Context(), w.state.Working, w.state.Head, w.state.Stamps, w.env())
		x.Add("^ah", tree.Spec{Role: "user", Kind: "text", Content: text})
		sealed, stamps, _, _ := lifecycle.Commit(lifecycle.Input{Working: x.Tree(), Stamps: x.Stamps, Env: w.env()})
		c := store.Change{Before: w.state.Working, After: sealed.WithCycle(stamps.Cycle), Sealed: sealed, Stamps: stamps,
			Entry: store.Entry{Cycle: sealed.Cycle(), TimeNS: stamps.LastNS, Actor: "bench"}}
		t1 := time.Now()
		if err := w.store.Apply(b.Context(), w.state.Key, store.Guard{Cycle: w.state.Cycle, Revision: w.state.Revision}, c); err != nil {
			b.Fatal(err)
		}
		t2 := time.Now()
		w.state.Revision++
		w.state.Cycle, w.state.Stamps, w.state.Head, w.state.Working = sealed.Cycle(), stamps, sealed, c.After
		p.insert(b, text)
		tr, ap, pl = tr+t1.Sub(t0), ap+t2.Sub(t1), pl+time.Since(t2)
	}
	n := float64(b.N)
	b.ReportMetric(float64(tr)/n/1000, "tree-us")
	b.ReportMetric(float64(ap)/n/1000, "apply-us")
	b.ReportMetric(float64(pl)/n/1000, "plain-us")
}
