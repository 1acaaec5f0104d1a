package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/fault"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
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
	c := store.Change{Before: d.state.Working, After: d.state.Working, Stamps: d.state.Stamps}
	c = d.committed(c, lifecycle.Input{})
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
	if d.state.Head.Node(other) == nil {
		t.Fatal("no other node")
	}
	d.check()
	d.settled(of.IDs)
	log, err := d.store.Log(background, d.state.Key, 1, 99)
	must(t, err)
	if e := log[2]; e.Message != store.Blank || e.Actor != store.Blank || e.Request != "" || string(e.Report) != store.BlankReport {
		t.Errorf("the entry is %+v", e)
	}
	if found, err := d.store.Request(background, d.state.Key, secret); err != nil || found != nil {
		t.Errorf("the token is still there: %+v, %v", found, err)
	}
	if strings.Contains(fmt.Sprint(log), "Doe") {
		t.Errorf("the log still says it: %v", log)
	}

	// An entry by its number.
	e = d.erasing()
	e.Revisions = []int64{4}
	if of := d.erase(e); of.Entries != 1 || of.Versions != 0 {
		t.Errorf("erased %+v", of)
	}
	d.state.Revision++
	d.check()
	if log, err = d.store.Log(background, d.state.Key, 4, 4); err != nil || log[0].Message != store.Blank || log[0].Digest == "" {
		t.Errorf("the entry is %+v, %v", log[0], err)
	}

	// Where it cannot go.
	d.edit(func(x *tree.Editor) {
		spec := block("of Jim")
		spec.ID = "Jim-1"
		add(t, x, "^ah", spec)
		add(t, x, "^ah", tree.Spec{Type: "block:Joe"})
	})
	for _, text := range []string{"Jim", "Joe", "text"} {
		e := d.erasing()
		e.Texts = []string{text}
		_, err := d.store.Erase(background, d.state.Key, e)
		wantCode(t, err, fault.DocumentInvalid)
	}
	e = d.erasing()
	e.Texts = []string{"block", "2-0"} // what generated ids consist of is nobody's
	if of := d.erase(e); of.Versions != 0 {
		t.Errorf("erased %+v", of)
	}
	d.check()
}

func testEraseAttempts(t *testing.T, s Suite) {
	d := drive(t, s, "a")
	try := func(d *driver, said string) {
		t.Helper()
		a := d.start(call(d.state.Stamps.Cycle))
		a.Status, a.Error = store.Failed, said
		d.end(a)
	}
	d.edit(func(x *tree.Editor) { add(t, x, "^sys", tree.Spec{ID: "rule", Content: "Jane rules"}) })
	try(d, "of the working state of cycle 1")
	d.talk("one")
	try(d, "of the working state of cycle 2, before the rule went")
	d.commitWith(func(x *tree.Editor) { must(t, x.Remove("rule")) }, lifecycle.Input{})
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
	for _, a := range []*store.Attempt{d.attempts[0], d.attempts[1], f.attempts[1]} {
		a.Thread, a.Error = strings.Repeat("0", 64), store.Blank
	}
	checkAll(d, f)

	e = f.erasing()
	e.Texts = []string{"Joan"}
	if of := f.erase(e); of.Attempts != 1 || !slices.Equal(of.Contexts, []string{"a"}) {
		t.Errorf("erased %+v", of)
	}
	d.attempts[3].Error = store.Blank
	d.state.Revision++
	checkAll(d, f)
}
