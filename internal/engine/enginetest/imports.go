package enginetest

import (
	"fmt"
	"testing"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// listed is a node of an imported document.
type listed struct {
	id, nodeType, parent string
	offset               int64
	content              string
	expiry               int64 // 0 for none
}

var regions = []listed{{id: "root", nodeType: "^root"}, {id: "sys", nodeType: "^sys", parent: "root"},
	{id: "seq", nodeType: "^seq", parent: "root"}, {id: "ah", nodeType: "^ah", parent: "root"}}

// imported builds a tree of nodes, parents first; it adds the regions.
func imported(t *testing.T, cycle int64, nodes ...listed) *tree.Tree {
	t.Helper()
	at := make(map[string]int)
	var placed []tree.Placed
	for i, l := range append(append([]listed(nil), regions...), nodes...) {
		n := tree.Node{ID: l.id, Type: l.nodeType, Offset: l.offset, Cycle: cycle, Index: int64(i), Expiry: tree.Never,
			ForeignISO: "yesterday"}
		if l.expiry != 0 {
			n.Expiry = l.expiry
		}
		if l.content != "" {
			n.Content = tree.InMemory(canon.String(l.content))
		}
		parent := -1
		if l.parent != "" {
			parent = at[l.parent]
		}
		at[l.id] = len(placed)
		placed = append(placed, tree.Placed{Node: tree.NewNode(n, nil), Parent: parent})
	}
	built, err := tree.Build(cycle, placed)
	must(t, err)
	return built
}

func testImport(t *testing.T, s Suite) {
	nodes := []listed{{id: "rule", nodeType: "cb", parent: "sys", content: "be brief"}}
	for i := range 150 { // more than fit into one batch of a store
		turn := fmt.Sprint("mt:7-", i)
		nodes = append(nodes, listed{id: turn, nodeType: "mt", parent: "seq"},
			listed{id: turn + "/b", nodeType: "cb:user", parent: turn, content: fmt.Sprint("turn ", i)})
	}
	first := imported(t, 7, nodes...)
	d := driveFrom(t, s, "import", first)
	if d.state.First != 7 || d.state.Cycle != 7 {
		t.Errorf("begun as %+v", d.state.Info)
	}
	d.check()
	d.edit(func(x *tree.Editor) { must(t, x.Update("rule", map[string]any{"content": "be briefer"})) })
	d.edit(func(x *tree.Editor) {
		spec := block("attached")
		spec.Offset = 1
		add(t, x, "mt:7-3", spec)
	})
	d.check()
	d.commitWith(func(x *tree.Editor) { add(t, x, "^ah", block("new")) }, commit.Input{Prune: []string{"mt:7-149"}})
	d.check()
	for id, want := range map[string]bool{"mt:7-0": true, "mt:7-149": true, "mt:7-150": false, "mt:8-0": false} {
		if got, err := d.store.Has(background, d.state.Key, id); err != nil || got != want {
			t.Errorf("has %s: %v, %v", id, got, err)
		}
	}
}

// testImportedHead begins with a published node in ^ah, and seals it.
func testImportedHead(t *testing.T, s Suite) {
	around := []listed{
		{id: "early", nodeType: "cb", parent: "ah", offset: -1, content: "early"},
		{id: "late", nodeType: "cb", parent: "ah", offset: 1, content: "late", expiry: 5},
		{id: "group", nodeType: "mc:g", parent: "ah", offset: 2},
		{id: "grouped", nodeType: "cb", parent: "group", content: "grouped"},
	}
	for name, core := range map[string][]listed{
		"none": nil,
		"elided": {{id: "b1", nodeType: "cb", parent: "ah", content: "one"}, {id: "b2", nodeType: "cb", parent: "ah",
			content: "two"}},
		"explicit": {{id: "core", nodeType: "mc", parent: "ah"}, {id: "b1", nodeType: "cb", parent: "core", content: "one"}},
		"both": {{id: "core", nodeType: "mc", parent: "ah"}, {id: "b1", nodeType: "cb", parent: "core", content: "one"},
			{id: "b2", nodeType: "cb", parent: "ah", content: "beside the core"}},
		"byPlace": {{id: "core", nodeType: "odd", parent: "ah"}, {id: "b1", nodeType: "cb", parent: "core", content: "one"}},
		"emptied": {{id: "core", nodeType: "odd", parent: "ah"}, {id: "b1", nodeType: "cb", parent: "core", content: "goes",
			expiry: 4},
			{id: "b2", nodeType: "cb", parent: "ah", content: "beside the core"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := driveFrom(t, s, "head", imported(t, 3, append(append([]listed(nil), core...), around...)...))
			d.check()
			d.edit(func(x *tree.Editor) { add(t, x, "^ah", block("more")) })
			d.check()
			d.commit()
			d.check()
			d.commitWith(func(x *tree.Editor) { add(t, x, "^ah", block("and on")) }, commit.Input{})
			d.check()
		})
	}
}

// driveHistory begins with imported snapshots of successive cycles.
func driveHistory(t *testing.T, s Suite, name string, trees ...*tree.Tree) *driver {
	t.Helper()
	d := driveFrom(t, s, "first of "+name, trees[0])
	g := engine.Creation{Name: name, Edition: "v0.1", Tree: trees[0], Imported: true, Stamps: d.state.Stamps}
	before := trees[0].WithCycle(trees[0].Cycle() + 1)
	var changes []engine.Change
	for _, next := range trees[1:] {
		stamps := tree.Stamps{Cycle: next.Cycle() + 1, Given: -1}
		c := engine.Change{Before: before, Sealed: next, After: next.WithCycle(stamps.Cycle), Stamps: stamps,
			Entry: history.Entry{Cycle: next.Cycle()}}
		changes, before = append(changes, c), c.After
	}
	d.take(changes...)
	g.Changes = sequence(changes)
	info, err := d.store.Create(background, g)
	must(t, err)
	d.state.Key, d.state.Name = info.Key, info.Name
	for cycle, i := range d.published {
		i.Key, i.Name = info.Key, info.Name
		d.published[cycle] = i
	}
	return d
}

// testImportedHistory begins with imported snapshots that were built separately, some of them
// with the same ^ah.
func testImportedHistory(t *testing.T, s Suite) {
	turn := func(i int) []listed {
		id := fmt.Sprint("t", i)
		return []listed{{id: id, nodeType: "mt", parent: "seq", offset: int64(i)}, {id: id + "b", nodeType: "cb", parent: id,
			content: id}}
	}
	head := func(i int) listed {
		return listed{id: fmt.Sprint("h", i), nodeType: "cb", parent: "ah", content: "head"}
	}
	trees := []*tree.Tree{
		imported(t, 4, append(turn(1), head(1))...),
		imported(t, 5, append(append(turn(1), turn(2)...), head(1), head(2))...),
		imported(t, 6, append(append(turn(1), turn(2)...), listed{id: "h1", nodeType: "cb", parent: "t2", offset: 1,
			content: "head"}, head(3))...),
		imported(t, 7, append(append(turn(2), turn(3)...), turn(4)...)...),
		imported(t, 8, append(turn(1), head(3))...),
	}
	d := driveHistory(t, s, "history", trees...)
	d.check()
	d.commitWith(func(x *tree.Editor) { add(t, x, "^ah", block("and on")) }, commit.Input{})
	d.check()
}

// testForeignDrafts gives the head a core beside blocks at offset 0, and removes it again: no
// edit can do that, but an imported tree may contain it.
func testForeignDrafts(t *testing.T, s Suite) {
	for _, published := range []bool{false, true} {
		d := driveFrom(t, s, "foreign", imported(t, 3, listed{id: "old", nodeType: "cb", parent: "ah", content: "published"}))
		if !published {
			d = drive(t, s, "foreign")
		}
		d.edit(func(x *tree.Editor) { add(t, x, "^ah", block("draft")) })
		core := tree.NewNode(tree.Node{ID: "core", Type: "mc", Cycle: d.state.Stamps.Cycle, Expiry: tree.Never}, nil)
		head := d.state.Working.Region(tree.Head).Node().ID
		for _, explicit := range []bool{true, false, true} {
			c := d.edited(func(*tree.Editor) {})
			if explicit {
				c.After = sure.Get(c.Before.Patch(c.Before.Cycle(), nil, []tree.Born{{Node: core, Parent: head}}))
			} else {
				c.After = sure.Get(c.Before.Without("core"))
			}
			d.apply(c)
			d.check()
		}
		d.commit()
		d.check()
		d.commit()
		d.check()
	}
}

// driveImported begins with a tree that has a published node in ^ah, and nodes that are turn, container or block by their
// place alone.
func driveImported(t *testing.T, s Suite) *driver {
	t.Helper()
	return driveFrom(t, s, "imported", imported(t, 3,
		listed{id: "t", nodeType: "mt", parent: "seq"}, listed{id: "tb", nodeType: "cb", parent: "t", content: "c"},
		listed{id: "rule", nodeType: "cb", parent: "sys", content: "rule"},
		listed{id: "hb", nodeType: "cb", parent: "ah", content: "in the head", expiry: 6},
		listed{id: "hg", nodeType: "mc", parent: "ah", offset: 1},
		listed{id: "block:9-9", nodeType: "cb", parent: "ah", offset: 1},
		listed{id: "turn", nodeType: "odd", parent: "seq", offset: 1},
		listed{id: "bare", nodeType: "odd", parent: "seq", offset: 2},
		listed{id: "box", nodeType: "odd", parent: "turn", offset: 1},
		listed{id: "only", nodeType: "odd", parent: "box", content: "x", expiry: 5},
		listed{id: "leaf", nodeType: "odd", parent: "turn", offset: 2, content: "y"},
		listed{id: "sysbox", nodeType: "odd", parent: "sys", offset: 1},
		listed{id: "sysleaf", nodeType: "odd", parent: "sysbox", content: "z"}))
}
