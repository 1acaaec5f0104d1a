package storetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/contexttree/pact/internal/fault"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

func testDrafts(t *testing.T, s Suite) {
	d := drive(t, s, "drafts")
	d.check()
	var id string
	d.edit(func(x *tree.Editor) { id = add(t, x, "^ah", block("hello")) })
	d.edit(func(x *tree.Editor) { add(t, x, "^sys", block("be brief")) })
	if !d.state.Working.Has(id) || d.state.Head.Has(id) {
		t.Error("the draft is not where it belongs")
	}
	d.check()
	d.commit()
	d.check()
	d.edit(func(x *tree.Editor) { add(t, x, "^ah", block("hello again")) })
	d.check()
}

func testCommits(t *testing.T, s Suite) {
	d := drive(t, s, "commits")
	for i := range 12 {
		if i%3 > 0 {
			d.edit(func(x *tree.Editor) { add(t, x, "^ah", block(fmt.Sprint("question ", i))) })
		}
		if i%3 > 1 {
			d.edit(func(x *tree.Editor) {
				late := block("a remark")
				late.Offset = 2
				add(t, x, "^ah", late)
			})
		}
		d.commit() // also of nothing
	}
	if d.state.Revision != 25-8-1-1+2-0 && d.state.Cycle != 12 {
		t.Errorf("ended at %+v", d.state.Info)
	}
	d.check()
}

func testOneStep(t *testing.T, s Suite) {
	d := drive(t, s, "one step")
	for i := range 4 {
		d.commitWith(func(x *tree.Editor) {
			add(t, x, "^ah", block(fmt.Sprint("turn ", i)))
			early := block("before it")
			early.Offset = -1
			add(t, x, "^ah", early)
		}, lifecycle.Input{})
	}
	if d.state.Revision != 5 {
		t.Errorf("four commits with edits led to revision %d", d.state.Revision)
	}
	d.check()
}

func testSeveralChanges(t *testing.T, s Suite) {
	d := drive(t, s, "several")
	before := d.state
	var changes []store.Change
	plan := func(c store.Change) {
		changes = append(changes, c)
		d.take(c)
	}
	var draft, turn string
	plan(d.edited(func(x *tree.Editor) { draft = add(t, x, "^ah", block("draft")) }))
	plan(d.edited(func(x *tree.Editor) { must(t, x.Update(draft, map[string]any{"content": "better"})) }))
	plan(d.committed(d.edited(func(x *tree.Editor) { add(t, x, "^ah", block("more")) }), lifecycle.Input{}))
	turn = d.state.Working.Region(tree.Seq).Children().At(0).Node().ID
	plan(d.edited(func(x *tree.Editor) {
		after := block("attached")
		after.Offset = 5
		add(t, x, turn, after)
		draft = add(t, x, "^ah", block("to go"))
	}))
	plan(d.edited(func(x *tree.Editor) { must(t, x.Remove(draft)) }))
	plan(d.committed(d.edited(func(*tree.Editor) {}), lifecycle.Input{}))
	guard := store.Guard{Cycle: before.Cycle, Revision: before.Revision}
	must(t, d.store.Apply(background, d.state.Key, guard, changes...))
	d.check()

	// The same can begin a context.
	g := store.Genesis{Name: "begun", Edition: "canonical", Tree: before.Head, Stamps: before.Stamps, Changes: changes}
	info, err := d.store.Create(background, g)
	must(t, err)
	d.state.Key, d.state.Name = info.Key, info.Name
	if info != d.state.Info {
		t.Errorf("created %+v, want %+v", info, d.state.Info)
	}
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
	for _, g := range []store.Guard{
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

	// Of many writers that saw the same, one wins.
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
		d.commitWith(func(x *tree.Editor) { add(t, x, "^ah", block(fmt.Sprint(i))) }, lifecycle.Input{})
	}
	d.reopen()
	list, err := d.store.History(background, d.state.Key, 1, d.state.Cycle)
	must(t, err)
	turn := list[0].Region(tree.Seq).Children().At(0)
	for _, t2 := range list {
		if t2.Region(tree.Seq).Children().At(0) != turn {
			t.Fatalf("the first turn is another entry in snapshot %d", t2.Cycle())
		}
	}
	list, err = d.store.History(background, d.state.Key, 7, 9)
	must(t, err)
	for i, got := range list {
		same(t, d.snapshots[7+int64(i)], got)
	}
}

