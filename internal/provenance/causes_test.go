package provenance_test

import (
	"fmt"
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

// What a report says of contents, places and pairs is proved in internal/differ; here why each node differs.
func TestCausesAgreeWithModel(t *testing.T) {
	testrun.OneGoroutine(t)
	kinds := map[diff.Kind]int{}
	for seed := range uint64(25) {
		s := genRecordedHistory(t, seed, 7)
		for older := range s.states {
			for newer := older; newer < len(s.states); newer++ {
				for _, pair := range [][2]int{{older, newer}, {newer, older}} {
					got, err := s.context.RichDiff(background, s.address(pair[0]), s.address(pair[1]), nil)
					must(t, err)
					causes := map[string]diff.Cause{}
					for _, a := range append(got.Added, got.Removed...) {
						causes[a.ID] = a.Cause
					}
					for _, m := range got.Modified {
						causes[m.ID] = m.Cause
					}
					for id, cause := range causes {
						kinds[cause.Kind]++
						cause.Author = diff.Author{}
						if want := s.modelCause(id, older, newer); cause != want {
							t.Fatalf("seed %d, %d to %d, %s: caused by %+v, want %+v", seed, pair[0], pair[1], id, cause, want)
						}
					}
				}
			}
		}
	}
	for _, kind := range []diff.Kind{diff.ByExpiry, diff.ByPruning, diff.ByCascade, diff.ByEdit, diff.BySeal, diff.ByTTL} {
		if kinds[kind] < 10 {
			t.Errorf("%d entries caused by %s", kinds[kind], kind)
		}
	}
}

// A history that another tool wrote may hang a node under another parent.
func TestCauseOfAReparentedNode(t *testing.T) {
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
	if i < 0 || r.Modified[i].ParentChanged == nil || r.Modified[i].Cause.Kind != diff.ByEdit {
		t.Fatalf("modified %+v", r.Modified)
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
		for _, n := range []pact.Spec{{ID: "stays", Content: "x"}, {ID: "runs", Content: "x", TTL: new(int64(3))}} {
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

// A change without a stamp of its own is that of the only edit of its cycle, of the committer if there was none, and of
// several edits the one person who made them all.
func TestWhoMadeAChange(t *testing.T) {
	for name, x := range map[string]struct {
		edits  []pact.Note // before the commit by dora, who says why
		author diff.Author // without its revision
	}{
		"nobody before the commit": {nil, diff.Author{Actor: "dora", Message: "done"}},
		"one person":               {[]pact.Note{{Actor: "ann", Message: "softer"}}, diff.Author{Actor: "ann", Message: "softer"}},
		"one who says nothing":     {[]pact.Note{{Actor: "ann"}}, diff.Author{Actor: "ann", Message: "done"}},
		"one person twice": {[]pact.Note{{Actor: "ann", Message: "softer"}, {Actor: "ann", Message: "louder"}},
			diff.Author{Actor: "ann", Message: "done"}},
		"two people": {[]pact.Note{{Actor: "ann"}, {Actor: "bob"}}, diff.Author{Message: "done"}},
	} {
		c := create(t, pact.NewDB(store.NewMemory()))
		_, err := c.Commit(background, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			b.Add("^sys", pact.Spec{ID: "s", Content: "0"})
			return nil
		}})
		must(t, err)
		change := func(text string) func(b *pact.Batch) error {
			return func(b *pact.Batch) error {
				b.Update("s", func(s *pact.Spec) { s.Content = text })
				return nil
			}
		}
		for _, n := range x.edits {
			must(t, c.Edit(background, change(n.Actor+n.Message), &n))
		}
		o := &pact.CommitOptions{Note: pact.Note{Actor: "dora", Message: "done"}}
		if len(x.edits) == 0 {
			o.Edit = change("1")
		}
		_, err = c.Commit(background, o)
		must(t, err)
		r, err := c.RichDiff(background, pact.Cycle(1), pact.Cycle(2), nil)
		must(t, err)
		i := slices.IndexFunc(r.Modified, func(m diff.Modification) bool { return m.ID == "s" })
		got := r.Modified[i].Cause
		if got.Author.Revision = 0; got.Kind != diff.ByEdit || got.Author != x.author {
			t.Errorf("%s: %+v, want %+v", name, got, x.author)
		}
	}
}
