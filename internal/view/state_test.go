package view_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/provenance"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/store"

	"github.com/contexttree/pact/transcript"
)

// repair is a context with a failed call, an expiry and an edit by hand.
func repair(t *testing.T) *pact.Context {
	t.Helper()
	data, err := os.ReadFile("../../examples/conversations/weather.json")
	must(t, err)
	list, err := transcript.Read(data)
	must(t, err)
	c, err := transcript.Import(t.Context(), pact.NewDB(store.NewMemory()), "weather", list[0], nil)
	must(t, err)
	edit := func(b *pact.Batch) error {
		b.Add("^sys", pact.Spec{ID: "rule", Role: "system", Kind: "text", Content: "Never guess.", Key: "rules",
			Tags: []string{"fixed"}, Attrs: map[string]any{"data_level": "high"}})
		b.Add("^ah", pact.Spec{ID: "group", NodeType: "cont", Offset: 1})
		b.Add("group", pact.Spec{ID: "long", Role: "user", Content: strings.Repeat("Zürich\n", 60_000), TTL: new(int64(9)),
			Refs: []string{"rule"}})
		return nil
	}
	note := pact.Note{Actor: "ann", Message: "why"}
	_, err = c.Commit(t.Context(), &pact.CommitOptions{Note: note, Edit: edit})
	must(t, err)
	return c
}

type words struct{}

func (words) Name() string          { return "words" }
func (words) Count(text string) int { return len(strings.Fields(text)) }

