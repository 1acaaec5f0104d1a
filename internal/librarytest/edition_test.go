package librarytest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
)

func TestAnUntouchedWorkingStateIsTheNewestSnapshot(t *testing.T) {
	ctx, c := context.Background(), published(t, pact.NewDB(store.NewMemory()), 2)
	working, err := c.At(ctx, "working")
	must(t, err)
	latest, err := c.At(ctx, "latest")
	must(t, err)
	if a, b := exported(t, working), exported(t, latest); a != b {
		t.Errorf("@t0  %s\n@t-1 %s", a, b)
	}
	d, err := c.Diff(ctx, "latest", "working", nil)
	if err != nil || len(d.Added)+len(d.Removed)+len(d.Changed) > 0 {
		t.Errorf("the difference is %+v, %v", d, err)
	}
	must(t, c.Edit(ctx, func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{ID: "x", Content: "next", TTL: new(int64(2))})
		return nil
	}, nil))
	d, err = c.Diff(ctx, "latest", "working", nil)
	if err != nil || !slices.Equal(d.Added, []string{"x"}) || len(d.Removed)+len(d.Changed) > 0 {
		t.Errorf("the difference is %+v, %v", d, err)
	}
	x, err := c.Working().Node("x")
	if err != nil || *x.TTL != 2 {
		t.Errorf("the new node has the ttl %v, %v", x.TTL, err)
	}
	again, findings, err := pact.ReadSnapshot([]byte(exported(t, c.Working())), "")
	if err != nil || len(findings) > 0 || exported(t, again) != exported(t, c.Working()) {
		t.Errorf("the working state does not come back: %v, %v", findings, err)
	}
}

func TestAddressesOfEdition1(t *testing.T) {
	ctx, c := context.Background(), published(t, pact.NewDB(store.NewMemory()), 2)
	for query, want := range map[string]int{"@t0 .block": 2, "@t-1 .block": 2, "@t-2 .block": 1, "@c1 .block": 1, "@* .block": 2} {
		got, err := c.Select(ctx, query, nil)
		if err != nil || len(got) != want {
			t.Errorf("%s: %v, %v", query, got, err)
		}
	}
	for _, query := range []string{"@t-3 .block", "@c3 .block"} {
		if _, err := c.Select(ctx, query, nil); !errors.Is(err, fault.SnapshotNotFound) {
			t.Errorf("%s: %v", query, err)
		}
	}
	r, err := c.RangeDiffLatest(ctx, "@t-5:@t0 ^seq .block", nil)
	must(t, err)
	var labels []string
	for _, s := range r.Snapshots {
		labels = append(labels, s.Label)
	}
	if !slices.Equal(labels, []string{"@t0", "@t-1", "@t-2"}) || r.Snapshots[0].Cycle != 3 || r.Snapshots[2].Value != -2 {
		t.Errorf("the range has %+v", r.Snapshots)
	}
	for query, want := range map[string]string{"@t-2,@t0 .block": "[@t0 @t-2]", "@c1,@c2 .block": "[@c2 @c1]", "@t-1,@t-1 .block": "[@t-1]"} {
		r, err := published(t, pact.NewDB(store.NewMemory()), 3).RangeDiffLatest(ctx, query, nil)
		must(t, err)
		labels = nil
		for _, s := range r.Snapshots {
			labels = append(labels, s.Label)
		}
		if fmt.Sprint(labels) != want || len(r.Diffs) != len(labels)-1 {
			t.Errorf("%s: %+v", query, r)
		}
	}
	fresh := published(t, pact.NewDB(store.NewMemory()), 0)
	if got, err := fresh.Select(ctx, "@t0 .block", nil); err != nil || got == nil || len(got) != 0 {
		t.Errorf("@t0 of a new context: %v, %v", got, err)
	}
	_, err = fresh.Select(ctx, "@t-1 .block", nil)
	if !errors.Is(err, fault.SnapshotNotFound) || !strings.Contains(err.Error(), "@t-1") {
		t.Errorf("@t-1 of a new context: %v", err)
	}
}

func TestEditsOfEdition1(t *testing.T) {
	ctx, c := context.Background(), published(t, pact.NewDB(store.NewMemory()), 1)
	must(t, c.Edit(ctx, func(b *pact.Batch) error {
		b.Add("(d7, end)?", "block")
		b.Add("@t0 (d7, end)?", "block")
		b.Add(" @t0 (d7, end)? ", "block")
		b.Add("@t0 (d0, end)", "summary {content='s'}")
		return nil
	}, nil))
	got, err := c.Select(ctx, "(.summary), ((d1) .block), (.block)", nil)
	if err != nil || !slices.Equal(got, []string{"summary:2-0", "block:1-0"}) {
		t.Errorf("%v, %v", got, err)
	}
	for place, want := range map[string]fault.Code{"@t-1 (d0, end)": fault.PlacementInvalid, "(d7, end)": fault.NodeNotFound} {
		if err := c.Edit(ctx, func(b *pact.Batch) error { b.Add(place, "block"); return nil }, nil); !errors.Is(err, want) {
			t.Errorf("%s: %v", place, err)
		}
	}
}

