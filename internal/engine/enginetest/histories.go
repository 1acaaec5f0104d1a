package enginetest

import (
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

func testSeveralChanges(t *testing.T, s Suite) {
	d := drive(t, s, "several")
	before := d.state
	var changes []engine.Change
	plan := func(c engine.Change) {
		changes = append(changes, c)
		d.take(c)
	}
	var draft, turn string
	plan(d.edited(func(x *tree.Editor) { draft = add(t, x, "^ah", block("draft")) }))
	plan(d.edited(func(x *tree.Editor) { must(t, x.Update(draft, map[string]any{"content": "better"})) }))
	plan(d.committed(d.edited(func(x *tree.Editor) { add(t, x, "^ah", block("more")) }), commit.Input{}))
	turn = sure.Get(d.state.Working.Region(tree.Seq).Children().At(0)).Node().ID
	plan(d.edited(func(x *tree.Editor) {
		after := block("attached")
		after.Offset = 5
		add(t, x, turn, after)
		draft = add(t, x, "^ah", block("to go"))
	}))
	plan(d.edited(func(x *tree.Editor) { must(t, x.Remove(draft)) }))
	plan(d.committed(d.edited(func(*tree.Editor) {}), commit.Input{}))
	guard := engine.Guard{Cycle: before.Cycle, Revision: before.Revision}
	must(t, d.store.Apply(background, d.state.Key, guard, changes...))
	d.check()

	// A context can begin with the same changes.
	g := engine.Creation{Name: "begun", Edition: "canonical", Tree: before.Head, Stamps: before.Stamps, Changes: sequence(changes)}
	begun, err := d.store.Create(background, g)
	must(t, err)
	d.state.Key, d.state.Name = begun.Key, begun.Name
	if begun.Info != d.state.Info || !slices.Equal(begun.Idle, d.state.Idle) {
		t.Errorf("created %+v with %q idle, want %+v with %q", begun.Info, begun.Idle, d.state.Info, d.state.Idle)
	}
	same(t, d.state.Head, begun.Head)
	same(t, d.state.Working, begun.Working)
	d.check()
	d.edit(func(x *tree.Editor) { add(t, x, "^ah", block("and on")) })
	d.commit()
	d.check()
}

func testAllOrNone(t *testing.T, s Suite) {
	d := drive(t, s, "all or none")
	first := d.edited(func(x *tree.Editor) { add(t, x, "^ah", block("first")) })
	first.Entry.Request = "r1"
	d.apply(first)
	before := d.state
	good := d.edited(func(x *tree.Editor) { add(t, x, "^ah", block("good")) })
	d.take(good)
	bad := d.edited(func(x *tree.Editor) { add(t, x, "^ah", block("bad")) })
	bad.Entry.Request = "r1"
	d.state = before
	wantCode(t, d.store.Apply(background, d.state.Key, d.guard(), good, bad), fault.Conflict)
	d.check()
	d.apply(good)
	d.check()
}

func testGuard(t *testing.T, s Suite) {
	d := drive(t, s, "guard")
	d.commit()
	now := d.guard()
	change := d.edited(func(x *tree.Editor) { add(t, x, "^ah", block("x")) })
	for _, g := range []engine.Guard{
		{Cycle: now.Cycle, Revision: now.Revision - 1},
		{Cycle: now.Cycle, Revision: now.Revision + 1},
		{Cycle: now.Cycle - 1, Revision: now.Revision},
		{Cycle: now.Cycle + 1, Revision: now.Revision},
		{},
	} {
		wantCode(t, d.store.Apply(background, d.state.Key, g, change), fault.Conflict)
	}
	d.check()
	d.apply(change)
	err := d.store.Apply(background, d.state.Key, now, change)
	wantCode(t, err, fault.Conflict)
	must(t, d.store.Apply(background, d.state.Key, d.guard()))
	d.check()

	// Of many writers that saw the same state, one wins.
	won := 0
	var mu sync.Mutex
	var group sync.WaitGroup
	change = d.edited(func(x *tree.Editor) { add(t, x, "^ah", block("y")) })
	for range 8 {
		group.Go(func() {
			err := d.store.Apply(background, d.state.Key, d.guard(), change)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won++
			} else {
				wantCode(t, err, fault.Conflict)
			}
		})
	}
	group.Wait()
	if won != 1 {
		t.Errorf("%d of 8 writers won", won)
	}
	d.take(change)
	d.check()
}

