package provenance_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

func TestRichDiffAgreesWithModel(t *testing.T) {
	testrun.OneGoroutine(t)
	kinds, moves, replacements := map[diff.Kind]int{}, 0, 0
	for seed := range uint64(25) {
		s := genRecordedHistory(t, seed, 7)
		for older := range s.states {
			for newer := older; newer < len(s.states); newer++ {
				for _, backwards := range []bool{false, true} {
					i, k := older, newer
					if backwards {
						i, k = newer, older
					}
					got, err := s.context.RichDiff(background, s.address(i), s.address(k), nil)
					must(t, err)
					c := &comparison{T: t, recordedHistory: s, from: s.states[i], to: s.states[k], got: got}
					plain, err := s.context.Diff(background, s.address(i), s.address(k), nil)
					must(t, err)
					c.lists(plain)
					c.values()
					c.children()
					c.pairs()
					for id, cause := range c.causes() {
						kinds[cause.Kind]++
						cause.Author = diff.Author{}
						if want := s.modelCause(id, older, newer); cause != want {
							t.Fatalf("seed %d, %d to %d, %s: caused by %+v, want %+v", seed, i, k, id, cause, want)
						}
					}
					moves, replacements = moves+len(got.Moves), replacements+len(got.Replacements)
				}
			}
		}
	}
	for _, kind := range []diff.Kind{diff.ByExpiry, diff.ByPruning, diff.ByCascade, diff.ByEdit, diff.BySeal, diff.ByTTL} {
		if kinds[kind] < 10 {
			t.Errorf("%d entries caused by %s", kinds[kind], kind)
		}
	}
	if moves < 20 || replacements < 20 {
		t.Errorf("%d moves, %d replacements", moves, replacements)
	}
}

// comparison holds one report to the documents.
type comparison struct {
	*testing.T
	*recordedHistory
	from, to *modelState
	got      *diff.Report
}

func (c *comparison) lists(plain *diff.Result) {
	c.Helper()
	got := &diff.Result{Added: []string{}, Removed: []string{}, Changed: []diff.Change{}}
	for _, a := range c.got.Added {
		got.Added = append(got.Added, a.ID)
		c.component(a, c.to)
	}
	for _, r := range c.got.Removed {
		got.Removed = append(got.Removed, r.ID)
		c.component(r, c.from)
	}
	for _, m := range c.got.Modified {
		change := diff.Change{ID: m.ID}
		for _, f := range m.Fields {
			change.Fields = append(change.Fields, f.Name)
		}
		got.Changed = append(got.Changed, change)
	}
	if !reflect.DeepEqual(got, plain) {
		c.Fatalf("%d to %d: got %+v, the plain diff is %+v", c.from.cycle, c.to.cycle, got, plain)
	}
}

func (c *comparison) component(a diff.Component, in *modelState) {
	c.Helper()
	if a.Type != in.headers[a.ID]["nodeType"] || a.Parent != in.headers[a.ID]["parent"] {
		c.Fatalf("component %+v, in the document %v", a, in.headers[a.ID])
	}
	c.ranges(a.ID, a.ID, a.Ranges)
}

func (c *comparison) ranges(old, new string, r diff.Ranges) {
	c.Helper()
	c.from.checkRange(c.T, old, r.Previous)
	c.to.checkRange(c.T, new, r.New)
}

