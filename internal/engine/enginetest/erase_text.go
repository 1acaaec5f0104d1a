package enginetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

func testEraseText(t *testing.T, s Suite) {
	d := drive(t, s, "text")
	const secret = "Jané \"J\" Doe"
	hidden := []tree.Spec{
		block(secret),
		block("ask " + secret + "!"),
		{Content: map[string]any{"deep": []any{map[string]any{secret: 1}}}},
		{Content: map[string]any{"arguments": `{"name":"Jan\u00e9 \"J\" Doe"}`}},
		{Content: map[string]any{"arguments": `{"name":"\u004Aan\u00E9 \u0022J\u0022 Doe"}`}},
		{Content: map[string]any{"result": `{"of":"{\"name\":\"Jan\\u00E9 \\u0022J\\u0022 Doe\"}"}`}},
		{Content: "nothing", Attrs: map[string]any{"data_who": secret}},
		{Content: "nothing", Tags: []string{secret}},
		{Content: "nothing", Provenance: secret},
		{Content: []any{41.5, "5550199"}, Kind: "text"},
	}
	var ids []string
	var other string
	d.edit(func(x *tree.Editor) {
		for _, spec := range hidden {
			ids = append(ids, add(t, x, "^ah", spec))
		}
		other = add(t, x, "^ah", block("Jané is somebody else"))
	})
	c := engine.Change{Before: d.state.Working, After: d.state.Working, Stamps: d.state.Stamps}
	c = d.committed(c, commit.Input{})
	c.Entry.Message, c.Entry.Request, c.Entry.Actor = "for "+secret, secret, "clerk"
	d.apply(c)
	d.talk("two")

	e := d.erasing()
	e.Texts = []string{secret, "5550199"}
	e.Entry.Message = "asked for by " + secret
	_, err := d.store.Erase(background, d.state.Key, e)
	wantCode(t, err, fault.DocumentInvalid)
	e.Entry.Message = "asked for"
	d.expect(set(ids...))
	of := d.erase(e)
	if want := slices.Sorted(slices.Values(ids)); !slices.Equal(of.IDs, want) || of.Entries != 1 {
		t.Errorf("erased %+v, want %v", of, want)
	}
	if sure.Get(d.state.Head.Node(other)) == nil {
		t.Fatal("no other node")
	}
	d.check()
	d.settled(of.IDs)
	log, err := d.store.Log(background, d.state.Key, 1, 99)
	must(t, err)
	if e := log[2]; e.Message != history.Blank || e.Actor != history.Blank || e.Request != "" ||
		string(e.Report) != history.BlankReport {
		t.Errorf("the entry is %+v", e)
	}
	if found, err := d.store.Request(background, d.state.Key, secret); err != nil || found != nil {
		t.Errorf("the token is still there: %+v, %v", found, err)
	}
	if strings.Contains(fmt.Sprint(log), "Doe") {
		t.Errorf("the log still says it: %v", log)
	}

	// An entry, by its revision.
	e = d.erasing()
	e.Revisions = []int64{4}
	if of := d.erase(e); of.Entries != 1 || of.Versions != 0 {
		t.Errorf("erased %+v", of)
	}
	d.moved()
	d.check()
	if log, err = d.store.Log(background, d.state.Key, 4, 4); err != nil || log[0].Message != history.Blank ||
		log[0].Digest == "" {
		t.Errorf("the entry is %+v, %v", log[0], err)
	}

	// Places from which an erasure cannot remove a text.
	d.edit(func(x *tree.Editor) {
		spec := block("of Jim")
		spec.ID = "Jim-1"
		add(t, x, "^ah", spec)
		add(t, x, "^ah", tree.Spec{NodeType: "block:Joe"})
	})
	for _, text := range []string{"Jim", "Joe", "text"} {
		e := d.erasing()
		e.Texts = []string{text}
		_, err := d.store.Erase(background, d.state.Key, e)
		wantCode(t, err, fault.DocumentInvalid)
	}
	e = d.erasing()
	e.Texts = []string{"block", "2-0"} // the parts of generated ids are no one's text
	// The digests of the two erasures cover a working state before the last edit.
	if of := d.erase(e); of.Versions != 0 || of.Digests != 2 {
		t.Errorf("erased %+v", of)
	}
	d.moved()
	d.check()
}

