package query_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

func TestOrders(t *testing.T) {
	answers{
		{depth, "^seq .cb @order=pre", "before ask reply note call result after"},
		{canonical, "^seq .cb @order=pre", "call result after before ask reply note"},
		{canonical, "^seq .cb @order=turn:asc,pre", "before ask reply note call result after"},
		{depth, "^seq .cb @order=turn:desc,pre", "call result after before ask reply note"},
		{depth, "* @order=post",
			"policy rule group sys before ask reply note extra old call result core after new seq draft ah root"},
		{canonical, "^seq * @order=post", "call result core after new before ask reply note extra old"},
		{depth, ".cb, .mt @order=post", "policy rule before ask reply note old call result after new draft"},
		{depth, "* @order=bfs",
			"root sys seq ah policy group old new draft rule before ask reply extra core after note call result"},
		{canonical, "^seq * @order=bfs", "new old core after before ask reply extra call result note"},
		{canonical, ".seg, .cont, ^root @order=path", "root new core old extra group"},
		{canonical, "^seq * @order=path", "new after core call result old ask before extra note reply"},
		{canonical, "+none @order=post", ""},
	}.check(t, garden(t))
}

// An id that begins another one is before it, and ends a path there.
func TestPathOrderComparesIDByID(t *testing.T) {
	answers{
		{canonical, "* @order=path", "r a z a! b"},
		{canonical, ".block @order=path", "z b"},
	}.check(t, plant(t, 1, `
^root r
 ^ah a!
  block b
 ^sys a
  block z
`))
}

func TestWindows(t *testing.T) {
	tr := plant(t, 1, `
^root root
 ^sys sys
  block a key=k
  block b
  block c key=k
  block d key=b
  block e
`)
	answers{
		{canonical, ".block @unique", "a b e"},
		{canonical, ".block @limit=2", "a b"},
		{canonical, ".block @limit=2 @p=1", "a b"},
		{canonical, ".block @limit=2 @p=3", "e"},
		{canonical, ".block @limit=2 @p=4", ""},
		{canonical, ".block @limit=2147483647 @p=2147483647", ""},
		{canonical, ".block @limit=0", ""},
		{canonical, ".block @first", "a"},
		{canonical, ".block @first @limit=2 @p=2 @unique", "e"},
		{canonical, ".x @first", ""},
		{canonical, ".block @order=path @unique @limit=1", "a"},
		{canonical, "@t0 .block @mode=latest", "a b c d e"},
	}.check(t, tr)
	nodes := slices.Collect(func(yield func(*tree.Entry) bool) {
		for e := range sure.All(tr.All()) {
			if !yield(e.Entry) {
				return
			}
		}
	})
	plan, err := query.Compile(selector.MustParse("* @unique @limit=3", canonical))
	if err != nil {
		t.Fatal(err)
	}
	before := slices.Clone(nodes)
	if kept := plan.Window(nodes); len(kept) != 3 || !slices.Equal(nodes, before) {
		t.Errorf("kept %d nodes; what was given is changed: %v", len(kept), !slices.Equal(nodes, before))
	}
}

// Orders override that of a same-key set; its choices are made before.
func TestOrdersOfSameKeySets(t *testing.T) {
	tr := family(t)
	answers{
		{depth, "[key=K] @order=pre", "policy a b c d"},
		{canonical, "#K @order=pre", "policy b c a d"},
		{canonical, "#K @order=turn:asc,pre", "policy a b c d"},
		{canonical, "#K @order=path", "d b c a policy"},
		{canonical, "#K @order=bfs", "policy d b c a"},
		{canonical, "#K:nth(2) @order=pre", "c"},
		{canonical, "#K @limit=2", "d c"},
		{canonical, "#K @limit=2 @p=2", "b a"},
		// The key may stand anywhere in the last step, and behind a position.
		{depth, ".cb[key=K][role=user]", "c a"},
		{depth, ".cb[role=user][key=K]", "c a"},
		{canonical, "(d1, *:block) {key=K}", "c b"},
		{canonical, "(d1, *:block{key=K}):first", "c"},
		{canonical, "?? {key=K}", "d c b a policy"},
		{canonical, "within(d2, d1) ?? {key=K}", "c b a"},
		{canonical, "(seg, *:block) {key=K}:nth(3)", "a"},
		// A choice ahead of the key is one of each parent.
		{depth, ".cb:first[key=K]", "d b a policy"},
		{depth, ".cb:last[key=K]", "d a policy"},
		// With a step behind it or another group, it is no set.
		{canonical, "#K, #other", "policy b c other a d"},
	}.check(t, tr)
}

func TestCover(t *testing.T) {
	tr := garden(t)
	for where, want := range map[string]string{
		"(d1)":         "new core call result after",
		"(d2, cont)":   "ask reply extra note", // the elided core counts
		"(d2, 0)":      "ask reply",
		".cont:first":  "group rule ask reply core call result draft",
		".cont[id=x]":  "",
		".seg:core":    "old before ask reply extra note new core call result after",
		"^ah":          "ah draft",
		".mt .mc > .x": "",
	} {
		plan, err := query.Compile(selector.MustParse(where, canonical))
		if err != nil {
			t.Fatal(err)
		}
		r, err := plan.Run(context.Background(), tr)
		if err != nil {
			t.Fatal(err)
		}
		cover := r.Subtrees(tr)
		var got []string
		for e := range sure.All(tr.All()) {
			if sure.Get(cover.Has(e.Entry)) {
				got = append(got, e.Node().ID)
			}
		}
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s covers %v, want %s", where, got, want)
		}
	}
}