func (c *comparison) values() {
	c.Helper()
	for _, m := range c.got.Modified {
		c.ranges(m.ID, m.ID, m.Ranges)
		was, is := c.from.headers[m.ID], c.to.headers[m.ID]
		for _, f := range m.Fields {
			if !sameJSON(c.T, f.Previous, was[f.Name]) || !sameJSON(c.T, f.New, is[f.Name]) {
				c.Fatalf("%s: %s went from %s to %s, in the documents from %v to %v", m.ID, f.Name, f.Previous, f.New, was[f.Name],
					is[f.Name])
			}
		}
		if (m.ParentChanged != nil) != (was["parent"] != is["parent"]) || m.ParentChanged != nil &&
			(m.ParentChanged.Previous != was["parent"] || m.ParentChanged.New != is["parent"]) {
			c.Fatalf("%s: parents %+v", m.ID, m.ParentChanged)
		}
		differs := !reflect.DeepEqual(was["content"], is["content"])
		if (m.ContentDiff != nil) != differs {
			c.Fatalf("%s: content diff %+v of %v and %v", m.ID, m.ContentDiff, was["content"], is["content"])
		}
		for sign, content := range map[string]any{"-": was["content"], "+": is["content"]} {
			if differs && content != nil && !strings.Contains(*m.ContentDiff.Diff, fmt.Sprint("\n", sign, content, "\n")) {
				c.Fatalf("%s: content diff %s of %v and %v", m.ID, *m.ContentDiff.Diff, was["content"], is["content"])
			}
		}
	}
}

func (c *comparison) children() {
	c.Helper()
	came, went := map[string][]string{}, map[string][]string{}
	for parent, kids := range c.to.kids {
		if list := without(kids, c.from.kids[parent]); len(list) > 0 {
			came[parent] = list
		}
	}
	for parent, kids := range c.from.kids {
		if list := without(kids, c.to.kids[parent]); len(list) > 0 {
			went[parent] = list
		}
	}
	if !reflect.DeepEqual(c.got.ChildrenAdded, came) || !reflect.DeepEqual(c.got.ChildrenRemoved, went) {
		c.Fatalf("%d to %d: children\n got +%v -%v\nwant +%v -%v", c.from.cycle, c.to.cycle, c.got.ChildrenAdded,
			c.got.ChildrenRemoved, came, went)
	}
}

// pairs checks that what is paired is alike, that nothing is paired twice, and
// that as much is paired as can be.
func (c *comparison) pairs() {
	c.Helper()
	facet := func(p *modelState, id, header string) string {
		v, _ := p.headers[id][header].(string)
		if v == "" && header == "key" {
			return id
		}
		return v
	}
	most := func(header string, left map[string]bool) (pairs int) {
		count := map[string]int{}
		for _, r := range c.got.Removed {
			if v := facet(c.from, r.ID, header); v != "" && !left[r.ID] {
				count[v]++
			}
		}
		for _, a := range c.got.Added {
			if v := facet(c.to, a.ID, header); count[v] > 0 && !left[a.ID] {
				count[v]--
				pairs++
			}
		}
		return pairs
	}
	used := map[string]bool{}
	pair := func(header, old, new string, r diff.Ranges) {
		if used[old] || used[new] || facet(c.from, old, header) != facet(c.to, new, header) || c.to.headers[old] != nil ||
			c.from.headers[new] != nil {
			c.Fatalf("%s and %s are paired by %s", old, new, header)
		}
		used[old], used[new] = true, true
		c.ranges(old, new, r)
	}
	want := most("content_hash", nil)
	for _, m := range c.got.Moves {
		pair("content_hash", m.PreviousID, m.NewID, m.Ranges)
	}
	if len(c.got.Moves) != want {
		c.Fatalf("%d moves, want %d", len(c.got.Moves), want)
	}
	want = most("key", used)
	for _, r := range c.got.Replacements {
		pair("key", r.PreviousID, r.NewID, r.Ranges)
	}
	if len(c.got.Replacements) != want {
		c.Fatalf("%d replacements, want %d", len(c.got.Replacements), want)
	}
}

func (c *comparison) causes() map[string]diff.Cause {
	causes := map[string]diff.Cause{}
	for _, list := range [][]diff.Component{c.got.Added, c.got.Removed} {
		for _, a := range list {
			causes[a.ID] = a.Cause
		}
	}
	for _, m := range c.got.Modified {
		causes[m.ID] = m.Cause
	}
	return causes
}

