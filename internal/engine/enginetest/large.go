package enginetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
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
// of rows, and reads every snapshot and every run of snapshots.
func testLongTurns(t *testing.T, s Suite) {
	d, _ := longTurns(t, s)
	for from := d.state.First; from <= d.state.Cycle; from++ {
		got, err := engine.Snapshot(background, d.store, d.state.Key, from)
		must(t, err)
		same(t, d.snapshots[from], got)
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
}

// longTurns makes a context of five turns of about 600 kB. It returns the ids of a block in
// the middle and of the last one of each turn.
func longTurns(t *testing.T, s Suite) (d *driver, some []string) {
	const turns, blocks = 5, 30
	d = drive(t, s, "long turns")
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
	return d, some
}

// testEraseLongTurns erases blocks that may stand on several pages of one turn.
func testEraseLongTurns(t *testing.T, s Suite) {
	d, ids := longTurns(t, s)
	e := d.erasing(ids...)
	d.expect(set(ids...))
	if of := d.erase(e); len(of.IDs) != len(ids) {
		t.Errorf("erased %v, want %v", of.IDs, ids)
	}
	d.check()
	d.settled(ids)
}

// testManyContexts stores 10,000 contexts.
func testManyContexts(t *testing.T, s Suite) {
	count := testrun.Size(t, 30, 60, 10_000)
	d := drive(t, s, "context 00000")
	d.talk("of context 0")
	keys := map[string]history.Key{d.state.Name: d.state.Key}
	for i := 1; i < count; i++ {
		other := driveIn(t, s, d.store, fmt.Sprintf("context %05d", i))
		other.talk(fmt.Sprint("of context ", i))
		keys[other.state.Name] = other.state.Key
	}
	d.reopen()
	list, err := d.store.List(background)
	must(t, err)
	if len(list) != count {
		t.Fatalf("there are %d contexts, want %d", len(list), count)
	}
	for i, info := range list {
		name := fmt.Sprintf("context %05d", i)
		if info.Name != name || info.Key != keys[name] || info.Cycle != 1 {
			t.Fatalf("context %d is %+v", i, info)
		}
	}
	for i := 0; i < count; i += count / 20 {
		name := fmt.Sprintf("context %05d", i)
		info, err := d.store.Find(background, name)
		must(t, err)
		st, err := d.store.Load(background, info.Key)
		must(t, err)
		thread, err := st.Head.Thread(background)
		must(t, err)
		if want := fmt.Sprintf("of context %d\"", i); !strings.Contains(string(thread), want) {
			t.Errorf("%s has the thread %s", name, thread)
		}
	}
	must(t, d.store.Delete(background, keys["context 00007"]))
	if _, err := d.store.Find(background, "context 00007"); fault.CodeOf(err) != fault.ContextNotFound {
		t.Errorf("found one that was deleted: %v", err)
	}
	if list, err = d.store.List(background); err != nil || len(list) != count-1 {
		t.Errorf("%d contexts are left, %v", len(list), err)
	}
}

// testVeryLongHistory writes a history of 100,000 turns, some in each step, and reads all of it
// again.
func testVeryLongHistory(t *testing.T, s Suite) {
	const atOnce = 250
	turns := testrun.Size(t, 500, 750, 100_000)
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