// Nodes of one key stand at different depths, and a cadence is a positive number of cycles.
func TestOverlapsOfEdition1(t *testing.T) {
	ctx, c := context.Background(), published(t, pact.NewDB(store.NewMemory()), 0)
	add := func(where, node string) func(*pact.Batch) { return func(b *pact.Batch) { b.Add(where, node) } }
	must(t, c.Edit(ctx, func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{ID: "old", Key: "K", Content: "1"})
		b.Add("^sys", pact.Spec{ID: "rule", Key: "K", Content: "2"})
		return nil
	}, nil))
	for range 2 {
		_, err := c.Commit(ctx, nil)
		must(t, err)
	}
	must(t, c.Edit(ctx, func(b *pact.Batch) error {
		b.Add("(d0, end)", "block {id=new, key='K'}")
		b.Add("^ah", pact.Spec{ID: "other", Content: "3"})
		return nil
	}, nil))
	for name, x := range map[string]struct {
		edit func(*pact.Batch)
		want fault.Code
	}{
		"twice in ^ah":          {add("(d0, end)", "block {key='K'}"), fault.OverlapViolatesODI},
		"behind a newer one":    {func(b *pact.Batch) { b.Add("seg:2-0", pact.Spec{Key: "K", Offset: 1}) }, fault.OverlapViolatesODI},
		"twice in ^sys":         {add("(d-1, end)", "block {key='K'}"), fault.OverlapViolatesODI},
		"by another key":        {func(b *pact.Batch) { b.Update("other", func(s *pact.Spec) { s.Key = "K" }) }, fault.OverlapViolatesODI},
		"another key":           {add("(d0, end)", "block {key='L'}"), ""},
		"the key stays":         {func(b *pact.Batch) { b.Update("new", func(s *pact.Spec) { s.Content = "4" }) }, ""},
		"cad 0":                 {add("(d0, end)", "block {key='M'} [cad=0]"), fault.PlacementInvalid},
		"cad below 0":           {func(b *pact.Batch) { b.Add("^ah", pact.Spec{Key: "M", Cad: new(int64(-2))}) }, fault.PlacementInvalid},
		"beside itself in ^sys": {add("(d-1, end)", "block {key='M', ttl=3} [cad=2]"), fault.OverlapViolatesODI},
		"after itself in ^sys":  {add("(d-1, end)", "block {key='M', ttl=2} [cad=2]"), ""},
	} {
		err := c.Edit(ctx, func(b *pact.Batch) error {
			if x.edit(b); b.Err() == nil {
				return errors.New("undo")
			}
			return nil
		}, nil)
		if got := fault.CodeOf(err); got != x.want || got != "" && !errors.Is(err, fault.PlacementInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	old := published(t, pact.NewDB(store.NewMemory()), 0)
	must(t, old.Edit(ctx, func(b *pact.Batch) error { b.Add("^sys", pact.Spec{ID: "rule", Content: "1"}); return nil }, nil))
	_, err := old.Commit(ctx, nil)
	must(t, err)
	must(t, old.Edit(ctx, func(b *pact.Batch) error {
		b.Update("rule", func(s *pact.Spec) { s.Role, s.Key, s.TTL = "system", "R", new(int64(1)) })
		return nil
	}, nil))
	rule, err := old.Working().Node("rule")
	if err != nil || rule.Key != "R" || *rule.TTL != 1 {
		t.Errorf("%+v, %v", rule, err)
	}
	_, err = old.Commit(ctx, nil)
	must(t, err)
	if got, err := old.Select(ctx, "@t-1 ^sys *", nil); err != nil || len(got) > 0 {
		t.Errorf("a ttl of 1 outlived the next commit: %v, %v", got, err)
	}
}

// Specification: 1.0 05 §2.5.
func TestPlacesOfNodes(t *testing.T) {
	s, _, err := pact.ReadSnapshot([]byte(`{"spec_version":"PACT/1.0.0","root":{"id":"root","children":[{"id":"seq","nodeType":"^seq",
		"children":[{"id":"t","children":[{"id":"c","nodeType":"cont","children":[{"id":"i","nodeType":"item"}]},{"id":"post","offset":1},
		{"id":"pre","offset":-1}]}]},{"id":"ah","nodeType":"^ah"},{"id":"sys","nodeType":"^sys"}]}}`), "")
	must(t, err)
	for id, want := range map[string]pact.Place{"root": {},
		"ah": {Up: "root", Frame: []string{"sys", "seq", "ah"}, Index: 2},
		"t":  {Up: "seq", Frame: []string{"t"}, Index: 0}, "i": {Up: "c", Frame: []string{"i"}, Index: 0}, "c": {Up: "t", Frame: []string{"pre", "c", "post"}, Index: 1}} {
		if got, err := s.Place(id); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", id, got, err)
		}
	}
	if _, err := s.Place("nobody"); !errors.Is(err, fault.NodeNotFound) {
		t.Errorf("nobody: %v", err)
	}
}
