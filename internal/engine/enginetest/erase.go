package enginetest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

var salt = []byte("0123456789abcdef0123456789abcdef")

// erasing is an erasure as a program requests it.
func (d *driver) erasing(ids ...string) engine.Erase {
	return engine.Erase{IDs: ids, Salt: salt, Guard: d.guard(), Entry: history.Entry{Actor: "officer", Message: "asked for",
		TimeNS: d.clock}}
}

func (d *driver) erase(e engine.Erase) *history.Erased {
	d.Helper()
	done, err := d.store.Erase(background, d.state.Key, e)
	must(d.T, err)
	if done.Remains != "" {
		d.Errorf("not cleaned up: %s", done.Remains)
	}
	return done
}

func set(ids ...string) map[string]bool {
	m := map[string]bool{}
	for _, id := range ids {
		m[id] = true
	}
	return m
}

func testErase(t *testing.T, s Suite) {
	d := drive(t, s, "chat")
	var rule, gone, draft string
	d.edit(func(x *tree.Editor) {
		rule = add(t, x, "^sys", tree.Spec{Content: "obey Jane", Role: "system", Kind: "jane:kind", Key: "jane",
			Tags: []string{"jane"}, Attrs: map[string]any{"data_who": "Jane"}, TTL: new(int64(9))})
		spec := block("Jane was here")
		spec.TTL = new(int64(2))
		gone = add(t, x, "^ah", spec)
	})
	d.commit()
	d.commitWith(func(x *tree.Editor) { must(t, x.Update(rule, map[string]any{"content": "obey Joan"})) },
		commit.Input{})
	d.talk("three", "four")
	d.edit(func(x *tree.Editor) { draft = add(t, x, "^ah", block("a draft")) })
	d.edit(func(x *tree.Editor) { must(t, x.Update(draft, map[string]any{"content": "a better draft"})) })
	d.check()
	if sure.Get(d.state.Head.Has(gone)) {
		t.Fatal("the node did not expire")
	}

	stale := d.erasing(rule)
	stale.Guard.Revision--
	for _, c := range []struct {
		e    engine.Erase
		code fault.Code
	}{
		{stale, fault.Conflict},
		{d.erasing("nobody"), fault.NodeNotFound},
		{d.erasing(rule, "nobody"), fault.NodeNotFound},
		{engine.Erase{IDs: []string{rule}, Guard: d.guard(), Entry: history.Entry{Message: "no salt"}}, fault.DocumentInvalid},
		{engine.Erase{IDs: []string{rule}, Guard: d.guard(), Salt: salt}, fault.DocumentInvalid},
		{engine.Erase{IDs: []string{rule}, Guard: d.guard(), Salt: salt,
			Entry: history.Entry{Message: "to obey Joan, of course"}}, fault.DocumentInvalid},
		{engine.Erase{Revisions: []int64{99}, Guard: d.guard(), Salt: salt, Entry: history.Entry{Message: "why not"}},
			fault.SnapshotNotFound},
	} {
		_, err := d.store.Erase(background, d.state.Key, c.e)
		wantCode(t, err, c.code)
	}
	_, err := d.store.Erase(background, d.state.Key+7, d.erasing(rule))
	wantCode(t, err, fault.ContextNotFound)
	dry := d.erasing(rule, gone, draft)
	dry.DryRun = true
	if of := d.erase(dry); of.Versions != 4 || !slices.Equal(of.Contexts, []string{"chat"}) {
		t.Errorf("a dry run says %+v", of)
	}
	d.check()

	want := []string{rule, gone, draft}
	slices.Sort(want)
	e := d.erasing(rule, gone, draft)
	d.expect(set(want...))
	of := d.erase(e)
	if of.Versions != 4 || !slices.Equal(of.IDs, want) || !slices.Equal(of.Contexts, []string{"chat"}) {
		t.Errorf("erased %+v", of)
	}
	d.check()
	d.settled(want)
	first, err := engine.Snapshot(background, d.store, d.state.Key, 1)
	must(t, err)
	if n := sure.Get(first.Node(rule)); n.Kind != "" || n.Key != "" || n.Role != "system" || n.Has("data_who") || n.Expiry != 10 {
		t.Errorf("left is %+v", n)
	}
	if of := d.erase(d.erasing(rule, draft)); of.Versions != 0 || len(of.Contexts) != 0 {
		t.Errorf("erased again: %+v", of)
	}
	d.check()
	d.erase(engine.Erase{})
	// The context goes on: a commit seals drafts, and gaps expire as other nodes do.
	d.commit()
	d.commitWith(func(x *tree.Editor) { must(t, x.Remove(rule)) }, commit.Input{})
	d.check()
}