// A history that another tool wrote may hang a node under another parent.
func TestRichDiffOfAReparentedNode(t *testing.T) {
	const snapshot = `{"cycle":%d,"edition":"v0.1","root":{"id":"root","nodeType":"^root","children":[
		{"id":"sys","nodeType":"^sys","children":[{"id":"g","nodeType":"mc","offset":1,"children":[%s]},{"id":"h","nodeType":"mc","offset":2,"children":[%s]}]},
		{"id":"seq","nodeType":"^seq","children":[]},{"id":"ah","nodeType":"^ah","children":[]}]}}`
	const b, c = `{"id":"b","nodeType":"cb","content":"b","cycle":1}`,
		`{"id":"c","nodeType":"cb","content":"c","cycle":1,"offset":1}`
	history := strings.ReplaceAll(fmt.Sprintf(snapshot, 1, b+","+c, ""), "\n", "") + "\n" +
		strings.ReplaceAll(fmt.Sprintf(snapshot, 2, c, b), "\n", "") + "\n"
	context, _, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()), "c", strings.NewReader(history), nil)
	must(t, err)
	r, err := context.RichDiff(background, pact.Cycle(1), pact.Cycle(2), nil)
	must(t, err)
	i := slices.IndexFunc(r.Modified, func(m diff.Modification) bool { return m.ID == "b" })
	if i < 0 || r.Modified[i].ParentChanged == nil || *r.Modified[i].ParentChanged != (diff.ParentChanged{Previous: "g",
		New: "h"}) || r.Modified[i].Cause.Kind != diff.ByEdit {
		t.Fatalf("modified %+v", r.Modified)
	}
	if !reflect.DeepEqual(r.ChildrenAdded, map[string][]string{"h": {"b"}}) || !reflect.DeepEqual(r.ChildrenRemoved,
		map[string][]string{"g": {"b"}}) {
		t.Errorf("children +%v -%v", r.ChildrenAdded, r.ChildrenRemoved)
	}
	// {"id":"b","role":"system","content":"b"} has 40 bytes, and so has c's.
	if m := r.Modified[i]; *m.Previous != (diff.Range{Start: 1, End: 41}) || *m.New != (diff.Range{Start: 42, End: 82}) {
		t.Errorf("ranges %+v to %+v", m.Previous, m.New)
	}
	for p, err := range context.Prefixes(background, pact.Cycle(2), pact.Cycle(2)) {
		must(t, err)
		if p.Break == nil || p.Break.Node != "c" || p.Break.Cause.Kind != diff.ByReordering {
			t.Errorf("the prefix broke by %+v", p.Break)
		}
	}
}

// A node that a selector finds on one side only is there on both: what the
// selector goes by says why.
func TestCausesOfASelection(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()), pact.CreateOptions{Edition: selector.V01})
	must(t, c.Edit(background, func(b *pact.Batch) error {
		for _, n := range []pact.Spec{{ID: "stays", Content: "x"}, {ID: "runs", Content: "x", TTL: 3}} {
			b.Add("^ah", n)
		}
		b.Add("^sys", pact.Spec{ID: "rule", Content: "x"})
		return nil
	}, nil))
	_, err := c.Commit(background, nil)
	must(t, err)
	_, err = c.Commit(background, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
		b.Update("rule", func(s *pact.Spec) { s.Priority = 5 })
		return nil
	}})
	must(t, err)
	for text, want := range map[string]string{
		".mt:depth(1) .cb": "-runs ttl -stays selection", // they are in turn 2 by now
		".cb[ttl<=2]":      "+runs ttl",
		".cb[priority=5]":  "+rule edit",
	} {
		r, err := c.RichDiff(background, pact.Cycle(1), pact.Cycle(2),
			&pact.DiffOptions{Select: text})
		must(t, err)
		var got []string
		for _, a := range r.Added {
			got = append(got, fmt.Sprint("+", a.ID, " ", a.Cause.Kind))
		}
		for _, a := range r.Removed {
			got = append(got, fmt.Sprint("-", a.ID, " ", a.Cause.Kind))
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	addressed := pact.DiffOptions{Select: "@t0 .cb"}
	if _, err := c.RichDiff(background, pact.Cycle(1), pact.Cycle(2),
		&addressed); fault.CodeOf(err) != fault.SelectorInvalid {
		t.Errorf("a selector with an address: %v", err)
	}
}
