package enginetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
)

// testLargeContents stores contents of 16 MiB: in a draft, in a snapshot and in a second
// version.
func testLargeContents(t *testing.T, s Suite) {
	size := testrun.Size(t, 1<<20, 1<<20, 16<<20)
	d := drive(t, s, "large")
	const unit = "é\x00\u2028\U0001F600\\\"a "
	text := strings.Repeat(unit, size/len(unit)+1)
	d.edit(func(x *tree.Editor) {
		spec := block(text)
		spec.ID = "large"
		add(t, x, "^ah", spec)
	})
	d.check()
	d.commit()
	d.edit(func(x *tree.Editor) {
		spec := block(text[len(unit):])
		spec.ID = "second"
		add(t, x, "^sys", spec)
	})
	d.commitWith(func(x *tree.Editor) {
		must(t, x.Update("second", map[string]any{"content": strings.ToUpper(text)}))
	}, commit.Input{})
	d.check()
}

// testLongTurns stores turns that are longer than what a store may keep together, such as a page
// of rows, reads every snapshot and every run of snapshots, and erases blocks that may stand on several pages of one turn.
func testLongTurns(t *testing.T, s Suite) {
	const turns, blocks = 5, 30
	d, some := drive(t, s, "long turns"), []string(nil)
	for turn := range turns {
		d.commitWith(func(x *tree.Editor) {
			for i := range blocks {
				id := add(t, x, "^ah", block(strings.Repeat(fmt.Sprintf("%d-%d ", turn, i), 4500+300*turn)))
				if i == blocks/2 || i == blocks-1 {
					some = append(some, id)
				}
			}
		}, commit.Input{})
	}
	d.check()
	for from := d.state.First; from <= d.state.Cycle; from++ {
		for to := from; to <= d.state.Cycle; to++ {
			list, err := engine.Collect(d.store.History(background, d.state.Key, from, to))
			must(t, err)
			if len(list) != int(to-from+1) {
				t.Fatalf("%d snapshots from %d to %d", len(list), from, to)
			}
			for i, got := range list {
				same(t, d.snapshots[from+int64(i)], got)
			}
		}
	}
	e := d.erasing(some...)
	d.expect(set(some...))
	if of := d.erase(e); len(of.IDs) != len(some) {
		t.Errorf("erased %v, want %v", of.IDs, some)
	}
	d.check()
	d.settled(some)
}

// testVeryLongHistory writes a history of 100,000 turns, some in each step, and reads all of it
// again.
func testVeryLongHistory(t *testing.T, s Suite) {
	const atOnce = 100
	turns := testrun.Size(t, 300, 700, 100_000)
	d := drive(t, s, "very long")
	for d.state.Cycle < int64(turns) {
		before := d.guard()
		var changes []engine.Change
		for range atOnce {
			c := d.committed(d.edited(func(x *tree.Editor) {
				add(t, x, "^ah", block(fmt.Sprint("said in cycle ", d.state.Stamps.Cycle)))
			}), commit.Input{})
			changes = append(changes, c)
			d.take(c)
		}
		must(t, d.store.Apply(background, d.state.Key, before, changes...))
	}
	d.reopen()
	same(t, d.snapshots[d.state.Cycle], d.state.Head)
	next := int64(1)
	for got, err := range d.store.History(background, d.state.Key, 1, d.state.Cycle) {
		must(t, err)
		if want := d.snapshots[next]; got.Cycle() != next || got.Digest() != want.Digest() || got.Len() != want.Len() {
			t.Fatalf("cycle %d is another one", next)
		}
		next++
	}
	if next != d.state.Cycle+1 {
		t.Errorf("the history ends with cycle %d", next-1)
	}
	for _, cycle := range []int64{1, 2, d.state.Cycle / 2, d.state.Cycle - 1} {
		got, err := engine.Snapshot(background, d.store, d.state.Key, cycle)
		must(t, err)
		same(t, d.snapshots[cycle], got)
	}
	revision := int64(0)
	for from := int64(1); from <= d.state.Revision; from += 10_000 {
		log, err := d.store.Log(background, d.state.Key, from, from+9_999)
		must(t, err)
		for _, e := range log {
			if revision++; e.Revision != revision {
				t.Fatalf("revision %d stands at %d", e.Revision, revision)
			}
		}
	}
	if revision != d.state.Revision {
		t.Errorf("the log ends with revision %d, want %d", revision, d.state.Revision)
	}
	sound(d)
	d.talk("and one more")
	head := d.state.Head
	d.reload()
	same(t, head, d.state.Head)
}
