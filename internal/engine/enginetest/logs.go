package enginetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
)

func testLog(t *testing.T, s Suite) {
	d := drive(t, s, "log")
	first := d.state.Working
	c := d.edited(func(x *tree.Editor) { add(t, x, "^ah", block("x")) })
	c.Entry = history.Entry{Cycle: 1, TimeNS: -5, Actor: "é", Message: "why", Request: "token", Kind: history.Commit,
		Revision: 99,
		Digest:   "not", Thread: "theirs"}
	d.apply(c)
	sent := strings.Repeat("0f", 32)
	c = d.committed(engine.Change{Before: d.state.Working, After: d.state.Working, Stamps: d.state.Stamps},
		commit.Input{})
	c.Entry.Sent = sent
	edited := d.state.Working
	d.apply(c)
	d.reopen()
	list, err := d.store.Log(background, d.state.Key, 1, 3)
	must(t, err)
	want := []history.Entry{
		{Revision: 1, Kind: history.Create, Digest: first.Digest().String(), Thread: first.ThreadDigest().String()},
		{Revision: 2, Kind: history.Edit, Cycle: 1, TimeNS: -5, Actor: "é", Message: "why", Request: "token",
			Digest: edited.Digest().String()},
		{Revision: 3, Kind: history.Commit, Cycle: 1, TimeNS: d.clock, Message: "turn", Report: json.RawMessage(`{}`),
			Digest: d.state.Head.Digest().String(), Thread: d.state.Head.ThreadDigest().String(), Sent: sent},
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

func sameEntry(t *testing.T, want, got history.Entry) {
	t.Helper()
	report := bytes.Equal(want.Report, got.Report)
	want.Report, got.Report = nil, nil
	if !report || fmt.Sprint(want) != fmt.Sprint(got) {
		t.Errorf("logged %+v, want %+v", got, want)
	}
}

func testRequests(t *testing.T, s Suite) {
	d := drive(t, s, "requests")
	request := func(token string) engine.Change {
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
	if e == nil || e.Revision != 2 || e.Request != "once" || e.Kind != history.Edit {
		t.Errorf("the request is logged as %+v", e)
	}
	for _, token := range []string{"twice", "", "on"} {
		if e, err := d.store.Request(background, d.state.Key, token); err != nil || e != nil {
			t.Errorf("request %q is logged as %+v, %v", token, e, err)
		}
	}
	// Another context may use the same token.
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
