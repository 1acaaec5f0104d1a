package enginetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/transfer"
	"github.com/contexttree/pact/internal/tree"
)

// errInterrupted is the error of a store that falters.
var errInterrupted = errors.New("interrupted")

// faltering is a target that stops a copy after a few writes, as a signal would.
type faltering struct {
	engine.Contexts
	left int
}

func (f *faltering) write() error {
	if f.left--; f.left < 0 {
		return errInterrupted
	}
	return nil
}

func (f *faltering) BeginCopy(ctx context.Context, l engine.Branch, first *engine.Part) (history.Key, error) {
	if err := f.write(); err != nil {
		return 0, err
	}
	return f.Contexts.BeginCopy(ctx, l, first)
}

func (f *faltering) ExtendCopy(ctx context.Context, key history.Key, p *engine.Part) error {
	if err := f.write(); err != nil {
		return err
	}
	return f.Contexts.ExtendCopy(ctx, key, p)
}

func (f *faltering) CopyAttempts(ctx context.Context, key history.Key, list []history.Attempt) error {
	if err := f.write(); err != nil {
		return err
	}
	return f.Contexts.CopyAttempts(ctx, key, list)
}

func (f *faltering) FinishCopies(ctx context.Context, branches []engine.Branch) error {
	if err := f.write(); err != nil {
		return err
	}
	return f.Contexts.FinishCopies(ctx, branches)
}

// testCopies copies families of random histories from the store under test to memory, and from
// there to another store under test. There it compares everything and continues the histories.
// Copies fail after a few writes while the source changes, and have to be repeated.
func testCopies(t *testing.T, s Suite) {
	for seed := range s.seeds(t, 1, 2, 12) {
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 71))
			target := s.Open(t)
			erasing := seed%2 == 1 // otherwise with attempts, because drivers cannot tell what an erasure leaves of these
			family := randomFamily(t, s, rnd, erasing)
			between := engine.InMemory()
			through := &faltering{Contexts: between}
			for run := 0; ; run++ {
				through.left = 5 + rnd.IntN(6)
				_, err := transfer.Copy(background, family[0].store, through, nil, nil)
				if err == nil {
					break
				}
				if !errors.Is(err, errInterrupted) || run > 1000 {
					t.Fatal(err)
				}
				hidden(t, between)
				if run < 8 {
					moveOn(family, rnd, erasing)
				}
			}
			through = &faltering{Contexts: target, left: 5}
			for {
				_, err := transfer.Copy(background, between, through, nil, nil)
				if err == nil {
					break
				}
				if !errors.Is(err, errInterrupted) {
					t.Fatal(err)
				}
				hidden(t, target)
				through.left = 5
			}
			copied := copyOf(t, target, family)
			compareFamily(copied)
			for range 30 {
				copied[rnd.IntN(len(copied))].act()
			}
			r := copied[rnd.IntN(len(copied))]
			if len(r.snapshots) > 0 {
				copied = append(copied, &genHistory{r.fork(r.state.Cycle, "after the copy"), rnd})
			}
			compareFamily(copied)
			_, err := transfer.Copy(background, between, copied[0].store, nil, nil)
			if fault.CodeOf(err) != fault.Conflict {
				t.Errorf("copied again: %v, want E_CONFLICT", err)
			}
		})
	}
}

// testCopiesErased copies a context of whose thread an erasure took most: a list shows the same of the copy.
func testCopiesErased(t *testing.T, s Suite) {
	d := drive(t, s, "a")
	long := ""
	d.edit(func(x *tree.Editor) { long = add(t, x, "^ah", block(strings.Repeat("long ", 1000))) })
	d.talk("one", "two", "three", "four")
	e := d.erasing(long)
	d.expect(set(long))
	d.erase(e)
	d.check()
	target := s.Open(t)
	_, err := transfer.Copy(background, d.store, target, nil, nil)
	must(t, err)
	got, err := target.Find(background, "a")
	must(t, err)
	if want := d.state.Listed; got.Listed != want || want.Cuts == "" {
		t.Errorf("the copy is listed as %+v, want %+v", got.Listed, want)
	}
}

