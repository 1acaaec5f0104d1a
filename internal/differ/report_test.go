package differ_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/differ"
	"github.com/contexttree/pact/internal/document"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// modelSide is a tree as its exported document and its thread show it.
type modelSide struct {
	tree    *tree.Tree
	label   string
	nodes   map[string]map[string]any // headers by id
	order   []string                  // ids in document order
	thread  string
	objects map[string]string // of the thread, by id
}

func newModelSide(t *testing.T, tr *tree.Tree, label string) *modelSide {
	t.Helper()
	s := &modelSide{tree: tr, label: label, objects: map[string]string{}}
	s.nodes, s.order = modelDocument(t, tr)
	var thread bytes.Buffer
	var list []json.RawMessage
	must(t, tr.WriteThread(t.Context(), &thread))
	s.thread = thread.String()
	must(t, json.Unmarshal(thread.Bytes(), &list))
	for _, raw := range list {
		var o struct{ ID string }
		must(t, json.Unmarshal(raw, &o))
		s.objects[o.ID] = string(raw)
	}
	return s
}

// place returns what the range of a node must hold: the objects at and below it.
func (s *modelSide) place(id string) string {
	in := map[string]bool{id: true}
	var list []string
	for _, n := range s.order { // parents come first
		if parent, _ := s.nodes[n]["parent"].(string); in[parent] {
			in[n] = true
		}
		if in[n] && s.objects[n] != "" {
			list = append(list, s.objects[n])
		}
	}
	return strings.Join(list, ",")
}

func (s *modelSide) checkPlace(t *testing.T, id string, r *diff.Range) {
	t.Helper()
	if (r != nil) != (s.nodes[id] != nil) || r != nil && s.thread[r.Start:r.End] != s.place(id) {
		t.Fatalf("%s in %s: the range %+v, want that of %s", id, s.label, r, s.place(id))
	}
}

// comparison holds one report to the documents of both sides.
type comparison struct {
	*testing.T
	from, to     *modelSide
	older, newer *modelSide
	got          *diff.Report
	asked        map[string][]string // the fields that Cause was told, by id
}

func compared(t *testing.T, from, to *modelSide) *comparison {
	t.Helper()
	c := &comparison{T: t, from: from, to: to, older: from, newer: to, asked: map[string][]string{}}
	if from.tree.Cycle() > to.tree.Cycle() {
		c.older, c.newer = to, from
	}
	r := differ.Rich{From: from.tree, To: to.tree, FromLabel: from.label, ToLabel: to.label, Mode: diff.Unified, ContextLines: 3,
		Cause: func(d tree.Difference, fields []string) (diff.Cause, error) {
			id := ""
			for in, n := range map[*modelSide]*tree.Node{c.older: d.Old, c.newer: d.New} {
				if n != nil {
					id = n.ID
					if in.nodes[id] == nil {
						t.Fatalf("%s of %s, which has no such node", id, in.label)
					}
				}
			}
			if (d.Old != nil) != (c.older.nodes[id] != nil) || (d.New != nil) != (c.newer.nodes[id] != nil) {
				t.Fatalf("%s: a version is missing", id)
			}
			c.asked[id] = fields
			return diff.Cause{Kind: diff.ByEdit, Rule: id}, nil
		}}
	c.got = sure.Get(r.Report(t.Context()))
	return c
}

func (c *comparison) components(list []diff.Component, in *modelSide, ids []string) {
	c.Helper()
	if len(list) != len(ids) {
		c.Fatalf("%d components, want %q", len(list), ids)
	}
	for i, a := range list {
		if a.ID != ids[i] || a.Type != in.nodes[a.ID]["nodeType"] || a.Parent != in.nodes[a.ID]["parent"] || a.Cause.Rule != a.ID {
			c.Fatalf("component %+v, in the document %v", a, in.nodes[a.ID])
		}
		c.places(a.ID, a.ID, a.Ranges)
	}
}

func (c *comparison) places(old, now string, r diff.Ranges) {
	c.Helper()
	c.from.checkPlace(c.T, old, r.Previous)
	c.to.checkPlace(c.T, now, r.New)
}

