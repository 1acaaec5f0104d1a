package librarytest

import (
	"errors"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// What Find gives can be read without another question: role, kind, text and place
// of each hit are those of the snapshot that it was found in.
func TestFindSaysWhatAndWhere(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()), pact.CreateOptions{Edition: selector.Canonical})
	_, err := c.Commit(background, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
		b.Add("^sys", pact.Spec{ID: "rule", Role: "system", Kind: "text", Content: "Be brief."})
		b.Add("^ah", pact.Spec{ID: "asked", Role: "user", Kind: "text", Content: "Höllo", TTL: new(int64(4)),
			Tags: []string{"a"}})
		group := b.Add("^ah", pact.Spec{ID: "group", NodeType: "cont", Offset: 1})
		b.Add(group, pact.Spec{ID: "call", Kind: "call", Content: map[string]any{"name": "f"},
			Attrs: map[string]any{"data_n": 1 << 60}})
		return nil
	}, Pruning: &pact.Pruning{Policy: lifecycle.Policy{Orphans: lifecycle.Keep}}})
	must(t, err)
	must(t, c.Edit(background, func(b *pact.Batch) error {
		b.Update("rule", func(s *pact.Spec) { s.Content = "Be kind." })
		return nil
	}, nil))
	hits, err := c.Find(background, "@t0 .block", nil)
	must(t, err)
	turn := sure.Get(tree.Of(c.Working()).Region(tree.Seq).Children().At(0)).Node().ID
	want := []struct{ id, role, kind, text, region, turn, parent string }{
		{"rule", "system", "text", "Be brief.", "^sys", "", "sys"},
		{"asked", "user", "text", "Höllo", "^seq", turn, sure.Get(tree.Of(c.Working()).Parent("asked"))},
		{"call", "", "call", `{"name":"f"}`, "^seq", turn, "group"},
	}
	if len(hits) != len(want) {
		t.Fatalf("found %d nodes, want %d", len(hits), len(want))
	}
	for i, h := range hits {
		text, err := h.Node.Text(background)
		must(t, err)
		w, n := want[i], h.Node
		if n.ID != w.id || n.Role != w.role || n.Kind != w.kind || text != w.text || h.Region != w.region ||
			h.Turn != w.turn || h.Parent != w.parent || h.Snapshot.Cycle() != 1 {
			t.Errorf("hit %d: %+v of %q, want %+v", i, h, text, w)
		}
	}
	if ttl := hits[1].Node.TTL; ttl == nil || *ttl != 4 || hits[0].Node.TTL != nil {
		t.Errorf("ttl of asked is %v, of rule %v", ttl, hits[0].Node.TTL)
	}
	var call struct{ Name string }
	must(t, hits[2].Node.Decode(background, &call))
	if n, ok := hits[2].Node.Attrs["data_n"].(interface{ Int64() (int64, error) }); call.Name != "f" || !ok {
		t.Errorf("the call is %+v with %v", call, hits[2].Node.Attrs)
	} else if got, err := n.Int64(); got != 1<<60 || err != nil {
		t.Errorf("data_n is %d, %v", got, err)
	}
	if err := hits[2].Node.Decode(background, new(int)); !errors.Is(err, fault.DocumentInvalid) {
		t.Errorf("an object as a number: %v", err)
	}
	hits[1].Node.Tags[0] = "changed"
	if n, err := hits[1].Snapshot.Node("asked"); err != nil || n.Tags[0] != "a" {
		t.Errorf("a hit that was changed changed its snapshot: %v", n.Tags)
	}
	group, err := c.Find(background, "#group", nil)
	must(t, err)
	if text, err := group[0].Node.Text(background); text != "" || err != nil {
		t.Errorf("no content is %q, %v", text, err)
	}
	root, err := c.Find(background, "^root", nil)
	must(t, err)
	if len(root) != 1 || root[0].Region != "^root" || root[0].Parent != "" || root[0].Snapshot.Cycle() != 2 {
		t.Errorf("the root is %+v", root)
	}
}

