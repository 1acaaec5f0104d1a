package engine_test

import (
	"errors"
	"runtime"
	"testing"
	"weak"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/zstd"
	"github.com/contexttree/pact/store"
)

// conversation commits some turns and settles them.
func conversation(t *testing.T, cycles int) (*engine.Engine, *writer) {
	e := engine.NewHasty(shared{store.NewMemory()}, zstd.Packing)
	w := begin(t, e, "long")
	for i := range cycles {
		must(t, w.commit(said(i)))
		must(t, e.Settle(background, w.key))
	}
	return e, w
}

func TestPairsAreTheNeighboursOfAHistory(t *testing.T) {
	const cycles = 40
	e, w := conversation(t, cycles)
	want, err := engine.Collect(e.History(background, w.key, 1, cycles))
	must(t, err)
	for _, window := range []int64{1, 2, 7, 39, 40, 1000} {
		for _, ends := range [][2]int64{{1, cycles}, {5, 5}, {5, 6}, {8, 36}} {
			at := ends[0]
			for p, err := range engine.Pairs(background, e, w.key, ends[0], ends[1], window) {
				must(t, err)
				if p.Now.Digest() != want[at-1].Digest() || p.Now.Cycle() != at {
					t.Fatalf("windows of %d: another snapshot than that of cycle %d", window, at)
				}
				if (p.Before == nil) != (at == ends[0]) || p.Before != nil && p.Before.Digest() != want[at-2].Digest() {
					t.Fatalf("windows of %d: another snapshot before that of cycle %d", window, at)
				}
				at++
			}
			if at != ends[1]+1 {
				t.Errorf("windows of %d: the last of %v is that of cycle %d", window, ends, at-1)
			}
		}
	}
	if _, err := engine.Collect(e.History(background, w.key, 1, cycles+1)); fault.CodeOf(err) != fault.SnapshotNotFound {
		t.Fatal(err)
	}
	for _, err := range engine.Pairs(background, e, w.key, 1, cycles+1, 10) {
		if err != nil && fault.CodeOf(err) != fault.SnapshotNotFound {
			t.Error(err)
		}
	}
	must(t, e.Close())
}

// TestPairsTellOfAnErasure: an erasure while a caller goes through a history is an error in a later window, or
// the snapshots still to come are those from before it.
func TestPairsTellOfAnErasure(t *testing.T) {
	e, w := conversation(t, 30)
	before, err := engine.Collect(e.History(background, w.key, 1, 30))
	must(t, err)
	for p, err := range engine.Pairs(background, e, w.key, 1, 30, 5) {
		if err != nil {
			if !errors.Is(err, fault.Conflict) {
				t.Fatal(err)
			}
			must(t, e.Close())
			return
		}
		if p.Now.Cycle() == 3 {
			turn, err := before[0].Region(tree.Seq).Children().At(0)
			must(t, err)
			id := turn.Node().ID
			now, err := e.Info(background, w.key)
			must(t, err)
			_, err = e.Erase(background, w.key, engine.Erase{IDs: []string{id}, Salt: make([]byte, engine.SaltSize),
				Entry: history.Entry{Message: "why"}, Guard: engine.Guard{Cycle: now.Cycle, Revision: now.Revision}})
			must(t, err)
		}
		if p.Now.Digest() != before[p.Now.Cycle()-1].Digest() {
			t.Fatalf("cycle %d is another one, and nobody said so", p.Now.Cycle())
		}
	}
	t.Error("the history ended without a word of the erasure")
}

// TestPairsLetGoOfOldTurns: who goes through a long conversation does not hold the turns that it is past.
func TestPairsLetGoOfOldTurns(t *testing.T) {
	const cycles = 400
	e, w := conversation(t, cycles)
	held := func(window int64) (alive int) {
		var nodes []weak.Pointer[tree.Node]
		for p, err := range engine.Pairs(background, e, w.key, 1, cycles, window) {
			must(t, err)
			turns := p.Now.Region(tree.Seq).Children()
			last, err := turns.At(turns.Len() - 1)
			must(t, err)
			nodes = append(nodes, weak.Make(last.Node()))
			if p.Now.Cycle() == cycles {
				runtime.GC()
				for _, n := range nodes {
					if n.Value() != nil {
						alive++
					}
				}
			}
		}
		return alive
	}
	if all, some := held(cycles), held(20); all < cycles/2 || some > cycles/4 {
		t.Errorf("of %d turns %d are in memory at the end, with windows of 20 still %d", cycles, all, some)
	}
	must(t, e.Close())
}
