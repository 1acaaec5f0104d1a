package enginetest

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/transfer"
	"github.com/contexttree/pact/internal/tree"
)

// fork makes a fork and a driver for it. What the store says about the fork must follow from
// what this driver saw.
func (d *driver) fork(cycle int64, name string) *driver {
	d.Helper()
	begun, err := d.store.Fork(background, d.state.Key, cycle, engine.Fork{Name: name, Entry: history.Entry{Actor: "forker"}})
	must(d.T, err)
	return d.forked(cycle, name, begun)
}

func (d *driver) forked(cycle int64, name string, begun *engine.State) *driver {
	d.Helper()
	info := begun.Info
	same(d.T, d.snapshots[cycle], begun.Head)
	read, err := d.beside().Load(background, info.Key)
	must(d.T, err)
	same(d.T, read.Working, begun.Working)
	if read.Info != info || !slices.Equal(read.Idle, begun.Idle) {
		d.Errorf("the fork begins as %+v with %q idle, and is loaded as %+v with %q", info, begun.Idle, read.Info, read.Idle)
	}
	was := d.published[cycle]
	want := engine.Info{Stamps: was.Stamps, Info: history.Info{Key: info.Key, Name: name, Edition: d.state.Edition,
		First: d.state.First, Cycle: cycle, Revision: was.Revision + 1, Fork: info.Fork,
		Origin: history.Origin{Key: was.Key, Cycle: cycle, Revision: was.Revision}, Listed: info.Listed}}
	if info != want || info.Fork == 0 {
		d.Fatalf("forked %+v, want %+v", info, want)
	}
	f := &driver{T: d.T, suite: d.suite, store: d.store, clock: d.clock, suffix: fmt.Sprint("-f", info.Fork),
		snapshots: maps.Clone(d.snapshots), published: maps.Clone(d.published),
		shares: maps.Clone(d.shares)}
	maps.DeleteFunc(f.snapshots, func(c int64, _ *tree.Tree) bool { return c > cycle })
	maps.DeleteFunc(f.published, func(c int64, _ engine.Info) bool { return c > cycle })
	for _, a := range d.attempts {
		if a.Cycle <= cycle {
			f.attempts = append(f.attempts, a)
		}
	}
	f.state.Info = info
	f.reload()
	same(d.T, d.snapshots[cycle], f.state.Head)
	same(d.T, d.snapshots[cycle].WithCycle(info.Stamps.Cycle), f.state.Working)
	return f
}

// talk commits turns of one block each.
func (d *driver) talk(texts ...string) {
	d.Helper()
	for _, text := range texts {
		d.commitWith(func(x *tree.Editor) { add(d.T, x, "^ah", block(text)) }, commit.Input{})
	}
}

// checkAll checks contexts of one store, which is opened again once for all of them.
func checkAll(list ...*driver) {
	before := make([]engine.State, len(list))
	for i, d := range list {
		d.Helper()
		d.compare()
		before[i] = d.state // reopening replaces the parts that were read from the store
		before[i].Head, before[i].Working = whole(d.T, d.state.Head), whole(d.T, d.state.Working)
	}
	list[0].reopen()
	for i, d := range list {
		d.store = list[0].store
		d.reload()
		if d.state.Info != before[i].Info || !slices.Equal(d.state.Idle, before[i].Idle) {
			d.Errorf("loaded %+v with the empty groups %q, want %+v with %q", d.state.Info, d.state.Idle, before[i].Info,
				before[i].Idle)
		}
		d.compare()
		sound(d)
		same(d.T, before[i].Head, d.state.Head)
		same(d.T, before[i].Working, d.state.Working)
	}
}

func sound(d *driver) {
	d.Helper()
	if damage, err := d.store.Check(background, d.state.Key); err != nil || damage != nil {
		d.Errorf("the store is said to be damaged: %+v, %v", damage, err)
	}
}