func testEraseAttempts(t *testing.T, s Suite) {
	d := drive(t, s, "a")
	try := func(d *driver, said string) {
		t.Helper()
		a := d.start(call(d.state.Stamps.Cycle))
		a.Status, a.Error = history.Failed, said
		d.end(a)
	}
	d.edit(func(x *tree.Editor) { add(t, x, "^sys", tree.Spec{ID: "rule", Content: "Jane rules"}) })
	try(d, "of the working state of cycle 1")
	d.talk("one")
	try(d, "of the working state of cycle 2, before the rule went")
	d.commitWith(func(x *tree.Editor) { must(t, x.Remove("rule")) }, commit.Input{})
	try(d, "of what never had the rule")
	d.commit()
	f := d.fork(1, "f")
	try(f, "of the fork")
	try(d, "about Joan")
	checkAll(d, f)

	e := d.erasing("rule")
	d.expect(set("rule"))
	f.expect(set("rule"))
	if of := d.erase(e); of.Attempts != 3 || of.Versions != 1 {
		t.Errorf("erased %+v", of)
	}
	for _, a := range []*history.Attempt{d.attempts[0], d.attempts[1], f.attempts[1]} {
		a.Thread, a.Params, a.Error = history.NoThread, history.NoThread, history.Blank
	}
	checkAll(d, f)

	e = f.erasing()
	e.Texts = []string{"Joan"}
	if of := f.erase(e); of.Attempts != 2 || of.Said != 1 || !slices.Equal(of.Contexts, []string{"a"}) {
		t.Errorf("erased %+v", of)
	}
	d.attempts[3].Error = history.Blank
	for _, a := range d.attempts[2:] { // no snapshot shows what they sent
		a.Thread, a.Params = history.NoThread, history.NoThread
	}
	d.moved()
	checkAll(d, f)
}

// testEraseDrafts erases a text that only drafts had, which are gone: the hashes of these
// drafts go, and hashes of what snapshots show stay.
func testEraseDrafts(t *testing.T, s Suite) {
	d := drive(t, s, "a")
	d.talk("one") // revision 2
	draft := ""
	d.edit(func(x *tree.Editor) { draft = add(t, x, "^ah", block("PIN 4711")) })
	d.start(call(2))
	d.edit(func(x *tree.Editor) { must(t, x.Update(draft, map[string]any{"content": "PIN"})) })
	d.commit() // revision 5
	shown := d.state.Head.ThreadDigest().String()
	f := d.fork(2, "f")
	d.talk("three")
	d.edit(func(x *tree.Editor) { add(t, x, "^ah", block("more")) })
	sent := call(4)
	sent.Thread = shown // of a snapshot of another cycle
	d.start(sent)

	e := f.erasing()
	e.Texts = []string{"4711"}
	e.DryRun = true
	want := func(of *history.Erased) {
		t.Helper()
		if of.Digests != 2 || of.Attempts != 2 || len(of.IDs)+of.Versions+of.Entries+of.Said != 0 ||
			!slices.Equal(of.Contexts, []string{"a", "f"}) {
			t.Errorf("erased %+v", of)
		}
	}
	want(f.erase(e))
	checkAll(d, f)
	e.DryRun = false
	want(f.erase(e))
	for _, a := range d.attempts {
		a.Thread, a.Params = history.NoThread, history.NoThread
	}
	f.attempts[0].Thread, f.attempts[0].Params = history.NoThread, history.NoThread
	d.moved()
	f.moved()
	checkAll(d, f)
	for _, x := range []*driver{d, f} {
		log, err := x.store.Log(background, x.state.Key, 1, 99)
		must(t, err)
		for _, e := range log {
			if gone := e.Revision == 3 || e.Revision == 4; (e.Digest == "") != gone {
				t.Errorf("%s: revision %d has the digest %q", x.state.Name, e.Revision, e.Digest)
			}
		}
		of := log[len(log)-1].Erased()
		if of == nil || of.Digests != 2 || of.Attempts != map[*driver]int{d: 2, f: 1}[x] {
			t.Errorf("%s: the log says %+v", x.state.Name, of)
		}
	}
	e.Guard = f.guard()
	if of := f.erase(e); len(of.Contexts) != 0 {
		t.Errorf("erased again: %+v", of)
	}

	// The hash of a thread that a snapshot shows stays.
	c := d.committed(engine.Change{Before: d.state.Working, After: d.state.Working, Stamps: d.state.Stamps},
		commit.Input{})
	as := call(4)
	as.Thread = c.Sealed.ThreadDigest().String()
	d.start(as)
	d.start(call(4))
	d.apply(c)
	d.talk("five")
	e = d.erasing()
	e.Texts = []string{"4711"}
	if of := d.erase(e); of.Attempts != 1 || of.Digests != 2 {
		t.Errorf("erased %+v", of)
	}
	d.attempts[3].Thread, d.attempts[3].Params = history.NoThread, history.NoThread
	d.moved()
	checkAll(d, f)
}