func stateAt(t *testing.T, c *pact.Context, cycle int64) *view.State {
	t.Helper()
	log, err := provenance.LogOf(c.Log(t.Context(), 0))
	must(t, err)
	v := &view.State{Log: log, Counter: words{}}
	if v.Snapshot, err = c.At(t.Context(), pact.Cycle(cycle)); err != nil {
		t.Fatal(err)
	}
	if cycle > 1 {
		if v.Before, err = c.At(t.Context(), pact.Cycle(cycle-1)); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

// TestBlocksAreThoseOfTheThread compares the rows with the objects of the rendered thread.
func TestBlocksAreThoseOfTheThread(t *testing.T) {
	c := repair(t)
	last := c.Info().Cycle
	for cycle := int64(1); cycle <= last; cycle++ {
		v := stateAt(t, c, cycle)
		thread, err := v.Snapshot.Thread(t.Context())
		must(t, err)
		var objects []json.RawMessage
		must(t, json.Unmarshal(thread, &objects))
		var rows []view.Block
		var sums []view.KindSum
		for after, more := 0, true; more; {
			p, err := v.Blocks(t.Context(), view.Filter{After: after, Limit: 2})
			if err != nil || p.Total != len(objects) {
				t.Fatalf("%d rows, want %d, %v", p.Total, len(objects), err)
			}
			rows, sums, after, more = append(rows, p.Items...), p.Sums, p.Next, p.Next > 0
		}
		same := sameObjects(t, v.Before, objects)
		bytesOf := map[string]int64{}
		for i, b := range rows {
			if b.Place != i || !bytes.Equal(thread[b.Start:b.Start+b.Bytes], objects[i]) || b.New != (cycle > 1 && i >= same) {
				t.Errorf("cycle %d: row %d is %+v, want %s; %d are the same", cycle, i, b, objects[i], same)
			}
			var object struct{ ID, Role string }
			if err := json.Unmarshal(objects[i], &object); err != nil || object.ID != b.ID || object.Role != b.ShownRole {
				t.Errorf("row %d is %+v, want %+v", i, b, object)
			}
			bytesOf[b.ShownKind] += b.Bytes
		}
		for _, s := range sums {
			if s.Bytes != bytesOf[s.Kind] || s.Tokens == nil {
				t.Errorf("%+v, want %d bytes", s, bytesOf[s.Kind])
			}
		}
		if len(sums) != len(bytesOf) {
			t.Errorf("%d sums, want %d", len(sums), len(bytesOf))
		}
	}
}

// sameObjects returns how many objects at the beginning a state and a list have in common.
func sameObjects(t *testing.T, before *pact.Snapshot, objects []json.RawMessage) (n int) {
	t.Helper()
	if before == nil {
		return 0
	}
	thread, err := before.Thread(t.Context())
	must(t, err)
	var older []json.RawMessage
	must(t, json.Unmarshal(thread, &older))
	for n < len(older) && n < len(objects) && bytes.Equal(older[n], objects[n]) {
		n++
	}
	return n
}

func TestBlocksAreFilteredAndSorted(t *testing.T) {
	c := repair(t)
	last := c.Info().Cycle
	v := stateAt(t, c, last)
	all, err := v.Blocks(t.Context(), view.Filter{Limit: 1000})
	must(t, err)
	for _, f := range []view.Filter{{Kinds: []view.Kind{view.KindCall, view.KindResult}}, {Failed: true},
		{IDs: map[string]bool{"rule": true}}, {Order: view.ByBytes}} {
		f.Limit = 1000
		got, err := v.Blocks(t.Context(), f)
		must(t, err)
		want := slices.DeleteFunc(slices.Clone(all.Items), func(b view.Block) bool {
			return f.Kinds != nil && b.ShownKind != "call" && b.ShownKind != "result" || f.Failed && !b.Failed ||
				f.IDs != nil && !f.IDs[b.ID]
		})
		if f.Order == view.ByBytes {
			slices.SortStableFunc(want, func(a, b view.Block) int { return int(b.Bytes - a.Bytes) })
		}
		a, _ := json.Marshal(got.Items)
		b, _ := json.Marshal(want)
		if !bytes.Equal(a, b) || got.Total != len(want) {
			t.Errorf("%+v: %s\nwant %s", f, a, b)
		}
	}
	pairs := 0
	for _, b := range all.Items {
		if b.ShownKind == "call" && b.Result != "" && b.Tool != "" {
			pairs++
		}
	}
	if pairs == 0 {
		t.Error("no call has a result")
	}
}

// TestTreeIsInDocumentOrder compares pages of the tree with all nodes.
func TestTreeIsInDocumentOrder(t *testing.T) {
	c := repair(t)
	last := c.Info().Cycle
	v := stateAt(t, c, last)
	for _, under := range []string{"", "group", "^seq"} {
		var want []string
		for e := range sure.All(tree.Of(v.Snapshot).All()) {
			path := sure.Get(tree.Of(v.Snapshot).Path(e.Node().ID))
			if under == "" || slices.ContainsFunc(path, func(a *tree.Entry) bool { return a.Node().ID == under }) {
				want = append(want, e.Node().ID)
			}
		}
		var got []string
		if under == "^seq" {
			under = tree.Of(v.Snapshot).Region(tree.Seq).Node().ID
			for e := range sure.All(tree.Of(v.Snapshot).All()) {
				if p := sure.Get(tree.Of(v.Snapshot).Path(e.Node().ID)); len(p) > 1 && p[1].Class() == tree.Seq {
					want = append(want, e.Node().ID)
				}
			}
		}
		for after := 0; ; {
			p, err := v.Tree(t.Context(), under, after, 3)
			if err != nil || p.Total != len(want) {
				t.Fatalf("%d nodes, want %d, %v", p.Total, len(want), err)
			}
			for _, r := range p.Items {
				got = append(got, r.ID)
				if path := sure.Get(tree.Of(v.Snapshot).Path(r.ID)); under == "" && r.Depth != len(path)-1 {
					t.Errorf("%s has depth %d, want %d", r.ID, r.Depth, len(path)-1)
				}
			}
			if after = p.Next; after == 0 {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("under %q: %v, want %v", under, got, want)
		}
	}
	if _, err := v.Tree(t.Context(), "nobody", 0, 1); !errors.Is(err, fault.NodeNotFound) {
		t.Errorf("%v, want E_NODE_NOT_FOUND", err)
	}
}

func TestNodesNamesAndTexts(t *testing.T) {
	c := repair(t)
	last := c.Info().Cycle
	v := stateAt(t, c, last)
	n, err := v.Node(t.Context(), c, "long")
	must(t, err)
	if n.Complete || n.Form != "text" || len(*n.Text) > 256<<10 || !strings.HasPrefix(string(*n.Text), "Zürich\n") ||
		n.By != "ann" || n.Message != "why" || !slices.Equal(n.Refs, []string{"rule"}) || *n.TTL != 9 ||
		!slices.Equal(n.Carried, []view.Span{{From: last, To: last}}) || n.Parent != "group" || *n.Tokens != 60_000 {
		n.Text = nil
		t.Errorf("%+v", n)
	}
	if n, err = v.Node(t.Context(), c, "rule"); err != nil || !slices.Equal(n.ReferredBy, []string{"long"}) ||
		string(n.Attrs["data_level"]) != `"high"` || *n.Text != "Never guess." || !n.Complete {
		t.Errorf("%+v, %v", n, err)
	}
	names, err := v.Names(t.Context())
	if err != nil || !slices.Contains(names.Keys, "rules") || !slices.Contains(names.Tags, "fixed") ||
		len(names.Tools) == 0 ||
		!slices.ContainsFunc(names.Attributes, func(a view.Attribute) bool {
			return a.Name == "data_level" && slices.Equal(a.Values, []string{"high"})
		}) {
		t.Errorf("%+v, %v", names, err)
	}
}

// TestCarriedIsEverySnapshotThatHasTheNode asks each snapshot.
func TestCarriedIsEverySnapshotThatHasTheNode(t *testing.T) {
	c := repair(t)
	for range 12 {
		_, err := c.Commit(t.Context(), nil)
		must(t, err)
	}
	last := c.Info().Cycle
	spans := map[string]view.Span{}
	for s, err := range c.History(t.Context(), pact.Cycle(1), "latest") {
		must(t, err)
		for e := range sure.All(tree.Of(s).All()) {
			id, span := e.Node().ID, spans[e.Node().ID]
			if span.From == 0 {
				span.From = s.Cycle()
			}
			span.To = s.Cycle()
			spans[id] = span
		}
	}
	for cycle := int64(1); cycle <= last; cycle++ {
		v := stateAt(t, c, cycle)
		for e := range sure.All(tree.Of(v.Snapshot).All()) {
			n, err := v.Node(t.Context(), c, e.Node().ID)
			if err != nil || !slices.Equal(n.Carried, []view.Span{spans[n.ID]}) {
				t.Errorf("@c%d: %s is carried in %v, want %v, %v", cycle, e.Node().ID, n.Carried, spans[e.Node().ID], err)
			}
		}
	}
	if spans["long"].To == last {
		t.Error("nothing expired")
	}
}

var must = testrun.Must