func testFork(t *testing.T, s Suite) {
	d := drive(t, s, "origin")
	d.talk("one", "two", "three")
	var draft string
	d.edit(func(x *tree.Editor) { draft = add(t, x, "^ah", block("a draft")) })
	f := d.fork(2, "fork")
	if f.state.Fork != 1 || sure.Get(f.state.Working.Has(draft)) {
		t.Errorf("the fork is %+v", f.state.Info)
	}
	checkAll(d, f)

	var mine, theirs string
	d.edit(func(x *tree.Editor) { mine = add(t, x, "^ah", block("of the origin")) })
	f.edit(func(x *tree.Editor) { theirs = add(t, x, "^ah", block("of the fork")) })
	checkAll(d, f)
	if mine != "block:4-1" || theirs != "block:3-0-f1" {
		t.Errorf("the ids are %s and %s", mine, theirs)
	}
	for _, c := range []struct {
		d    *driver
		id   string
		want bool
	}{{d, mine, true}, {d, theirs, false}, {f, mine, false}, {f, theirs, true}, {d, "block:3-0", true},
		{f, "block:3-0", false}, {f, "block:2-0", true}} {
		if has, err := c.d.store.Has(background, c.d.state.Key, c.id); err != nil || has != c.want {
			t.Errorf("%s has %s: %v, %v", c.d.state.Name, c.id, has, err)
		}
	}
	f.talk("three otherwise", "four otherwise")
	d.commit()
	checkAll(f, d)
	logged(f, 1, 2, 3)
	if f.state.Cycle != 4 || f.state.Revision != 7 {
		t.Errorf("the fork is at %+v", f.state.Info)
	}
	if other := d.fork(2, "another"); other.state.Fork != 2 {
		t.Errorf("the second fork is number %d", other.state.Fork)
	}
}

// logged compares the log of a fork with that of its origin: the shared revisions come first,
// then those of the fork.
func logged(f *driver, shared ...int64) {
	f.Helper()
	o := f.state.Origin
	theirs, err := f.store.Log(background, o.Key, 1, o.Revision)
	must(f.T, err)
	ours, err := f.store.Log(background, f.state.Key, 1, f.state.Revision)
	must(f.T, err)
	if int64(len(ours)) != f.state.Revision || int64(len(theirs)) != o.Revision || len(theirs) != len(shared) {
		f.Fatalf("the log has %d entries, %d of them shared", len(ours), len(theirs))
	}
	for i, e := range ours {
		if e.Revision != int64(i)+1 {
			f.Errorf("entry %d has revision %d", i+1, e.Revision)
		}
		if i < len(theirs) {
			sameEntry(f.T, theirs[i], e)
		}
	}
	head := f.snapshots[o.Cycle]
	sameEntry(f.T, history.Entry{Revision: o.Revision + 1, Kind: history.Forked, Cycle: o.Cycle,
		TimeNS: f.published[o.Cycle].Stamps.LastNS, Actor: "forker",
		Digest: head.Digest().String(), Thread: head.ThreadDigest().String()}, ours[o.Revision])
	for _, c := range []struct{ from, to, n int64 }{{o.Revision, o.Revision + 1, 2},
		{o.Revision + 1, 99, f.state.Revision - o.Revision}, {1, 1, 1}} {
		if list, err := f.store.Log(background, f.state.Key, c.from, c.to); err != nil || int64(len(list)) != c.n ||
			list[0].Revision != c.from {
			f.Errorf("revisions %d to %d: %d entries, %v", c.from, c.to, len(list), err)
		}
	}
}

func testForkAside(t *testing.T, s Suite) {
	d := drive(t, s, "name")
	other := driveIn(t, s, d.store, "other")
	d.talk("one", "two")
	put := func(f engine.Fork) (*engine.State, error) { return d.store.Fork(background, d.state.Key, 1, f) }
	stale := engine.Guard{Cycle: 2, Revision: d.state.Revision - 1}
	for _, f := range []engine.Fork{
		{Name: "name", SupersededName: "old", Guard: stale},
		{Name: "name", SupersededName: "other", Guard: d.guard()},
		{Name: "name", SupersededName: "name", Guard: d.guard()},
		{Name: "other", SupersededName: "old", Guard: d.guard()},
	} {
		_, err := put(f)
		wantCode(t, err, fault.Conflict)
	}
	_, err := put(engine.Fork{Name: "name", SupersededName: "@old", Guard: d.guard()})
	wantCode(t, err, fault.DocumentInvalid)
	if found, err := d.store.Find(background, "name"); err != nil || found != d.state.Info {
		t.Fatalf("the refused ones left %+v, %v", found, err)
	}
	info, err := put(engine.Fork{Name: "name", SupersededName: "old", Guard: d.guard()})
	must(t, err)
	// it is told
	wantCode(t, d.store.Apply(background, d.state.Key, d.guard(), d.edited(func(*tree.Editor) {})), fault.Conflict)
	d.state.Name, d.state.Revision = "old", d.state.Revision+1
	if log, err := d.store.Log(background, d.state.Key, d.state.Revision, d.state.Revision); err != nil || len(log) != 1 {
		t.Errorf("the log has %v, %v", log, err)
	} else {
		sameEntry(t, history.Entry{Revision: d.state.Revision, Kind: history.Superseded, Cycle: 3, TimeNS: d.state.Stamps.LastNS,
			Digest: d.state.Working.Digest().String()}, log[0])
	}
	f := d.forked(1, "name", info)
	f.talk("two again")
	d.talk("three")
	checkAll(d, f, other)
	if found, err := f.store.Find(background, "name"); err != nil || found != f.state.Info {
		t.Errorf("found %+v, %v, want %+v", found, err, f.state.Info)
	}
}