// modifications compares what is said of the nodes of both sides.
func (c *comparison) modifications(changed []diff.Change) {
	c.Helper()
	if len(c.got.Modified) != len(changed) {
		c.Fatalf("%d modifications, want %+v", len(c.got.Modified), changed)
	}
	for i, m := range c.got.Modified {
		was, is := c.from.nodes[m.ID], c.to.nodes[m.ID]
		c.places(m.ID, m.ID, m.Ranges)
		var fields []string
		for _, f := range m.Fields {
			fields = append(fields, f.Name)
			if !sameJSON(c.T, f.Previous, was[f.Name]) || !sameJSON(c.T, f.New, is[f.Name]) {
				c.Fatalf("%s: %s went from %s to %s, in the documents from %v to %v", m.ID, f.Name, f.Previous, f.New,
					was[f.Name], is[f.Name])
			}
		}
		if m.ID != changed[i].ID || !slices.Equal(fields, changed[i].Fields) || !slices.Equal(c.asked[m.ID], fields) {
			c.Fatalf("%+v, want %+v; Cause was told %q", m, changed[i], c.asked[m.ID])
		}
		if moved := was["parent"] != is["parent"]; (m.ParentChanged != nil) != moved || moved &&
			(m.ParentChanged.Previous != was["parent"] || m.ParentChanged.New != is["parent"]) {
			c.Fatalf("%s: parents %+v", m.ID, m.ParentChanged)
		}
		if m.OffsetChanged != nil {
			c.Fatalf("%s: an offset is said before edition 1.0", m.ID)
		}
		c.content(m)
	}
}

// content compares the unified diff of a content, which genHistory makes of one line.
func (c *comparison) content(m diff.Modification) {
	c.Helper()
	text := func(s *modelSide) string {
		return string(sure.Get(sure.Get(s.tree.Node(m.ID)).Content.Value(c.Context())))
	}
	was, is := text(c.from), text(c.to)
	if (m.ContentDiff != nil) != (was != is) {
		c.Fatalf("%s: content diff %+v of %s and %s", m.ID, m.ContentDiff, was, is)
	}
	if was == is {
		return
	}
	ages := map[*modelSide]string{c.older: "older", c.newer: "newer"}
	want := fmt.Sprintf("--- %s(%s)/%s\n+++ %s(%s)/%s\n@@ ", ages[c.from], c.from.label, m.ID, ages[c.to], c.to.label, m.ID)
	got := *m.ContentDiff.Diff
	if !strings.HasPrefix(got, want) || was != "" && !strings.Contains(got, "\n-"+was+"\n") || is != "" && !strings.Contains(got, "\n+"+is+"\n") {
		c.Fatalf("%s: %s, want %s… of %s and %s", m.ID, got, want, was, is)
	}
	if s := m.ContentDiff.Summary; s.BytesOlder != len(text(c.older)) || s.BytesNewer != len(text(c.newer)) {
		c.Fatalf("%s: %+v of %s and %s", m.ID, s, was, is)
	}
}

// children compares which parent got and lost which children.
func (c *comparison) children() {
	c.Helper()
	missing := func(in, other *modelSide) map[string][]string {
		list := map[string][]string{}
		for _, id := range in.order {
			parent := in.nodes[id]["parent"].(string)
			if other.nodes[id] == nil || other.nodes[id]["parent"] != parent {
				list[parent] = append(list[parent], id)
			}
		}
		return list
	}
	came, went := missing(c.to, c.from), missing(c.from, c.to)
	if !reflect.DeepEqual(c.got.ChildrenAdded, came) || !reflect.DeepEqual(c.got.ChildrenRemoved, went) {
		c.Fatalf("%s to %s: children\n got +%v -%v\nwant +%v -%v", c.from.label, c.to.label, c.got.ChildrenAdded,
			c.got.ChildrenRemoved, came, went)
	}
}

