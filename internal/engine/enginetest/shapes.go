package enginetest

import (
	"fmt"
	"testing"

	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

func testSystemUpdates(t *testing.T, s Suite) {
	d := drive(t, s, "system")
	var rule, group, inside string
	d.edit(func(x *tree.Editor) {
		rule = add(t, x, "^sys", block("be brief"))
		group = add(t, x, "^sys", tree.Spec{Type: "cont:rules", Offset: 1})
		inside = add(t, x, group, block("and kind"))
	})
	d.commit()
	old := sure.Get(d.snapshots[1].Node(rule))
	d.edit(func(x *tree.Editor) {
		must(t, x.Update(rule, map[string]any{"content": "be very brief", "priority": 3}))
	})
	d.check()
	d.edit(func(x *tree.Editor) { must(t, x.Update(rule, map[string]any{"content": "be brief indeed"})) })
	d.edit(func(x *tree.Editor) { must(t, x.Update(group, map[string]any{"tags": []string{"t"}})) })
	d.check()
	d.commit()
	d.edit(func(x *tree.Editor) { must(t, x.Update(rule, map[string]any{"content": "never published"})) })
	d.edit(func(x *tree.Editor) { must(t, x.Remove(rule)) })
	d.check()
	d.commit()
	d.commitWith(func(x *tree.Editor) { must(t, x.Update(inside, map[string]any{"data_x": 1.5})) }, commit.Input{})
	d.check()
	got, err := engine.Snapshot(background, d.store, d.state.Key, 1)
	must(t, err)
	sameNode(t, old, sure.Get(got.Node(rule)))
	got, err = engine.Snapshot(background, d.store, d.state.Key, 2)
	must(t, err)
	if v, err := sure.Get(got.Node(rule)).Content.Value(background); err != nil || v != `"be brief indeed"` {
		t.Errorf("snapshot 2 holds %s, %v", v, err)
	}
}

func testRemoval(t *testing.T, s Suite) {
	d := drive(t, s, "removal")
	var draft, group, kept string
	d.edit(func(x *tree.Editor) {
		draft = add(t, x, "^ah", block("a draft"))
		group = add(t, x, "^ah", tree.Spec{Type: "cont", Offset: 3})
		add(t, x, group, block("one"))
		kept = add(t, x, group, block("two"))
	})
	d.edit(func(x *tree.Editor) { must(t, x.Remove(draft)) })
	d.check()
	d.commit()
	d.edit(func(x *tree.Editor) { must(t, x.Remove(kept)) })
	d.check()
	d.edit(func(x *tree.Editor) { must(t, x.Remove(group)) })
	d.check()
	d.commit()
	d.check()
}

func testDraftChanges(t *testing.T, s Suite) {
	d := drive(t, s, "draft changes")
	var a, b, c, group string
	d.edit(func(x *tree.Editor) {
		a, b, c = add(t, x, "^ah", block("a")), add(t, x, "^ah", block("b")), add(t, x, "^ah", block("c"))
	})
	steps := []func(x *tree.Editor){
		func(x *tree.Editor) { must(t, x.Update(a, map[string]any{"content": nil, "kind": nil, "key": "k"})) },
		func(x *tree.Editor) { must(t, x.Update(a, map[string]any{"content": []int{1, 2}})) },
		func(x *tree.Editor) { must(t, x.Reorder(c, b, a)) },
		func(x *tree.Editor) { must(t, x.Update(b, map[string]any{"offset": -2})) },
		func(x *tree.Editor) { group = add(t, x, "^ah", tree.Spec{Type: "cont:late", Offset: 4}) },
		func(x *tree.Editor) { moved(t, x, a, group, 0) }, // below a younger node
		func(x *tree.Editor) { moved(t, x, b, "^sys", 1) },
		func(x *tree.Editor) { moved(t, x, group, "^sys", 2) },
		func(x *tree.Editor) { moved(t, x, b, group, -1) },
		func(x *tree.Editor) { moved(t, x, a, "^ah", 0) },
		func(x *tree.Editor) {
			_, err := x.AddAt(tree.Gap{Parent: "^ah", Core: true, Edge: tree.Start}, block("first of all"))
			must(t, err)
		},
		func(x *tree.Editor) { moved(t, x, group, "^ah", 1) },
	}
	for _, step := range steps {
		d.edit(step)
		d.check()
	}
	d.commit()
	d.check()
}

func moved(t *testing.T, x *tree.Editor, id, parent string, offset int64) {
	t.Helper()
	_, err := x.Move(id, parent, offset)
	must(t, err)
}

func testDraftReset(t *testing.T, s Suite) {
	d := drive(t, s, "reset")
	var rule, note, id string
	d.edit(func(x *tree.Editor) {
		rule, note = add(t, x, "^sys", block("rule")), add(t, x, "^sys", tree.Spec{Type: "cont", Offset: 1})
		add(t, x, note, block("inside"))
	})
	d.commit()
	for range 2 {
		d.edit(func(x *tree.Editor) {
			must(t, x.Update(rule, map[string]any{"content": "changed"}))
			must(t, x.Remove(note))
			id = add(t, x, "^ah", block("draft"))
		})
		d.check()
		c := d.edited(func(*tree.Editor) {})
		c.After = d.state.Head.WithCycle(c.Stamps.Cycle)
		d.apply(c)
		d.check()
		if sure.Get(d.state.Working.Has(id)) || !sure.Get(d.state.Working.Has(note)) {
			t.Error("the working state was not put back")
		}
	}
	d.commit()
	d.edit(func(x *tree.Editor) { must(t, x.Remove(note)) })
	d.commit()
	d.check()
}

func testLifecycle(t *testing.T, s Suite) {
	d := drive(t, s, "lifecycle")
	var group, pair string
	d.edit(func(x *tree.Editor) {
		spec := block("gone before it is seen")
		spec.TTL = tree.TTL(0)
		add(t, x, "^ah", spec)
		group = add(t, x, "^ah", tree.Spec{Type: "cont", Offset: 1, Removable: true})
		spec = block("in two snapshots")
		spec.TTL = tree.TTL(2)
		pair = add(t, x, group, spec)
		held := block("refers")
		held.Refs = []string{pair}
		held.TTL = tree.TTL(4)
		add(t, x, "^ah", held)
		sys := block("system for one")
		sys.TTL = tree.TTL(1)
		add(t, x, "^sys", sys)
	})
	for i := range 8 {
		d.commitWith(func(x *tree.Editor) {
			late := block(fmt.Sprint("late ", i))
			late.Offset, late.Priority = 1, int64(-i)
			add(t, x, "^ah", late)
		}, commit.Input{})
		d.check()
	}
	if sure.Get(d.state.Head.Has(group)) {
		t.Error("the group did not cascade")
	}
	turn := sure.Get(d.state.Head.Region(tree.Seq).Children().At(2)).Node().ID
	d.commitWith(nil, commit.Input{Prune: []string{turn}})
	d.commitWith(nil, commit.Input{Policy: lifecycle.Policy{MaxNodes: 12, ProtectTurns: 2}})
	if sure.Get(d.state.Head.Has(turn)) {
		t.Error("the turn was not pruned")
	}
	d.check()
}

func testCores(t *testing.T, s Suite) {
	d := drive(t, s, "cores")
	var core string
	explicit := func(x *tree.Editor) { core = add(t, x, "^ah", tree.Spec{Type: "cont"}) }
	inCore := func(x *tree.Editor) { add(t, x, "^ah", block("in the core")) }
	around := func(x *tree.Editor) {
		early := block("early")
		early.Offset = -1
		add(t, x, "^ah", early)
	}
	// Explicit core in its own step, with its content and blocks around it.
	for _, step := range []func(*tree.Editor){explicit, inCore, around} {
		d.edit(step)
		d.check()
	}
	d.commit()
	// Explicit core and commit in one step.
	d.commitWith(func(x *tree.Editor) { explicit(x); inCore(x); around(x) }, commit.Input{})
	// Elided core, its content in two steps.
	d.edit(inCore)
	d.edit(around)
	d.commitWith(inCore, commit.Input{})
	// An explicit core that is removed leaves an elided one.
	d.edit(explicit)
	d.edit(func(x *tree.Editor) { must(t, x.Remove(core)) })
	d.edit(inCore)
	d.check()
	d.commit()
	// An empty explicit core.
	d.edit(explicit)
	d.commit()
	d.commit()
	d.check()
}

func testGroups(t *testing.T, s Suite) {
	d := drive(t, s, "groups")
	var outer, inner, post string
	d.edit(func(x *tree.Editor) {
		outer = add(t, x, "^sys", tree.Spec{Type: "cont:tools", Offset: -3})
		inner = add(t, x, outer, tree.Spec{Type: "x:odd"}) // a block by its place
		post = add(t, x, "^ah", tree.Spec{Type: "cont", Offset: 2, Removable: true})
		add(t, x, post, block("in the group"))
	})
	d.check()
	d.edit(func(x *tree.Editor) {
		nested := add(t, x, post, tree.Spec{Type: "cont", Offset: 0})
		add(t, x, nested, block("deep"))
	})
	d.commit()
	d.edit(func(x *tree.Editor) { add(t, x, outer, block("another tool")) })
	d.edit(func(x *tree.Editor) { must(t, x.Remove(inner)) })
	d.commit()
	d.check()
}

func testAttachments(t *testing.T, s Suite) {
	d := drive(t, s, "attachments")
	for i := range 3 {
		d.commitWith(func(x *tree.Editor) { add(t, x, "^ah", block(fmt.Sprint("turn ", i))) }, commit.Input{})
	}
	d.reopen()
	turn := sure.Get(d.state.Head.Region(tree.Seq).Children().At(1)).Node().ID
	var id string
	d.edit(func(x *tree.Editor) {
		spec := block("attached")
		spec.Offset = 1
		id = add(t, x, turn, spec)
	})
	d.check()
	d.edit(func(x *tree.Editor) { must(t, x.Update(id, map[string]any{"content": "attached, better"})) })
	d.commit()
	d.check()
	// Moving an earlier node ends it and makes a new node.
	d.commitWith(func(x *tree.Editor) { moved(t, x, id, "^ah", -1) }, commit.Input{})
	d.check()
}