func testForkRequests(t *testing.T, s Suite) {
	d := drive(t, s, "requests")
	request := func(d *driver, token string) engine.Change {
		c := d.edited(func(x *tree.Editor) { add(t, x, "^ah", block(token)) })
		c.Entry.Request = token
		return c
	}
	d.apply(request(d, "before"))
	d.talk("one")
	d.apply(request(d, "after"))
	d.talk("two")
	f := d.fork(1, "fork")
	wantCode(t, f.store.Apply(background, f.state.Key, f.guard(), request(f, "before")), fault.Conflict)
	if e, err := f.store.Request(background, f.state.Key, "before"); err != nil || e == nil || e.Revision != 2 {
		t.Errorf("the shared request is logged as %+v, %v", e, err)
	}
	if e, err := f.store.Request(background, f.state.Key, "after"); err != nil || e != nil {
		t.Errorf("a request of the origin alone is logged as %+v, %v", e, err)
	}
	f.apply(request(f, "after"))
	f.apply(request(f, "own"))
	wantCode(t, f.store.Apply(background, f.state.Key, f.guard(), request(f, "own")), fault.Conflict)
	d.apply(request(d, "own"))
	checkAll(d, f)
}

func testForkRefused(t *testing.T, s Suite) {
	d := drive(t, s, "refused")
	fork := func(cycle int64, name string) error {
		_, err := d.store.Fork(background, d.state.Key, cycle, engine.Fork{Name: name})
		return err
	}
	wantCode(t, fork(0, "x"), fault.SnapshotNotFound) // a new context has no snapshot
	d.talk("one")
	wantCode(t, fork(2, "x"), fault.SnapshotNotFound)
	wantCode(t, fork(-1, "x"), fault.SnapshotNotFound)
	wantCode(t, fork(1, "refused"), fault.Conflict)
	wantCode(t, fork(1, "@x"), fault.DocumentInvalid)
	if list, err := d.store.List(background); err != nil || len(list) != 1 {
		t.Errorf("the refused ones left %v, %v", list, err)
	}
	if f := d.fork(1, "x"); f.state.Fork != 1 {
		t.Errorf("the first fork is number %d", f.state.Fork)
	}
}

func testForkDelete(t *testing.T, s Suite) {
	a := drive(t, s, "a")
	a.talk("one", "two", "three")
	b := a.fork(2, "b")
	b.talk("three of b", "four of b")
	c := b.fork(3, "c")
	c.talk("four of c")
	a.edit(func(x *tree.Editor) { must(t, x.SetRoot("data_title", "of a alone")) })
	copied := engine.InMemory()
	_, err := transfer.Copy(background, c.store, copied, []string{"c"}, nil)
	must(t, err)
	gone := func(in engine.Contexts, key history.Key, name string) {
		t.Helper()
		must(t, in.Delete(background, key))
		_, err := in.Load(background, key)
		wantCode(t, err, fault.ContextNotFound)
		_, err = in.Find(background, name)
		wantCode(t, err, fault.ContextNotFound)
		wantCode(t, in.Delete(background, key), fault.ContextNotFound)
		_, err = in.Fork(background, key, 1, engine.Fork{Name: "late"})
		wantCode(t, err, fault.ContextNotFound)
	}
	gone(c.store, a.state.Key, "a")
	for _, in := range []engine.Contexts{c.store, copied} {
		branches, err := in.Branches(background)
		must(t, err)
		if !branches[0].Shared || branches[0].Listed.Attrs != "" {
			t.Errorf("what the forks of a share is %+v", branches[0])
		}
	}
	checkAll(b, c)
	wantCode(t, c.store.Apply(background, a.state.Key, a.guard(), a.edited(func(*tree.Editor) {})), fault.ContextNotFound)
	again := driveIn(t, s, c.store, "a") // the name is free
	gone(c.store, b.state.Key, "b")
	checkAll(again, c)
	wantCode(t, c.store.Rename(background, b.state.Key, "back"), fault.ContextNotFound)
	d := c.fork(1, "d")
	d.commit()
	if d.state.Fork != 3 {
		t.Errorf("the fork after a deletion is number %d", d.state.Fork)
	}
	checkAll(again, c, d)
	gone(c.store, c.state.Key, "c")
	checkAll(again, d)
	gone(d.store, d.state.Key, "d")
	if list, err := d.store.List(background); err != nil || len(list) != 1 {
		t.Errorf("left are %v, %v", list, err)
	}
}
