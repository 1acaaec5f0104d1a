package differ_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/differ"
	"github.com/contexttree/pact/internal/document"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/tree"
)

// flat reads a tree back from its exported document, which is all that the
// naive comparison knows: headers by id, and ids in document order. The blocks
// of an elided core are exported as children of the turn.
func flat(t *testing.T, tr *tree.Tree) (map[string]map[string]any, []string) {
	t.Helper()
	var out bytes.Buffer
	if err := document.Write(context.Background(), &out, tr, "v0.1"); err != nil {
		t.Fatal(err)
	}
	var doc struct{ Root map[string]any }
	d := json.NewDecoder(&out)
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	nodes := map[string]map[string]any{}
	var order []string
	var walk func(n map[string]any, parent string)
	walk = func(n map[string]any, parent string) {
		id := n["id"].(string)
		order = append(order, id)
		headers := map[string]any{"parent": parent}
		for name, v := range n {
			if name != "children" && name != "content" {
				headers[name] = v
			}
		}
		nodes[id] = headers
		kids, _ := n["children"].([]any)
		for _, k := range kids {
			walk(k.(map[string]any), id)
		}
	}
	walk(doc.Root, "")
	return nodes, order
}

// naive compares two exports id by id.
func naive(t *testing.T, from, to *tree.Tree) *diff.Result {
	a, orderA := flat(t, from)
	b, orderB := flat(t, to)
	r := &diff.Result{Added: []string{}, Removed: []string{}, Changed: []diff.Change{}}
	for _, id := range orderB {
		if a[id] == nil {
			r.Added = append(r.Added, id)
		}
	}
	for _, id := range orderA {
		if b[id] == nil {
			r.Removed = append(r.Removed, id)
		}
	}
	newer := orderB
	if from.Cycle() > to.Cycle() {
		newer = orderA
	}
	for _, id := range newer {
		if a[id] == nil || b[id] == nil {
			continue
		}
		var fields []string
		for name := range union(a[id], b[id]) {
			if !reflect.DeepEqual(a[id][name], b[id][name]) {
				fields = append(fields, name)
			}
		}
		if slices.Sort(fields); len(fields) > 0 {
			r.Changed = append(r.Changed, diff.Change{ID: id, Fields: fields})
		}
	}
	return r
}

func union(a, b map[string]any) map[string]bool {
	all := map[string]bool{}
	for name := range a {
		all[name] = true
	}
	for name := range b {
		all[name] = true
	}
	return all
}

// history makes a few snapshots and working states by random edits.
func history(t *testing.T, seed uint64) []*tree.Tree {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	now := int64(0)
	env := tree.Env{Vocabulary: tree.Vocabulary{Turn: "mt", Container: "mc", Block: "cb"},
		Clock: func() int64 { now++; return now },
		Taken: func(string) (bool, error) { return false, nil }}
	working, stamps, err := tree.New(env, nil)
	if err != nil {
		t.Fatal(err)
	}
	base := working
	var all []*tree.Tree
	for range 6 {
		x := tree.Edit(context.Background(), working.WithCycle(stamps.Cycle), base, stamps, env)
		for range r.IntN(9) {
			ids := []string{"^sys", "^ah"}
			for e := range x.Tree().All() {
				ids = append(ids, e.Node().ID)
			}
			id, other := ids[r.IntN(len(ids))], ids[r.IntN(len(ids))]
			spec := tree.Spec{Role: "user", Kind: "text", Offset: int64(r.IntN(3) - 1), Content: r.IntN(3)}
			if r.IntN(2) == 0 {
				spec.TTL = tree.TTL(int64(r.IntN(4)))
			}
			if r.IntN(4) == 0 {
				spec = tree.Spec{Type: "mc", Offset: 1, Removable: r.IntN(2) == 0}
			}
			switch r.IntN(5) { // refused edits leave the tree alone
			case 0:
				_ = x.Remove(id)
			case 1:
				_, _ = x.Move(id, other, int64(r.IntN(3)-1))
			case 2:
				_ = x.Update(id, map[string]any{"content": r.IntN(5), "data_x": r.IntN(2), "tags": []string{fmt.Sprint(r.IntN(2))}})
			default:
				_, _ = x.Add(id, spec)
			}
		}
		all = append(all, x.Tree())
		sealed, after, _, err := lifecycle.Commit(context.Background(), lifecycle.Input{Working: x.Tree(), Stamps: x.Stamps,
			Env: env})
		if err != nil {
			t.Fatal(err)
		}
		working, base, stamps = sealed, sealed, after
		all = append(all, sealed)
	}
	return all
}

func TestDiffAgreesWithNaive(t *testing.T) {
	for seed := range uint64(60) {
		trees := history(t, seed)
		for i, from := range trees {
			for k, to := range trees {
				if from.Cycle() == to.Cycle() && i > k {
					continue // two states of one cycle: neither is the newer
				}
				got, want := differ.Trees(from, to, nil), naive(t, from, to)
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("seed %d, from %d to %d:\n got %+v\nwant %+v", seed, i, k, got, want)
				}
				if i == k && !got.Empty() {
					t.Fatalf("seed %d: a tree differs from itself: %+v", seed, got)
				}
			}
		}
	}
}

func TestSelectionRestrictsEachSide(t *testing.T) {
	trees := history(t, 4)
	restricts(t, trees[3], trees[len(trees)-1])
	restricts(t, trees[len(trees)-1], trees[3])
}

func restricts(t *testing.T, from, to *tree.Tree) {
	t.Helper()
	full := naive(t, from, to)
	pickA, pickB := map[string]bool{}, map[string]bool{}
	a, orderA := flat(t, from)
	b, orderB := flat(t, to)
	for i, id := range orderA {
		pickA[id] = i%2 == 0
	}
	for i, id := range orderB {
		pickB[id] = i%3 != 0
	}
	want := &diff.Result{Added: []string{}, Removed: []string{}, Changed: []diff.Change{}}
	for _, id := range orderB {
		if pickB[id] && (a[id] == nil || !pickA[id]) {
			want.Added = append(want.Added, id)
		}
	}
	for _, id := range orderA {
		if pickA[id] && (b[id] == nil || !pickB[id]) {
			want.Removed = append(want.Removed, id)
		}
	}
	for _, c := range full.Changed {
		if pickA[c.ID] && pickB[c.ID] {
			want.Changed = append(want.Changed, c)
		}
	}
	selected := func(m map[string]bool) map[string]bool {
		only := map[string]bool{}
		for id, in := range m {
			if in {
				only[id] = true
			}
		}
		return only
	}
	got := differ.Trees(from, to, &differ.Selection{From: selected(pickA), To: selected(pickB)})
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestRunningDownIsAChange(t *testing.T) {
	for seed := range uint64(40) {
		trees := history(t, seed)
		r := differ.Trees(trees[1], trees[3], nil)
		for _, c := range r.Changed {
			if slices.Contains(c.Fields, "ttl") {
				return
			}
		}
	}
	t.Error("no ttl ever changed between two snapshots")
}