// pairs checks that what is paired is alike, that nothing is paired twice, and that as much is paired as can be.
func (c *comparison) pairs() {
	c.Helper()
	facet := func(s *modelSide, id, header string) string {
		v, _ := s.nodes[id][header].(string)
		if v == "" && header == "key" {
			return id
		}
		return v
	}
	used := map[string]bool{}
	most := func(header string) (pairs int) {
		count := map[string]int{}
		for _, r := range c.got.Removed {
			if v := facet(c.from, r.ID, header); v != "" && !used[r.ID] {
				count[v]++
			}
		}
		for _, a := range c.got.Added {
			if v := facet(c.to, a.ID, header); count[v] > 0 && !used[a.ID] {
				count[v]--
				pairs++
			}
		}
		return pairs
	}
	pair := func(header, old, now string, r diff.Ranges) {
		if used[old] || used[now] || facet(c.from, old, header) != facet(c.to, now, header) || c.to.nodes[old] != nil ||
			c.from.nodes[now] != nil {
			c.Fatalf("%s and %s are paired by %s", old, now, header)
		}
		used[old], used[now] = true, true
		c.places(old, now, r)
	}
	if want := most("content_hash"); len(c.got.Moves) != want {
		c.Fatalf("%d moves, want %d", len(c.got.Moves), want)
	}
	for _, m := range c.got.Moves {
		pair("content_hash", m.PreviousID, m.NewID, m.Ranges)
	}
	if want := most("key"); len(c.got.Replacements) != want {
		c.Fatalf("%d replacements, want %d", len(c.got.Replacements), want)
	}
	for _, r := range c.got.Replacements {
		pair("key", r.PreviousID, r.NewID, r.Ranges)
	}
}

func sameJSON(t *testing.T, raw json.RawMessage, want any) bool {
	t.Helper()
	var got any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	must(t, d.Decode(&got))
	return reflect.DeepEqual(got, want)
}

func TestReportAgreesWithModel(t *testing.T) {
	modified, moves, replacements := 0, 0, 0
	for seed := range uint64(25) {
		var sides []*modelSide
		for i, tr := range genHistory(t, seed) {
			sides = append(sides, newModelSide(t, tr, fmt.Sprint("@", i)))
		}
		for i, from := range sides {
			for k, to := range sides {
				if from.tree.Cycle() == to.tree.Cycle() && i > k {
					continue // two states of one cycle: neither is the newer
				}
				c := compared(t, from, to)
				want := modelDiff(t, from.tree, to.tree)
				for _, s := range []struct {
					got diff.Side
					of  *modelSide
				}{{c.got.From, from}, {c.got.To, to}} {
					if s.got != (diff.Side{Label: s.of.label, Cycle: s.of.tree.Cycle(), Blocks: len(s.of.objects), Bytes: int64(len(s.of.thread))}) {
						t.Fatalf("%+v of %s", s.got, s.of.label)
					}
				}
				c.components(c.got.Added, to, want.Added)
				c.components(c.got.Removed, from, want.Removed)
				c.modifications(want.Changed)
				c.children()
				c.pairs()
				modified, moves, replacements = modified+len(want.Changed), moves+len(c.got.Moves), replacements+len(c.got.Replacements)
			}
		}
	}
	if modified < 200 || moves < 20 || replacements < 20 {
		t.Errorf("%d modifications, %d moves, %d replacements", modified, moves, replacements)
	}
}

