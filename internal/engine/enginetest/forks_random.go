package enginetest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// testRandomForks makes histories of random edits, commits, attempts and forks of forks, and
// compares all their snapshots, attempts and ids with memory.
func testRandomForks(t *testing.T, s Suite) {
	for seed := range s.seeds(t, 1, 2, 60) {
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 53))
			first := drive(t, s, "0")
			if seed%2 > 0 {
				first = driveImported(t, s)
			}
			family := []*genHistory{{first, rnd}}
			names := 1
			for i := range 120 {
				at := rnd.IntN(len(family))
				switch r := family[at]; {
				case len(r.snapshots) > 0 && rnd.IntN(12) == 0:
					cycle := r.state.First + int64(rnd.IntN(len(r.snapshots)))
					family = append(family, &genHistory{r.fork(cycle, fmt.Sprint(names)), rnd})
					names++
				case len(family) > 3 && rnd.IntN(20) == 0:
					must(t, r.store.Delete(background, r.state.Key))
					family = append(family[:at], family[at+1:]...)
				case rnd.IntN(5) == 0:
					r.call()
				default:
					r.act()
				}
				if i%40 == 39 {
					compareFamily(family)
				}
			}
		})
	}
}

func compareFamily(family []*genHistory) {
	seen := map[string]bool{}
	list := make([]*driver, len(family))
	for i, r := range family {
		list[i] = r.driver
		for id := range r.ids() {
			seen[id] = true
		}
	}
	checkAll(list...)
	for _, d := range list {
		own := d.ids()
		for i, id := range slices.Sorted(maps.Keys(seen)) {
			if !own[id] && i%4 > 0 {
				continue // a sample of other contexts' ids is enough: each is a query to the store
			}
			if has, err := d.store.Has(background, d.state.Key, id); err != nil || has != own[id] {
				d.Errorf("%s has %s: %v, %v, want %v", d.state.Name, id, has, err, own[id])
			}
		}
		log, err := d.store.Log(background, d.state.Key, 1, d.state.Revision)
		must(d.T, err)
		commits := int64(0)
		for i, e := range log {
			if e.Revision != int64(i)+1 {
				d.Fatalf("entry %d of %s has revision %d", i+1, d.state.Name, e.Revision)
			}
			if e.Kind == history.Commit {
				commits++
			}
		}
		if d.state.First > 1 { // an import brought this one
			commits += d.state.First
		}
		if int64(len(log)) != d.state.Revision || commits != d.state.Cycle {
			d.Errorf("the log of %s has %d entries and %d commits", d.state.Name, len(log), commits)
		}
	}
}

// ids are the ids that are or were in the context.
func (d *driver) ids() map[string]bool {
	ids := map[string]bool{"ah": true} // the empty tree, which is no snapshot, has this one
	note := func(t *tree.Tree) {
		for e := range sure.All(t.All()) {
			ids[e.Node().ID] = true
		}
	}
	note(d.state.Working)
	for _, t := range d.snapshots {
		note(t)
	}
	return ids
}
