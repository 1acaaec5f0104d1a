package search

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// selectors without an address: those that a node and its ancestors decide, of which only
// what differs is asked for in older snapshots, and those that need the whole snapshot.
var selectors = []string{
	"*", ".block", "[role='user']", "[kind='note'], [role='tool']", "^seq .seg .block", ".cont > .block",
	".seg > .block[kind='note']", "[ttl<=2]", "#b3, #b1", "^ah *", "[role='user'] @order=bfs",
	".block:first", ".seg:depth(1-2) .block", "[key='k']", ".block @limit=2", ".block @first", "[role='user'] @unique",
	"[depth=2]", "[age<2]", ":core .block", ".seg > .block:post", ".seg :pre .block", ".seg:last > .block",
	"depth(0) .block", "(d1, *:block)", "[key='k'], ^ah", "?? {role='user'} @order=bfs",
}

// generated calls f on random histories.
func generated(t *testing.T, f func(r *rand.Rand, trees []*tree.Tree)) {
	t.Helper()
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 11))
		f(r, genHistory(t, r))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// canonical parses a selector in the canonical edition.
func canonical(text string) *selector.Selector { return selector.MustParse(text, selector.Canonical) }

func TestFindAgreesWithModel(t *testing.T) {
	found, several := 0, 0
	generated(t, func(r *rand.Rand, trees []*tree.Tree) {
		for _, text := range selectors {
			for address, mode := range map[string]string{"@t0": "", "@*": "", "@t0..@t-*": "union", "@c1..@c9": "latest"} {
				asked, given := address+" "+text, trees
				if mode != "" {
					asked += " @mode=" + mode
				} else if address == "@t0" {
					given = trees[:1]
				}
				o := Options{Skip: r.IntN(3), Limit: r.IntN(4)}
				if r.IntN(2) == 0 {
					o.Where = canonical([]string{"[role='user']", "#turn1", ".seg:depth(1)", "^ah", "[kind='note']"}[r.IntN(5)])
				}
				s, err := New(canonical(asked), o)
				if err != nil {
					t.Fatal(asked, err)
				}
				got, err := s.Find(context.Background(), given)
				if err != nil {
					t.Fatal(asked, err)
				}
				var list []modelFound
				for _, m := range got {
					if sure.Get(m.Tree.Entry(m.Entry.Node().ID)) != m.Entry {
						t.Errorf("%s: %s is not of the snapshot that it is said to be of", asked, m.Entry.Node().ID)
					}
					list = append(list, modelFound{m.Entry.Node().ID, m.Tree.Cycle()})
				}
				if want := modelFind(t, s.Selector, o, mode, given); !slices.Equal(list, want) {
					t.Errorf("%s %+v:\ngot  %v\nwant %v", asked, o, list, want)
				}
				found += len(list)
				if slices.ContainsFunc(list, func(m modelFound) bool { return m.cycle != list[0].cycle }) {
					several++
				}
			}
		}
	})
	if found < 1000 || several < 100 {
		t.Errorf("only %d nodes were found, by %d questions in more than one snapshot", found, several)
	}
}

func TestChangesAgreeWithModel(t *testing.T) {
	kinds := [3]int{}
	generated(t, func(r *rand.Rand, trees []*tree.Tree) {
		for _, text := range selectors {
			mode, o := "pairwise", diff.RangeOptions{}
			asked := "@t-9..@t0 " + text
			if r.IntN(3) == 0 {
				mode = "reduce"
				asked += " @mode=reduce"
			}
			if r.IntN(2) == 0 {
				most := 1 + r.IntN(3)
				o.MaxSnapshots = &most
			}
			if r.IntN(2) == 0 {
				most := r.IntN(4)
				o.MaxChangesPerSnapshot = &most
			}
			rg, err := NewRange(canonical(asked), o, nil)
			if err != nil {
				t.Fatal(asked, err)
			}
			latest := trees[0].Cycle()
			name := func(cycle int64) diff.SnapshotRef {
				return diff.SnapshotRef{Kind: "t", Value: cycle - latest, Label: fmt.Sprint("@t", cycle-latest), Cycle: cycle}
			}
			got, err := rg.Changes(context.Background(), trees, latest, nil)
			if err != nil {
				t.Fatal(asked, err)
			}
			kept, truncated := trees, 0
			if o.MaxSnapshots != nil && len(trees) > *o.MaxSnapshots {
				kept, truncated = trees[:*o.MaxSnapshots], 1
			}
			for i, s := range kept {
				if i >= len(got.Snapshots) || got.Snapshots[i] != name(s.Cycle()) {
					t.Fatalf("%s: the snapshots are %v", asked, got.Snapshots)
				}
			}
			if mode == "reduce" && len(kept) > 2 {
				kept = []*tree.Tree{kept[0], kept[len(kept)-1]}
			}
			if len(got.Snapshots) < len(kept) || len(got.Diffs) != len(kept)-1 || got.Mode != mode {
				t.Fatalf("%s: %d snapshots, %d diffs, mode %s", asked, len(got.Snapshots), len(got.Diffs), got.Mode)
			}
			for i, d := range got.Diffs {
				want := modelDiff(t, rg.Selector, kept[i+1], kept[i])
				stats := diff.RangeStats{Added: len(want.added), Removed: len(want.removed), Changed: len(want.changed)}
				for k, n := range []int{stats.Added, stats.Removed, stats.Changed} {
					kinds[k] += n
				}
				if most := o.MaxChangesPerSnapshot; most != nil && stats.Added+stats.Removed+stats.Changed > *most {
					truncated++
					left := *most
					for _, list := range []*[]string{&want.added, &want.removed, &want.changed} {
						n := min(left, len(*list))
						*list, left = (*list)[:n], left-n
					}
				}
				changed := []string{}
				for _, c := range d.Changed {
					changed = append(changed, c.ID)
				}
				if d.Stats != stats || !slices.Equal(d.AddedIDs, want.added) || !slices.Equal(d.RemovedIDs, want.removed) ||
					!slices.Equal(changed, want.changed) || d.From != name(kept[i].Cycle()) || d.To != name(kept[i+1].Cycle()) {
					t.Errorf("%s from %s to %s:\ngot  %v %v %v %+v\nwant %v %+v", asked, d.From.Label, d.To.Label, d.AddedIDs,
						d.RemovedIDs, changed, d.Stats, want, stats)
				}
			}
			if len(got.Errors) != truncated || (got.Limits != nil && got.Limits.Truncated) != (truncated > 0) {
				t.Errorf("%s: %d times something was cut off, it says %+v %+v", asked, truncated, got.Errors, got.Limits)
			}
		}
	})
	if slices.Min(kinds[:]) < 500 {
		t.Errorf("too few nodes were added, removed and changed: %v", kinds)
	}
}

