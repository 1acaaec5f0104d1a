package enginetest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// testEraseRandom makes families of random histories with erasures in between, and compares
// them with histories in which the erased nodes were empty from the beginning. It reads contexts
// again and again meanwhile, and holds what it read before, as a program does that follows others:
// a store may go on from what it has in memory, and must show what a first look shows.
func testEraseRandom(t *testing.T, s Suite) {
	for seed := range s.seeds(t, 1, 2, 60) {
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 67))
			family := []*genHistory{{drive(t, s, "0"), rnd}}
			held := make([]any, 12)
			erased := 0
			for i := range 150 {
				var did bool
				if family, did = mutate(family, i, 9); did {
					erased++
				}
				held[rnd.IntN(len(held))] = family[rnd.IntN(len(family))].look()
				if i%50 == 49 {
					list := make([]*driver, len(family))
					for k, r := range family {
						list[k] = r.driver
					}
					checkAll(list...)
				}
			}
			if erased == 0 {
				t.Error("nothing was erased")
			}
		})
	}
}

// look reads a context and up to three of its snapshots, and returns them.
func (r *genHistory) look() any {
	st, err := r.store.Load(background, r.state.Key)
	must(r.T, err)
	same(r.T, r.state.Head, st.Head)
	same(r.T, r.state.Working, st.Working)
	if len(r.snapshots) == 0 {
		return st
	}
	from := r.state.First + r.Int64N(int64(len(r.snapshots)))
	list, err := engine.Collect(r.store.History(background, r.state.Key, from, min(r.state.Cycle, from+r.Int64N(3))))
	must(r.T, err)
	for k, got := range list {
		same(r.T, r.snapshots[from+int64(k)], got)
	}
	return []any{st, list}
}

// mutate forks a context of a family in its step i, deletes one, erases from one, about every
// odds-th time, or acts on one. It reports whether it erased something.
func mutate(family []*genHistory, i, odds int) (_ []*genHistory, erased bool) {
	rnd := family[0].Rand
	at := rnd.IntN(len(family))
	switch r := family[at]; {
	case len(r.snapshots) > 0 && rnd.IntN(14) == 0:
		cycle := r.state.First + int64(rnd.IntN(len(r.snapshots)))
		return append(family, &genHistory{r.fork(cycle, fmt.Sprint("fork ", i)), rnd}), false
	case len(family) > 3 && rnd.IntN(20) == 0:
		must(r.T, r.store.Delete(background, r.state.Key))
		return append(family[:at], family[at+1:]...), false
	case i > 10 && rnd.IntN(odds) == 0:
		return family, eraseSome(family, r)
	default:
		r.act()
		return family, false
	}
}

func eraseSome(family []*genHistory, r *genHistory) bool {
	r.Helper()
	var all []string
	for id := range r.ids() {
		if sure.Get(r.state.Working.Has(id)) || len(r.snapshots) > 0 && slices.ContainsFunc(slices.Collect(maps.Values(r.snapshots)),
			func(t *tree.Tree) bool { return sure.Get(t.Has(id)) }) {
			all = append(all, id)
		}
	}
	slices.Sort(all)
	var ids []string
	for range 1 + r.IntN(3) {
		if id := all[r.IntN(len(all))]; id != "root" && id != "seq" && id != "sys" {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return false
	}
	e := r.erasing(ids...)
	e.DryRun = true
	below := set(r.erase(e).IDs...)
	e.DryRun = false
	var concerned []*genHistory
	for _, other := range family {
		if other.expect(below) {
			concerned = append(concerned, other)
		}
	}
	of := r.erase(e)
	for _, other := range concerned {
		other.settled(nil)
	}
	for _, id := range ids {
		below[id] = true
	}
	for _, other := range family {
		for id := range below { // nothing below an erased node is left
			for _, t := range other.snapshots {
				if e := sure.Get(t.Entry(id)); e != nil {
					for k := range sure.All(e.Children().All()) {
						if !k.Node().Erased() {
							r.Errorf("%s is below %s and was not erased", k.Node().ID, id)
						}
					}
				}
			}
		}
	}
	return of.Versions > 0
}