func testLog(t *testing.T, s Suite) {
	d := drive(t, s, "log")
	c := d.edited(func(x *tree.Editor) { add(t, x, "^ah", block("x")) })
	c.Entry = store.Entry{Cycle: 1, TimeNS: -5, Actor: "é", Message: "why", Request: "token", Kind: store.Commit, Revision: 99}
	d.apply(c)
	d.commit()
	d.reopen()
	list, err := d.store.Log(background, d.state.Key, 1, 3)
	must(t, err)
	want := []store.Entry{
		{Revision: 1, Kind: store.Create},
		{Revision: 2, Kind: store.Edit, Cycle: 1, TimeNS: -5, Actor: "é", Message: "why", Request: "token"},
		{Revision: 3, Kind: store.Commit, Cycle: 1, TimeNS: d.clock, Message: "turn", Report: json.RawMessage(`{}`)},
	}
	if len(list) != len(want) {
		t.Fatalf("the log has %d entries, want %d", len(list), len(want))
	}
	for i := range want {
		sameEntry(t, want[i], list[i])
	}
	for _, c := range []struct{ from, to, n int64 }{{1, 1, 1}, {2, 3, 2}, {2, 99, 2}, {-4, 1, 1}, {4, 9, 0}, {3, 2, 0}} {
		list, err := d.store.Log(background, d.state.Key, c.from, c.to)
		if err != nil || int64(len(list)) != c.n {
			t.Errorf("revisions %d to %d: %d entries, %v, want %d", c.from, c.to, len(list), err, c.n)
		}
	}
}

func sameEntry(t *testing.T, want, got store.Entry) {
	t.Helper()
	report := bytes.Equal(want.Report, got.Report)
	want.Report, got.Report = nil, nil
	if !report || fmt.Sprint(want) != fmt.Sprint(got) {
		t.Errorf("logged %+v, want %+v", got, want)
	}
}

func testRequests(t *testing.T, s Suite) {
	d := drive(t, s, "requests")
	request := func(token string) store.Change {
		c := d.edited(func(x *tree.Editor) { add(t, x, "^ah", block(token)) })
		c.Entry.Request = token
		return c
	}
	d.apply(request("once"))
	d.apply(request(""))
	d.apply(request(""))
	wantCode(t, d.store.Apply(background, d.state.Key, d.guard(), request("once")), fault.Conflict)
	before := d.state
	a := request("twice")
	d.take(a)
	b := request("twice")
	d.state = before
	wantCode(t, d.store.Apply(background, d.state.Key, d.guard(), a, b), fault.Conflict)
	d.check()
	e, err := d.store.Request(background, d.state.Key, "once")
	must(t, err)
	if e == nil || e.Revision != 2 || e.Request != "once" || e.Kind != store.Edit {
		t.Errorf("the request is logged as %+v", e)
	}
	for _, token := range []string{"twice", "", "on"} {
		if e, err := d.store.Request(background, d.state.Key, token); err != nil || e != nil {
			t.Errorf("request %q is logged as %+v, %v", token, e, err)
		}
	}
	// Another context may use the token as well.
	other := driveIn(t, s, d.store, "others")
	c := other.edited(func(*tree.Editor) {})
	c.Entry.Request = "once"
	other.apply(c)
}

func testHas(t *testing.T, s Suite) {
	d := drive(t, s, "has")
	has := func(id string, want bool) {
		t.Helper()
		got, err := d.store.Has(background, d.state.Key, id)
		if err != nil || got != want {
			t.Errorf("has %q: %v, %v, want %v", id, got, err, want)
		}
	}
	var generated, looksGenerated string
	d.edit(func(x *tree.Editor) {
		generated = add(t, x, "^ah", block("generated"))
		for _, id := range []string{"mine", "block:7-3", "system"} {
			spec := block(id)
			spec.ID = id
			parent := "^ah"
			if id == "system" {
				parent = "^sys"
			}
			looksGenerated = add(t, x, parent, spec)
		}
		looksGenerated = "block:7-3"
	})
	check := func() {
		t.Helper()
		for _, id := range []string{"root", "sys", "seq", "ah", generated, "mine", looksGenerated, "system"} {
			has(id, true)
		}
		for _, id := range []string{"", "r", "ROOT", "root\x00", "block:7-4", "block:1-99", "block:0-0", "mine "} {
			has(id, false)
		}
	}
	check()
	d.commit()
	d.edit(func(x *tree.Editor) { must(t, x.Update("system", map[string]any{"content": "other"})) })
	d.edit(func(x *tree.Editor) { must(t, x.Remove("system")) })
	check()
	d.commit()
	d.reopen()
	check() // ids that were published stay taken
	other := driveIn(t, s, d.store, "elsewhere")
	if got, err := d.store.Has(background, other.state.Key, "mine"); err != nil || got {
		t.Errorf("the id of another context is taken: %v, %v", got, err)
	}
}

func testReaders(t *testing.T, s Suite) {
	d := drive(t, s, "readers")
	d.commitWith(func(x *tree.Editor) { add(t, x, "^ah", block("first")) }, lifecycle.Input{})
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
				if st.Head.Cycle() != st.Cycle || st.Working.Cycle() != st.Cycle+1 || int64(st.Head.Region(tree.Seq).Children().Len()) != st.Cycle {
					t.Errorf("loaded %+v with a tree of %d turns", st.Info, st.Head.Region(tree.Seq).Children().Len())
				}
				list, err := d.store.History(background, key, 1, st.Cycle)
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
