package pact_test

import (
	"fmt"
	"slices"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// genSelectors are selectors without address and controls: for every edition; for
// the later ones with facets that need an address, and without.
var genSelectors = [3][]string{
	{"*", ".cb", ".mt", "[role='user']", "[key='K']", "[key='K']:first", "^sys *", ".mt:depth(1-2) .cb", ":post",
		"[tag='red']", ".cb[ttl<=1]", ".cb:last", "^ah .cb", ".mc > .cb, ^sys > .cb", "[content>3]"},
	{"[age>1]", ".cb[born_turn=3]", "[depth=1]", ".cb[sdepth>=4]", "[age<2][key='K']"},
	{"(d1, ??{role=user})", "+red", "?? {kind=text}", "[key=K]:last", ".block{key=L}:nth(2)",
		"within(d1,d3) ?? {type=block}", "d2 ? {type=cont}", ".seg:depth(0) .cb", "(seg, cont, *:block) {role=user}",
		"(d-1, *:block)"},
}

// genWindows are controls that a selector may end with.
var genWindows = []string{"", "", " @limit=3", " @limit=2 @p=2", " @first", " @unique", " @order=post",
	" @order=path @unique @limit=4", " @order=bfs @first", " @order=turn:asc,pre @p=3 @limit=2", " @unique @limit=1 @p=2"}

// drawnAddress is one that a selector may carry, and the snapshots that it names.
type drawnAddress struct {
	text  string
	names []*tree.Tree // newest first; none where there is no such snapshot
	merge string       // "all", "union", "latest", or nothing for one snapshot
}

// genAddress draws an address in the history.
func (c *randomHistory) genAddress(later bool) drawnAddress {
	n := len(c.snapshots)
	back := c.IntN(n + 2)
	at := func(i int) []*tree.Tree {
		if i < 0 || i >= n {
			return nil
		}
		return c.snapshots[i : i+1]
	}
	newestFirst := slices.Clone(c.snapshots)
	slices.Reverse(newestFirst)
	kind := c.IntN(6)
	if kind == 5 && !later {
		kind = c.IntN(5)
	}
	switch kind {
	case 0, 1:
		return drawnAddress{text: "@* ", names: newestFirst, merge: "all"}
	case 2:
		return drawnAddress{text: fmt.Sprintf("@t%d ", -back), names: at(n - 1 - back)}
	case 3:
		return drawnAddress{text: fmt.Sprintf("@c%d ", back), names: at(back - 1)} // the first commit is cycle 1
	case 4:
		if later {
			return drawnAddress{names: []*tree.Tree{tree.Of(c.context.Working())}}
		}
		return drawnAddress{names: at(n - 1)}
	}
	from, to := c.IntN(n), c.IntN(n)
	merge := choose(c.Rand, "union", "latest")
	return drawnAddress{text: fmt.Sprintf("@t-%d..@t-%d ", from, to), names: newestFirst[min(from, to) : max(from, to)+1],
		merge: merge}
}

// genOptions draws windows of the API, and what they do to a result.
func (c *randomHistory) genOptions(e selector.Edition) (o pact.SelectOptions, after func([]modelMatch) []string) {
	where, skip, limit := choose(c.Rand, "", "", "^sys", ".mt:depth(1-2)", ".cb[role='user']", "[tag='red']"),
		c.IntN(3)/2*c.IntN(4), c.IntN(8)
	var keep *selector.Selector
	if where != "" {
		keep = selector.MustParse(where, e)
	}
	if limit > 4 {
		limit = 0
	}
	return pact.SelectOptions{Where: where, Skip: skip, Limit: limit}, func(list []modelMatch) []string {
		ids := []string{}
		for _, m := range list {
			if keep == nil || modelInSubtree(c.t, m, keep) {
				ids = append(ids, m.node.ID)
			}
		}
		ids = ids[min(skip, len(ids)):]
		if limit > 0 {
			ids = ids[:min(limit, len(ids))]
		}
		return ids
	}
}
