package engine_test

import (
	"runtime"
	"testing"
	"weak"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/zstd"
	"github.com/contexttree/pact/store"
)

// TestCreateHoldsNoTreeOfItsChanges: a long import has the trees of two neighbours in memory at a time.
func TestCreateHoldsNoTreeOfItsChanges(t *testing.T) {
	source := engine.New(shared{store.NewMemory()}, zstd.Packing)
	w := begin(t, source, "source")
	const cycles = 40
	for i := range cycles {
		must(t, w.commit(said(i)))
	}
	st, err := source.Load(background, w.key)
	must(t, err)
	var first *tree.Tree
	var seen []weak.Pointer[tree.Tree]
	alive := 0
	g := engine.Creation{Name: "made", Edition: "canonical", Imported: true}
	g.Changes = func(yield func(engine.Change, error) bool) {
		before := first.WithCycle(2)
		for now, err := range source.History(background, w.key, 2, cycles) {
			c := engine.Change{Before: before, Sealed: now, After: now.WithCycle(now.Cycle() + 1),
				Stamps: tree.Stamps{Cycle: now.Cycle() + 1, Given: st.Stamps.Given}, Entry: history.Entry{Cycle: now.Cycle()}}
			seen = append(seen, weak.Make(now))
			if before = c.After; !yield(c, err) {
				return
			}
		}
		runtime.GC()
		for _, p := range seen {
			if p.Value() != nil {
				alive++
			}
		}
	}
	first, err = engine.Snapshot(background, source, w.key, 1)
	must(t, err)
	g.Tree, g.Stamps = first, tree.Stamps{Cycle: 2, Given: st.Stamps.Given}
	to := engine.New(shared{store.NewMemory()}, zstd.Packing)
	info, err := to.Create(background, g)
	must(t, err)
	if alive > 3 {
		t.Errorf("of %d snapshots %d are in memory when the last one is read", cycles, alive)
	}
	want, err := threads(source, w.key)
	must(t, err)
	got, err := threads(to, info.Key)
	must(t, err)
	if len(got) != cycles || got[cycles-1] != want[cycles-1] {
		t.Errorf("%d snapshots, the last is %q", len(got), got[len(got)-1])
	}
	must(t, to.Close())
	must(t, source.Close())
}
