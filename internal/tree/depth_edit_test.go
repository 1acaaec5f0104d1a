package tree_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// turns returns a context of edition 1.0 with three turns: seg:1 to seg:3, each with a block c1 … in its core and
// a block n1 … behind it, and a draft d.
func turns(t *testing.T, db *pact.DB) *pact.Context {
	t.Helper()
	c := published(t, db, 0)
	for _, n := range []string{"1", "2", "3", ""} {
		must(t, c.Edit(context.Background(), func(b *pact.Batch) error {
			if n == "" {
				b.Add("^ah", pact.Spec{ID: "d", Content: "draft"})
				b.Add("^sys", pact.Spec{ID: "g", NodeType: "cont"})
				b.Add("g", pact.Spec{ID: "rule", Content: "rule"})
				return nil
			}
			b.Add("^ah", pact.Spec{ID: "c" + n, Content: "core " + n, Key: "k" + n})
			b.Add("^ah", pact.Spec{ID: "n" + n, Offset: 2, Content: "note " + n, Role: "tool"})
			return nil
		}, nil))
		if n != "" {
			_, err := c.Commit(context.Background(), nil)
			must(t, err)
		}
	}
	return c
}

// sent returns the ids of the blocks of the working state in the order of the thread.
func sent(t *testing.T, c *pact.Context) (ids []string) {
	t.Helper()
	got, err := c.Select(context.Background(), "^seq .block", nil)
	must(t, err)
	return got
}