// testEraseMoved erases a node below which others were moved, and from below which others were
// moved away with their children, in an imported history.
func testEraseMoved(t *testing.T, s Suite) {
	first := imported(t, 1,
		listed{id: "named", nodeType: "mc", parent: "sys"},
		listed{id: "other", nodeType: "mc", parent: "sys", offset: 1},
		listed{id: "moved", nodeType: "mc", parent: "other", offset: 2},
		listed{id: "inner", nodeType: "mc", parent: "moved", offset: 1},
		listed{id: "told", nodeType: "cb", parent: "inner", content: "my number is 4711"})
	to := func(from *tree.Tree, parent string) *tree.Tree {
		return sure.Get(from.Patch(from.Cycle()+1, nil, []tree.Born{{Node: sure.Get(from.Node("moved")), Parent: parent}}))
	}
	second := to(first, "named")
	later := tree.NewNode(tree.Node{ID: "later", Type: "cb", Cycle: 4, Expiry: tree.Never,
		Content: tree.InMemory(canon.String("after it was moved away"))}, nil)
	third := to(second, "other")
	d := driveHistory(t, s, "moved", first, second, third,
		sure.Get(third.Patch(4, nil, []tree.Born{{Node: later, Parent: "moved"}})))
	f := d.fork(2, "fork")
	f.commitWith(func(e *tree.Editor) {
		spec := block("while it was there")
		spec.ID = "forked"
		add(t, e, "inner", spec)
	}, commit.Input{})
	want := set("named", "moved", "inner", "told", "forked")
	e := d.erasing("named")
	d.expect(want)
	f.expect(want)
	if of := d.erase(e); !maps.Equal(set(of.IDs...), want) {
		t.Errorf("erased %v", of.IDs)
	}
	checkAll(d, f)
}

// testEraseBeside erases what another handle has read and still has in its cache: the nodes that it holds do not give the
// text out again, and what stayed is read as before.
func testEraseBeside(t *testing.T, s Suite) {
	if s.Beside == nil {
		return // no other handle can have read anything
	}
	d := drive(t, s, "beside")
	secret, rest := strings.Repeat("Jane Doe ", 1000), strings.Repeat("the rest ", 1000)
	d.talk(secret, rest, "three", "four", secret)
	reader := s.Beside(t, d.store)
	last, err := engine.Snapshot(background, reader, d.state.Key, 5)
	must(t, err)
	read := func(id string) (string, error) {
		v, err := sure.Get(last.Node(id)).Content.Value(background)
		return string(v), err
	}
	for range 2 { // the second time from the cache
		for id, want := range map[string]string{"block:1-0": secret, "block:2-0": rest, "block:5-0": secret} {
			if got, err := read(id); err != nil || !strings.Contains(got, want) {
				t.Fatalf("%s is %.20q, %v", id, got, err)
			}
		}
	}
	e := d.erasing("block:1-0", "block:5-0")
	d.expect(set("block:1-0", "block:5-0"))
	d.erase(e)
	for _, id := range []string{"block:1-0", "block:5-0"} {
		got, err := read(id)
		wantCode(t, err, fault.Conflict)
		if got != "" {
			t.Errorf("%s is still %.20q", id, got)
		}
	}
	if got, err := read("block:2-0"); err != nil || !strings.Contains(got, rest) {
		t.Errorf("what stayed is %.20q, %v", got, err)
	}
	d.check()
}