func TestBadQuestionsAreRefused(t *testing.T) {
	for _, c := range []struct {
		text string
		o    Options
	}{
		{".block", Options{Skip: -1}}, {".block", Options{Limit: -1}},
		{".block", Options{RangeAsIDs: true}}, {".block", Options{Where: canonical("@t-1 .block")}},
		{"@c2 .block", Options{Where: canonical("@t0 .block")}}, {"@* .block", Options{Where: canonical("@t0 .block")}},
		{".block", Options{Where: canonical(".block @first")}},
	} {
		if _, err := New(canonical(c.text), c.o); !errors.Is(err, fault.SelectorInvalid) {
			t.Errorf("%s %+v: %v", c.text, c.o, err)
		}
	}
	zero := 0
	for _, c := range []struct {
		text string
		o    diff.RangeOptions
		want fault.Code
	}{
		{".block", diff.RangeOptions{}, fault.SelectorInvalid}, {"@t0 .block", diff.RangeOptions{}, fault.SelectorInvalid},
		{"@t-1..@t0 .block @mode=union", diff.RangeOptions{}, fault.SelectorInvalid},
		{"@t-1..@t0 .block", diff.RangeOptions{MaxSnapshots: &zero}, fault.RangeLimit},
		{"@t-1..@t0 .block", diff.RangeOptions{Materialize: []string{"role"}}, fault.SelectorInvalid},
	} {
		if _, err := NewRange(canonical(c.text), c.o, nil); !errors.Is(err, c.want) {
			t.Errorf("%s %+v: %v", c.text, c.o, err)
		}
	}
}

func TestRangeGivesIDsOnlyWhereItIsAskedTo(t *testing.T) {
	for _, c := range []struct {
		edition selector.Edition
		text    string
		asIDs   bool
		want    bool
	}{
		{selector.Canonical, "@t-1..@t0 .block", false, false},
		{selector.Canonical, "@t-1..@t0 .block @mode=reduce", false, false},
		{selector.Canonical, "@t-1..@t0 .block @mode=latest", false, true},
		{selector.Canonical, "@t-1..@t0 .block", true, false},
		{selector.V01, "@t-1..@t0 .cb", true, true}, {selector.V01, "@t-1..@t0 .cb", false, false},
		{selector.Canonical, "@* .block", false, true}, {selector.Canonical, ".block", false, true},
	} {
		s, err := New(selector.MustParse(c.text, c.edition), Options{RangeAsIDs: c.asIDs})
		if err != nil {
			t.Fatal(c.text, err)
		}
		if err := s.CheckGivesIDs(); (err == nil) != c.want || err != nil && !errors.Is(err, fault.SelectorInvalid) {
			t.Errorf("%s in %s: %v", c.text, c.edition, err)
		}
	}
}

// A selector that a node and its ancestors decide asks a range for what changed alone, however large its snapshots are.
func TestARangeVisitsWhatChanged(t *testing.T) {
	visits := func(turns int, text string) (n int64) {
		nodes := []genNode{{id: "root", typ: "^root"}, {id: "seq", parent: "root", typ: "^seq"}}
		for i := range turns {
			turn := fmt.Sprint("turn", i)
			nodes = append(nodes, genNode{id: turn, parent: "seq", typ: "seg"},
				genNode{id: turn + "core", parent: turn, typ: "cont"},
				genNode{id: turn + "said", parent: turn + "core", typ: "block", role: "user", expiry: tree.Never})
		}
		older := genTree(t, 1, nodes)
		nodes[len(nodes)-1].role = "tool"
		trees := []*tree.Tree{genTree(t, 2, nodes), older}
		r, err := NewRange(canonical("@t-1..@t0 "+text), diff.RangeOptions{}, nil)
		must(t, err)
		for n = 1; ; n *= 2 { // the least power of two that is enough
			got, err := r.Changes(budget.With(t.Context(), n, n), trees, 2, nil)
			if err == nil && len(got.Diffs[0].Changed) == 1 {
				return n
			}
			if !errors.Is(err, fault.Limit) {
				t.Fatalf("%s: %+v, %v", text, got, err)
			}
		}
	}
	if few, many := visits(20, ".block"), visits(2000, ".block"); few != many {
		t.Errorf("a change of one node makes a range visit up to %d nodes of 20 turns, %d of 2,000", few, many)
	}
	if few, many := visits(20, ".block:last"), visits(2000, ".block:last"); few == many {
		t.Errorf("the count does not tell: %d visits", few)
	}
}