// Options that a call cannot use are refused, none is ignored.
func TestSelectRefusesOptionsWithoutUse(t *testing.T) {
	c := threeSnapshots(t)
	for text, o := range map[string]pact.SelectOptions{
		".cb": {Skip: -1}, "@t0 .cb": {Limit: -1}, "@* .cb": {RangeAsIDs: true},
		".mt": {Where: "@t0", Limit: 1}, "^seq": {Edition: "none"},
	} {
		if _, err := c.Select(background, text, &o); !errors.Is(err, fault.SelectorInvalid) {
			t.Errorf("%s with %+v: %v", text, o, err)
		}
	}
}

// A document that was read on its own is what @t0, its cycle and @* name.
func TestADocumentIsAskedByItsAddresses(t *testing.T) {
	doc, err := documentOf(background, snapshotAt(t, threeSnapshots(t), pact.Cycle(2)))
	must(t, err)
	s, _, err := pact.ReadSnapshot(doc, "")
	must(t, err)
	for _, address := range []string{"", "@t0 ", "@c2 ", "@* "} {
		got, err := s.Select(background, address+".cb", nil)
		if want := []string{"s", "u1", "u2"}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%s.cb: %q, %v", address, got, err)
		}
	}
	for address, code := range map[string]fault.Code{"@t-1": fault.SnapshotNotFound, "@c1": fault.SnapshotNotFound,
		"@t-1..@t0": fault.SelectorInvalid} {
		if _, err := s.Select(background, address+" .cb", nil); !errors.Is(err, code) {
			t.Errorf("%s .cb: %v, want %s", address, err, code)
		}
	}
}

func TestOpenOrCreate(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	made, err := pact.OpenOrCreate(background, s, "chat", &pact.CreateOptions{Edition: selector.V01})
	must(t, err)
	must(t, made.Edit(background, say("one"), nil))
	for _, o := range []*pact.CreateOptions{nil, {Edition: selector.V01}} {
		again, err := pact.OpenOrCreate(background, s, "chat", o)
		if err != nil || again.Info().Edition != selector.V01 || again.Working().Digest() != made.Working().Digest() {
			t.Errorf("with %+v: %v", o, err)
		}
	}
	if _, err := pact.OpenOrCreate(background, s, "chat", &pact.CreateOptions{Edition: selector.Depth}); !errors.Is(err,
		fault.Conflict) {
		t.Errorf("in another edition: %v", err)
	}
	must(t, pact.Rename(background, s, "chat", "talk"))
	list, err := pact.List(background, s)
	if err != nil || len(list) != 1 || list[0].Name != "talk" {
		t.Errorf("after the renaming there are %v, %v", list, err)
	}
	if err := pact.Delete(background, s, "chat"); !errors.Is(err, fault.ContextNotFound) {
		t.Errorf("the old name: %v", err)
	}
	must(t, pact.Delete(background, s, "talk"))
	if _, err := pact.Open(background, s, "talk", nil); !errors.Is(err, fault.ContextNotFound) {
		t.Errorf("what was deleted: %v", err)
	}
}

// @* asks the working state too if it is told to, and then first.
func TestAllStatesIncludeTheWorkingOneIfAsked(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()))
	o := &pact.SelectOptions{Working: true}
	asked := func(text string, o *pact.SelectOptions) []string {
		t.Helper()
		list, err := c.Select(background, text, o)
		must(t, err)
		return list
	}
	must(t, c.Edit(background, say("draft"), nil))
	if got := asked("@* .block", o); len(got) != 1 {
		t.Errorf("before the first snapshot: %q", got)
	}
	_, err := c.Commit(background, nil)
	must(t, err)
	must(t, c.Edit(background, say("answer"), nil))
	if got := asked("@* .block", nil); len(got) != 1 {
		t.Errorf("the snapshots have %q", got)
	}
	if got := asked("@* .block", o); len(got) != 2 {
		t.Errorf("all states have %q", got)
	}
	if got := asked("@t0 .block", o); len(got) != 1 {
		t.Errorf("the snapshot has %q", got)
	}
	hits, err := c.Find(background, "@* .block", o)
	must(t, err)
	if hits[0].Snapshot.Cycle() != 2 {
		t.Errorf("the working state is not asked first: %+v", hits[0])
	}
	x, err := c.Explain(background, "@* .block", o)
	must(t, err)
	if x.Snapshots != 2 || x.Returned != 2 {
		t.Errorf("%+v", x)
	}
}
