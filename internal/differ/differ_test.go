package differ_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/differ"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

func TestDiffAgreesWithModel(t *testing.T) {
	for seed := range uint64(60) {
		trees := genHistory(t, seed)
		for i, from := range trees {
			for k, to := range trees {
				if from.Cycle() == to.Cycle() && i > k {
					continue // two states of one cycle: neither is the newer
				}
				got, want := sure.Get(differ.Trees(from, to, nil)), modelDiff(t, from, to)
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
	trees := genHistory(t, 4)
	checkRestricted(t, trees[3], trees[len(trees)-1])
	checkRestricted(t, trees[len(trees)-1], trees[3])
}

func checkRestricted(t *testing.T, from, to *tree.Tree) {
	t.Helper()
	full := modelDiff(t, from, to)
	pickA, pickB := map[string]bool{}, map[string]bool{}
	a, orderA := modelDocument(t, from)
	b, orderB := modelDocument(t, to)
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
	got := sure.Get(differ.Trees(from, to, &differ.Selection{From: selected(pickA), To: selected(pickB)}))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestATTLThatRunsDownIsAChange(t *testing.T) {
	for seed := range uint64(40) {
		trees := genHistory(t, seed)
		r := sure.Get(differ.Trees(trees[1], trees[3], nil))
		for _, c := range r.Changed {
			if slices.Contains(c.Fields, "ttl") {
				return
			}
		}
	}
	t.Error("no ttl ever changed between two snapshots")
}

func TestFormsOfContents(t *testing.T) {
	for lines, want := range map[int]int{0: 3, 5: 5, -1: 0} {
		if mode, n, err := differ.Form("", lines); mode != diff.Unified || n != want || err != nil {
			t.Errorf("%d lines: %s, %d, %v", lines, mode, n, err)
		}
	}
	if _, _, err := differ.Form("words", 0); fault.CodeOf(err) != fault.SelectorInvalid {
		t.Errorf("a form that there is not: %v", err)
	}
}