// A node that hangs below another parent in edition 1.0, at another offset, with a content of another kind.
func TestReportOfEdition1(t *testing.T) {
	read := func(cycle int, g, h string) *tree.Tree {
		d := sure.Get(document.Read([]byte(fmt.Sprintf(`{"spec_version":"PACT/1.0.0","cycle":%d,"root":{"id":"r","nodeType":"^root","children":[
			{"id":"s","nodeType":"^sys","children":[{"id":"g","nodeType":"cont","offset":1,"children":[%s]},
				{"id":"h","nodeType":"cont","offset":2,"children":[%s]}]}]}}`, cycle, g, h)), document.Options{}))
		return d.Tree
	}
	const older = `{"id":"b","nodeType":"block","mime":"text/plain","content":"one\ntwo\n","cycle":1},{"id":"c","nodeType":"block","offset":4}`
	const newer = `{"id":"b","nodeType":"block","mime":"text/markdown","content":"one\n2\n","cycle":1,"offset":3},{"id":"c","nodeType":"block","offset":4}`
	from, to := read(1, older, ""), read(2, "", newer)
	for _, backwards := range []bool{false, true} {
		was, is, parents, offsets := from, to, diff.ParentChanged{Previous: "g", New: "h"}, diff.OffsetChanged{Previous: 0, New: 3}
		if backwards {
			was, is, parents, offsets = to, from, diff.ParentChanged{Previous: "h", New: "g"}, diff.OffsetChanged{Previous: 3, New: 0}
		}
		nodes := map[string]map[string]any{}
		for at := range sure.All(was.All()) { // both have the same
			nodes[at.Node().ID] = map[string]any{}
		}
		c := compared(t, &modelSide{tree: was, label: "@a", nodes: nodes}, &modelSide{tree: is, label: "@b", nodes: nodes})
		i := slices.IndexFunc(c.got.Modified, func(m diff.Modification) bool { return m.ID == "b" })
		if i < 0 {
			t.Fatalf("%+v", c.got)
		}
		m := c.got.Modified[i]
		if m.ParentChanged == nil || *m.ParentChanged != parents || m.OffsetChanged == nil || *m.OffsetChanged != offsets {
			t.Errorf("backwards %v: %+v, %+v", backwards, m.ParentChanged, m.OffsetChanged)
		}
		i = slices.IndexFunc(c.got.Modified, func(m diff.Modification) bool { return m.ID == "c" })
		if i < 0 || c.got.Modified[i].ParentChanged == nil || c.got.Modified[i].OffsetChanged != nil {
			t.Errorf("backwards %v: c, which keeps its offset: %+v", backwards, c.got.Modified)
		}
		mime, _ := sure.Get(is.Node("b")).Header("mime").Text()
		if d := m.ContentDiff; d == nil || d.MIME != mime || d.Summary.BytesOlder != 8 || d.Summary.BytesNewer != 6 {
			t.Errorf("backwards %v: %+v", backwards, d)
		}
	}
}

// A node that was to go in the past differs in no header from one that was to go in another past. What a range gives
// of a change leaves out lists.
func TestWhatShowsInNoFieldIsNoChange(t *testing.T) {
	read := func(cycle int, headers string) *tree.Tree {
		d := sure.Get(document.Read([]byte(fmt.Sprintf(`{"cycle":%d,"edition":"v0.1","root":{"id":"r","nodeType":"^root","children":[
			{"id":"s","nodeType":"^sys","children":[{"id":"b","nodeType":"cb","cycle":1,%s}]}]}}`, cycle, headers)), document.Options{}))
		return d.Tree
	}
	from, to := read(1, `"ttl":0`), read(2, `"ttl":0`)
	if len(sure.Get(tree.Differences(from, to))) == 0 {
		t.Fatal("the expiries are the same")
	}
	if r := sure.Get(differ.Trees(from, to, nil)); slices.ContainsFunc(r.Changed, func(c diff.Change) bool { return c.ID == "b" }) {
		t.Errorf("%+v", r)
	}
	pair := sure.Get(differ.Compare(read(1, `"tags":["a"],"priority":1`), read(2, `"tags":["b"],"priority":2`), nil))
	at := slices.IndexFunc(pair.Changed, func(d tree.Difference) bool { return d.New.ID == "b" })
	got := pair.Delta(pair.Changed[at], pair.Fields(pair.Changed[at]))
	if len(got) != 1 || string(got["priority"].From) != "2" || string(got["priority"].To) != "1" {
		t.Errorf("%s", got)
	}
	for _, x := range []struct{ older, newer, want string }{
		{`"created_at_ns":5,"created_at_iso":"long ago"`, `"created_at_ns":5,"created_at_iso":"later"`, "created_at_iso"},
		{`"created_at_ns":5,"created_at_iso":"long ago"`, `"created_at_ns":6,"created_at_iso":"long ago"`, "created_at_ns"},
		{`"created_at_ns":5`, `"created_at_ns":2000000005`, "created_at_iso created_at_ns"},
		{`"created_at_ns":5`, `"created_at_ns":5`, ""},
	} {
		r, got := sure.Get(differ.Trees(read(1, x.older), read(2, x.newer), nil)), ""
		for _, c := range r.Changed {
			if c.ID == "b" {
				got = strings.Join(c.Fields, " ")
			}
		}
		if got != x.want {
			t.Errorf("%s and %s differ in %q, want %q", x.older, x.newer, got, x.want)
		}
	}
}