func testSharing(t *testing.T, s Suite) {
	d := drive(t, s, "sharing")
	for i := range 20 {
		d.commitWith(func(x *tree.Editor) { add(t, x, "^ah", block(fmt.Sprint(i))) }, commit.Input{})
	}
	d.reopen()
	list, err := engine.Collect(d.store.History(background, d.state.Key, 1, d.state.Cycle))
	must(t, err)
	turn := sure.Get(list[0].Region(tree.Seq).Children().At(0))
	for _, t2 := range list {
		if sure.Get(t2.Region(tree.Seq).Children().At(0)) != turn {
			t.Fatalf("the first turn is another entry in snapshot %d", t2.Cycle())
		}
	}
	list, err = engine.Collect(d.store.History(background, d.state.Key, 7, 9))
	must(t, err)
	for i, got := range list {
		same(t, d.snapshots[7+int64(i)], got)
	}
}

// testLongHistory reads more snapshots than a store holds for its reader. Meanwhile it erases a
// node that all of them have: the later snapshots are as they were, or the reader gets an
// error.
func testLongHistory(t *testing.T, s Suite) {
	d := drive(t, s, "long")
	const cycles = 150
	for i := range cycles {
		d.commitWith(func(x *tree.Editor) {
			spec := block(fmt.Sprint("said ", i))
			spec.ID = fmt.Sprint("b", i)
			add(t, x, "^ah", spec)
		}, commit.Input{})
	}
	d.check()
	for _, ends := range [][2]int64{{1, 64}, {1, 65}, {2, 129}, {64, 64}, {65, 150}} {
		next := ends[0]
		for got, err := range d.store.History(background, d.state.Key, ends[0], ends[1]) {
			must(t, err)
			same(t, d.snapshots[next], got)
			next++
		}
		if next != ends[1]+1 {
			t.Errorf("from %d to %d: the last was %d", ends[0], ends[1], next-1)
		}
	}
	next := int64(1)
	for got, err := range d.store.History(background, d.state.Key, 1, cycles) {
		if next == 2 {
			d.erase(d.erasing("b0"))
		}
		if err != nil {
			wantCode(t, err, fault.Conflict)
			return
		}
		if got.Digest() != d.snapshots[next].Digest() {
			t.Fatalf("cycle %d is another one, and nobody said so", next)
		}
		next++
	}
	if next != cycles+1 {
		t.Errorf("the history ended at cycle %d", next-1)
	}
}

func testReaders(t *testing.T, s Suite) {
	d := drive(t, s, "readers")
	d.commitWith(func(x *tree.Editor) { add(t, x, "^ah", block("first")) }, commit.Input{})
	first := d.snapshots[1]
	key := d.state.Key
	stop := make(chan struct{})
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				st, err := d.store.Load(background, key)
				if err != nil {
					t.Error(err)
					return
				}
				if st.Head.Cycle() != st.Cycle || st.Working.Cycle() != st.Cycle+1 ||
					int64(st.Head.Region(tree.Seq).Children().Len()) != st.Cycle {
					t.Errorf("loaded %+v with a tree of %d turns", st.Info, st.Head.Region(tree.Seq).Children().Len())
				}
				list, err := engine.Collect(d.store.History(background, key, 1, st.Cycle))
				if err != nil || list[0].Digest() != first.Digest() || list[st.Cycle-1].Digest() != st.Head.Digest() {
					t.Errorf("the history to %d changed under its reader: %v", st.Cycle, err)
					return
				}
				if err := list[st.Cycle-1].WriteThread(background, io.Discard); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range 25 {
		d.edit(func(x *tree.Editor) { add(t, x, "^ah", block(fmt.Sprint("draft ", i))) })
		d.commit()
	}
	close(stop)
	group.Wait()
	d.check()
}

// testRandomHistories makes histories of random edits and commits, opens the store again now
// and then, and compares all of them with memory.
func testRandomHistories(t *testing.T, s Suite) {
	for seed := range s.seeds(t, 2, 2, 60) {
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) {
			r := &genHistory{Rand: rand.New(rand.NewPCG(seed, 47))}
			if r.driver = drive(t, s, "random"); seed%2 > 0 {
				r.driver = driveImported(t, s)
			}
			for i := range 60 {
				r.act()
				if i%20 == 19 {
					r.check()
				} else if r.IntN(6) == 0 {
					r.reopen()
				}
			}
			r.check()
		})
	}
}

// sequence yields some changes for a Creation.
func sequence(list []engine.Change) iter.Seq2[engine.Change, error] {
	return func(yield func(engine.Change, error) bool) {
		for _, c := range list {
			if !yield(c, nil) {
				return
			}
		}
	}
}