// randomFamily makes random histories that share a part.
func randomFamily(t *testing.T, s Suite, rnd *rand.Rand, erasing bool) []*genHistory {
	t.Helper()
	family := []*genHistory{{drive(t, s, "0"), rnd}}
	for i := range 60 {
		at := rnd.IntN(len(family))
		switch r := family[at]; {
		case len(r.snapshots) > 0 && rnd.IntN(12) == 0:
			cycle := r.state.First + int64(rnd.IntN(len(r.snapshots)))
			family = append(family, &genHistory{r.fork(cycle, fmt.Sprint("fork ", i)), rnd})
		case len(family) > 3 && rnd.IntN(12) == 0:
			must(t, r.store.Delete(background, r.state.Key))
			family = append(family[:at], family[at+1:]...)
		case erasing && rnd.IntN(9) == 0:
			eraseSome(family, r)
		case !erasing && rnd.IntN(5) == 0:
			r.call()
		default:
			r.act()
		}
	}
	return family
}

// moveOn changes something in the source of an interrupted copy.
func moveOn(family []*genHistory, rnd *rand.Rand, erasing bool) {
	r := family[rnd.IntN(len(family))]
	switch n := rnd.IntN(6); {
	case n == 0 && erasing:
		eraseSome(family, r)
	case n == 0:
		r.call()
	case n < 3:
		r.act()
	}
}

// hidden checks that no name finds an unfinished copy.
func hidden(t *testing.T, s engine.Contexts) {
	t.Helper()
	list, err := s.List(background)
	must(t, err)
	branches, err := s.Branches(background)
	must(t, err)
	for _, l := range branches {
		_, err := s.Find(background, l.Name)
		if fault.CodeOf(err) != fault.ContextNotFound || !l.Unfinished {
			t.Errorf("the branch %+v is there: %v", l, err)
		}
	}
	if len(list) > 0 {
		t.Errorf("there are contexts before the copy is whole: %+v", list)
	}
	if damage, err := s.CheckAll(background); damage != nil || err != nil {
		t.Errorf("an unfinished copy is damage: %v, %v", damage, err)
	}
}

// copyOf returns drivers for the copies of contexts, with their keys. A copy has the name of its context; the origins of
// both are followed, because their names are made of keys.
func copyOf(t *testing.T, in engine.Contexts, family []*genHistory) []*genHistory {
	t.Helper()
	from, _ := branchesOf(t, family[0].store)
	to, named := branchesOf(t, in)
	now := make(map[history.Key]history.Key)
	for _, r := range family {
		for key, copied := r.state.Key, named[r.state.Name]; key != 0; key, copied = from[key], to[copied] {
			now[key] = copied
		}
	}
	if len(to) != len(now) {
		t.Fatalf("%d branches were copied, want %d", len(to), len(now))
	}
	var list []*genHistory
	for _, r := range family {
		d := *r.driver
		d.store, d.state.Key, d.state.Origin.Key = in, now[d.state.Key], now[d.state.Origin.Key]
		d.published = maps.Clone(d.published)
		for cycle, i := range d.published {
			i.Key, i.Origin.Key = now[i.Key], now[i.Origin.Key]
			d.published[cycle] = i
		}
		list = append(list, &genHistory{&d, r.Rand})
	}
	return list
}

// branchesOf returns the key of the origin of each branch of a store, and the keys of branches by their names.
func branchesOf(t *testing.T, s engine.Contexts) (origins map[history.Key]history.Key, named map[string]history.Key) {
	t.Helper()
	branches, err := s.Branches(background)
	must(t, err)
	origins, named = make(map[history.Key]history.Key), make(map[string]history.Key)
	for _, l := range branches {
		origins[l.Key], named[l.Name] = l.Origin.Key, l.Key
	}
	return origins, named
}