// Specification: 1.0 03 §5.6, 1.0 05 §6.
func TestEditsByDepthOfEdition1(t *testing.T) {
	ctx := context.Background()
	finer := []fault.Code{fault.InvalidParent, fault.ParentNotContainer, fault.CycleDetected, fault.DuplicateContainer}
	for name, x := range map[string]struct {
		edit func(*pact.Batch)
		want []string // of the blocks of ^seq
		code fault.Code
	}{
		"splice at 1": {func(b *pact.Batch) { b.Splice(1, pact.Spec{ID: "x", Content: "x"}) },
			[]string{"c1", "n1", "c2", "n2", "c3", "n3", "x"}, ""},
		"splice at 2": {func(b *pact.Batch) {
			b.Splice(2, pact.Spec{ID: "x", Content: "x"}, pact.Spec{ID: "pre", Offset: -1, Content: "y"})
		}, []string{"c1", "n1", "c2", "n2", "pre", "x", "c3", "n3"}, ""},
		"splice twice": {func(b *pact.Batch) {
			b.Splice(2, pact.Spec{ID: "x", Content: "x"})
			b.Splice(2, pact.Spec{ID: "y", Content: "y"})
		}, []string{"c1", "n1", "c2", "n2", "x", "y", "c3", "n3"}, ""},
		"splice at the deep end": {func(b *pact.Batch) { b.Splice(4, pact.Spec{ID: "x", Content: "x"}) },
			[]string{"x", "c1", "n1", "c2", "n2", "c3", "n3"}, ""},
		"splice beyond it":   {func(b *pact.Batch) { b.Splice(5, pact.Spec{ID: "x"}) }, nil, fault.PlacementInvalid},
		"splice a live key":  {func(b *pact.Batch) { b.Splice(3, pact.Spec{Key: "k3"}) }, nil, fault.OverlapViolatesODI},
		"or one that is old": {func(b *pact.Batch) { b.Splice(1, pact.Spec{Key: "k1"}) }, nil, fault.OverlapViolatesODI},
		"early seal":         {func(b *pact.Batch) { b.MoveToDepth(1, "d") }, []string{"c1", "n1", "c2", "n2", "c3", "n3", "d"}, ""},
		"early seal deeper":  {func(b *pact.Batch) { b.MoveToDepth(3, "d") }, []string{"c1", "n1", "d", "c2", "n2", "c3", "n3"}, ""},
		"a note to the end":  {func(b *pact.Batch) { b.MoveToDepth(4, "n3") }, []string{"n3", "c1", "n1", "c2", "n2", "c3"}, ""},
		"a turn":             {func(b *pact.Batch) { b.MoveToDepth(3, "seg:3-2") }, []string{"c3", "n3", "c1", "n1", "c2", "n2"}, ""},
		"a node of a core":   {func(b *pact.Batch) { b.MoveToDepth(1, "c2") }, nil, fault.Sealed},
		"note between turns": {func(b *pact.Batch) { b.Move("n1", "seg:2-2", 1) }, []string{"c1", "c2", "n1", "n2", "c3", "n3"}, ""},
		"replace":            {func(b *pact.Batch) { b.Replace("c2", pact.Spec{ID: "x", Content: "new"}) }, []string{"c1", "n1", "c2", "x", "n2", "c3", "n3"}, ""},
		"replace a draft":    {func(b *pact.Batch) { b.Replace("d", pact.Spec{Content: "new"}) }, []string{"c1", "n1", "c2", "n2", "c3", "n3"}, ""},
		"update in a core":   {func(b *pact.Batch) { b.Update("c2", func(s *pact.Spec) { s.Content = "y" }) }, nil, fault.Sealed},
		"remove from a core": {func(b *pact.Batch) { b.Remove("c2") }, nil, fault.Sealed},
		"remove a note":      {func(b *pact.Batch) { b.Remove("n2") }, []string{"c1", "n1", "c2", "redaction:4-3", "c3", "n3"}, ""},
		"remove a turn":      {func(b *pact.Batch) { b.Remove("seg:2-2") }, []string{"c1", "n1", "redaction:4-5", "c3", "n3"}, ""},
		"remove a new turn": {func(b *pact.Batch) { b.Remove(b.Splice(1, pact.Spec{ID: "x"})) },
			[]string{"c1", "n1", "c2", "n2", "c3", "n3"}, ""},
		"by key":        {func(b *pact.Batch) { b.Replace("#k1", pact.Spec{ID: "x", Content: "y"}) }, []string{"c1", "x", "n1", "c2", "n2", "c3", "n3"}, ""},
		"by several":    {func(b *pact.Batch) { b.Remove(".block") }, nil, fault.AmbiguousKey},
		"by none":       {func(b *pact.Batch) { b.Remove("#nobody") }, nil, fault.NodeNotFound},
		"by both":       {func(b *pact.Batch) { b.Remove("{id='n1', key='k2'}") }, nil, fault.Mismatch},
		"of a sealed":   {func(b *pact.Batch) { b.Remove("@t-1 {id='n1'}") }, nil, fault.PlacementInvalid},
		"move nowhere":  {func(b *pact.Batch) { b.Move("d", "nowhere", 0) }, nil, fault.InvalidParent},
		"into a block":  {func(b *pact.Batch) { b.Move("d", "rule", 0) }, nil, fault.ParentNotContainer},
		"below itself":  {func(b *pact.Batch) { b.Move("g", "g", 0) }, nil, fault.CycleDetected},
		"a second core": {func(b *pact.Batch) { b.Add("^ah", pact.Spec{NodeType: "cont"}) }, nil, fault.DuplicateContainer},
		"of a working":  {func(b *pact.Batch) { b.Remove("@t0 {id='d'}") }, []string{"c1", "n1", "c2", "n2", "c3", "n3"}, ""},
	} {
		db := pact.NewDB(store.NewMemory())
		c := turns(t, db)
		before, err := c.At(ctx, "latest")
		must(t, err)
		err = c.Edit(ctx, func(b *pact.Batch) error { x.edit(b); return nil }, nil)
		if fault.CodeOf(err) != x.code || slices.Contains(finer, x.code) && !errors.Is(err, fault.PlacementInvalid) {
			t.Errorf("%s: %v", name, err)
		}
		if x.code != "" || err != nil {
			continue
		}
		if got := sent(t, c); !slices.Equal(got, x.want) {
			t.Errorf("%s: %q, want %q", name, got, x.want)
		}
		if again, err := c.At(ctx, "latest"); err != nil || again.Digest() != before.Digest() {
			t.Errorf("%s changed the snapshot", name)
		}
		_, err = c.Commit(ctx, nil)
		must(t, err)
		if got, err := c.Select(ctx, "^seq .seg", nil); err != nil || len(got) < 4 {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		comesBack(t, name, db, c)
	}
	old, err := pact.Create(ctx, pact.NewDB(store.NewMemory()), "c", nil)
	must(t, err)
	err = old.Edit(ctx, func(b *pact.Batch) error { b.Splice(1, pact.Spec{Content: "x"}); return nil }, nil)
	if !errors.Is(err, fault.PlacementInvalid) || old.Info().Edition != selector.Canonical {
		t.Errorf("splicing in canonical: %v", err)
	}
}

// comesBack checks that a context is the same when it is read back, and holds.
func comesBack(t *testing.T, name string, db *pact.DB, c *pact.Context) {
	t.Helper()
	ctx := context.Background()
	again, err := c.Copy(ctx, pact.NewDB(store.NewMemory()), "copy")
	must(t, err)
	if a, b := exported(t, c.Working()), exported(t, again.Working()); a != b {
		t.Errorf("%s: %s came back as %s", name, a, b)
	}
	s, findings, err := pact.ReadSnapshot([]byte(exported(t, c.Working())), "")
	if err != nil || len(findings) > 0 || exported(t, s) != exported(t, c.Working()) {
		t.Errorf("%s: %v, %v", name, findings, err)
	}
	for form, write := range map[string]func(*bytes.Buffer) error{
		"snapshots": func(w *bytes.Buffer) error { return c.ExportSnapshots(ctx, w, pact.Cycle(1), "latest") },
		"compact":   func(w *bytes.Buffer) error { return c.Export(ctx, w) },
	} {
		var b bytes.Buffer
		must(t, write(&b))
		read, findings, err := pact.ImportHistory(ctx, pact.NewDB(store.NewMemory()), "c", &b, nil)
		if err != nil || len(findings) > 0 || exported(t, read.Working()) != exported(t, c.Working()) {
			t.Errorf("%s, %s: %v, %v", name, form, findings, err)
		}
	}
	if v, err := pact.Verify(ctx, db, c.Info().Name, nil); err != nil || !v.Holds() {
		t.Errorf("%s: %+v, %v", name, v, err)
	}
}

// What moves inside a region keeps its id, and the rich report tells both what it left and where it stood.
func TestMovesOfEdition1(t *testing.T) {
	ctx, c := context.Background(), turns(t, pact.NewDB(store.NewMemory()))
	_, err := c.Commit(ctx, nil)
	must(t, err)
	must(t, c.Edit(ctx, func(b *pact.Batch) error {
		if id := b.Move("rule", "^sys", 3); id != "rule" && b.Err() == nil {
			t.Errorf("the rule became %s", id)
		}
		if id := b.Move("n2", "^ah", 1); id == "n2" {
			t.Error("a node crossed regions under its id")
		}
		return nil
	}, nil))
	d, err := c.Diff(ctx, "latest", "working", nil)
	must(t, err)
	if len(d.Changed) != 1 || d.Changed[0].ID != "rule" || !slices.Equal(d.Changed[0].Fields, []string{"offset", "parent_id"}) ||
		len(d.Added) != 1 || len(d.Removed) != 1 {
		t.Errorf("%+v", d)
	}
	r, err := c.RichDiff(ctx, "latest", "working", nil)
	must(t, err)
	m := r.Modified[0]
	if m.ParentChanged == nil || m.ParentChanged.Previous != "g" || m.ParentChanged.New != "sys" ||
		m.OffsetChanged == nil || m.OffsetChanged.Previous != 0 || m.OffsetChanged.New != 3 {
		t.Errorf("%+v", m)
	}
}

// Update gives the ttl of a node of ^sys as it is shown, and what it sets is shown then and lasts that long.
func TestAnUpdateSeesTheTTLThatIsShown(t *testing.T) {
	ctx := context.Background()
	for want := range int64(8) {
		c := published(t, pact.NewDB(store.NewMemory()), 0)
		must(t, c.Edit(ctx, func(b *pact.Batch) error {
			b.Add("^sys", pact.Spec{ID: "p", Content: "x", TTL: new(int64(5))})
			return nil
		}, nil))
		for range 2 {
			_, err := c.Commit(ctx, nil)
			must(t, err)
		}
		n, err := c.Working().Node("p")
		must(t, err)
		before, seen := *n.TTL, int64(0)
		must(t, c.Edit(ctx, func(b *pact.Batch) error {
			b.Update("p", func(s *pact.Spec) {
				if seen = *s.TTL; want == 0 { // one less than there is
					want = seen - 1
				}
				s.TTL = &want
			})
			return nil
		}, nil))
		n, err = c.Working().Node("p")
		must(t, err)
		if seen != before || *n.TTL != want {
			t.Errorf("Update sees %d of %d, and %d is shown after setting %d", seen, before, *n.TTL, want)
		}
	}
}

// Nothing takes away the block that tells what was taken out of the history, in the same cycle or in a later one.
func TestWhatTellsOfARemovalStays(t *testing.T) {
	ctx := context.Background()
	for _, later := range []bool{false, true} {
		for name, x := range map[string]struct {
			out  string // what is removed first
			edit func(b *pact.Batch, marker, turn string)
			code fault.Code
		}{
			"remove it":        {"n2", func(b *pact.Batch, m, _ string) { b.Remove(m) }, fault.Sealed},
			"its turn alone":   {"seg:2-2", func(b *pact.Batch, _, turn string) { b.Remove(turn) }, fault.Sealed},
			"in a turn alone":  {"seg:2-2", func(b *pact.Batch, m, _ string) { b.Remove(m) }, fault.Sealed},
			"its turn of more": {"n2", func(b *pact.Batch, _, turn string) { b.Remove(turn) }, ""},
			"out of ^seq":      {"n2", func(b *pact.Batch, m, _ string) { b.Move(m, "^ah", 1) }, fault.Sealed},
			"change it": {"n2", func(b *pact.Batch, m, _ string) {
				b.Update(m, func(s *pact.Spec) { s.Content = "" })
			}, fault.Sealed},
			"with a new turn": {"n2", func(b *pact.Batch, m, _ string) {
				into := b.Splice(1, pact.Spec{Content: "x"})
				b.Move(m, into, 1)
				b.Remove(into)
			}, fault.Sealed},
		} {
			c := turns(t, pact.NewDB(store.NewMemory()))
			must(t, c.Edit(ctx, func(b *pact.Batch) error { b.Remove(x.out); return nil }, nil))
			if later {
				_, err := c.Commit(ctx, nil)
				must(t, err)
			}
			got, err := c.Select(ctx, "^seq *[nodeType='redaction']", nil)
			must(t, err)
			marker, before := got[0], exported(t, c.Working())
			path, err := c.Select(ctx, "^seq .seg", nil)
			must(t, err)
			turn := path[1]
			err = c.Edit(ctx, func(b *pact.Batch) error { x.edit(b, marker, turn); return nil }, nil)
			if fault.CodeOf(err) != x.code || x.code != "" && exported(t, c.Working()) != before {
				t.Errorf("%s, later %v: %v", name, later, err)
			}
		}
	}
}

// A turn that moves is the turn that it was: only its id and its stamps are others.
func TestATurnThatMovesKeepsItsHeaders(t *testing.T) {
	ctx, c := context.Background(), turns(t, pact.NewDB(store.NewMemory()))
	headers := `"id":"seg:1-2","key":"chapter","my:note":"important","pinned":true,"tags":["t"],`
	before, after, _ := strings.Cut(exported(t, c.Working()), `"id":"seg:1-2",`)
	doc := before + headers + strings.Replace(after, `"priority":0`, `"priority":7`, 1)
	db := pact.NewDB(store.NewMemory())
	db.Edition = selector.V1
	d, _, err := pact.Import(ctx, db, "d", []byte(doc), nil)
	must(t, err)
	was, err := d.Working().Node("seg:1-2")
	must(t, err)
	id := ""
	must(t, d.Edit(ctx, func(b *pact.Batch) error { id = b.MoveToDepth(1, "seg:1-2"); return nil }, nil))
	is, err := d.Working().Node(id)
	must(t, err)
	if was.Key == "" || was.Priority != 7 || is.Priority != 7 || is.Key != was.Key || !is.Pinned || !slices.Equal(is.Tags, was.Tags) ||
		is.Attrs["my:note"] != "important" {
		t.Errorf("%+v became %+v", was, is)
	}
	_, err = d.Commit(ctx, nil)
	must(t, err)
	if v, err := pact.Verify(ctx, db, "d", nil); err != nil || !v.Holds() {
		t.Errorf("%+v, %v", v, err)
	}
}
