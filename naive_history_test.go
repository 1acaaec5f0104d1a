package pact_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// chronicle is a context with a random history, and all of that history.
type chronicle struct {
	*rand.Rand
	t         *testing.T
	context   *pact.Context
	snapshots []*tree.Tree // oldest first
}

func choose[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// live lets a context go through some random cycles.
func live(t *testing.T, seed uint64, e selector.Edition) *chronicle {
	t.Helper()
	context, err := pact.Create(background, store.NewMemory(), "c",
		&pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: steps()}, Edition: e})
	must(t, err)
	c := &chronicle{Rand: rand.New(rand.NewPCG(seed, 21)), t: t, context: context}
	for range 5 + c.IntN(6) {
		c.edits()
		policy := lifecycle.Policy{Orphans: lifecycle.Keep}
		if c.IntN(5) == 0 {
			policy.MaxNodes, policy.ProtectTurns = 15, 1
		}
		s, err := context.Commit(background, &pact.CommitOptions{Pruning: &pact.Pruning{Policy: policy}})
		must(t, err)
		c.snapshots = append(c.snapshots, s.Tree())
	}
	c.edits() // a working state that is no snapshot
	return c
}

// edits makes some random edits. What the rules refuse is none.
func (c *chronicle) edits() {
	working := c.context.Working()
	for range 3 + c.IntN(5) {
		var all []string
		for entry := range working.Tree().All() {
			n := entry.Node()
			all = append(all, n.ID)
		}
		switch c.IntN(9) {
		case 0:
			id := choose(c.Rand, all...)
			try(c.t, c.context, nil, func(b *pact.Batch) { b.Remove(id) })
		case 1:
			id, set := choose(c.Rand, all...), map[string]any{"tags": []string{choose(c.Rand, "red", "blue")},
				"content": c.IntN(5)}
			try(c.t, c.context, nil, func(b *pact.Batch) { b.Update(id, set) })
		default:
			s := pact.Spec{
				Role: choose(c.Rand, "user", "assistant", "tool"), Kind: choose(c.Rand, "text", "call", ""),
				Key:    choose(c.Rand, "", "", "K", "L"),
				Offset: int64(c.IntN(3) - 1), Priority: int64(c.IntN(3)), Content: c.IntN(9),
				Tags: []string{choose(c.Rand, "red", "blue")},
			}
			if c.IntN(3) == 0 {
				s.TTL = pact.TTL(int64(1 + c.IntN(3)))
			}
			parent := choose(c.Rand, "^ah", "^ah", "^ah", "^sys", choose(c.Rand, all...))
			try(c.t, c.context, nil, func(b *pact.Batch) { b.Add(parent, s) })
		}
	}
}

// questions are selectors without address and controls: for every edition; for
// the later ones with facets that need an address, and without.
var questions = [3][]string{
	{"*", ".cb", ".mt", "[role='user']", "[key='K']", "[key='K']:first", "^sys *", ".mt:depth(1-2) .cb", ":post",
		"[tag='red']", ".cb[ttl<=1]", ".cb:last", "^ah .cb", ".mc > .cb, ^sys > .cb", "[content>3]"},
	{"[age>1]", ".cb[born_turn=3]", "[depth=1]", ".cb[sdepth>=4]", "[age<2][key='K']"},
	{"(d1, ??{role=user})", "+red", "?? {kind=text}", "[key=K]:last", ".block{key=L}:nth(2)",
		"within(d1,d3) ?? {type=block}", "d2 ? {type=cont}", ".seg:depth(0) .cb", "(seg, cont, *:block) {role=user}",
		"(d-1, *:block)"},
}

var windows = []string{"", "", " @limit=3", " @limit=2 @p=2", " @first", " @unique", " @order=post",
	" @order=path @unique @limit=4", " @order=bfs @first", " @order=turn:asc,pre @p=3 @limit=2", " @unique @limit=1 @p=2"}

// address is one that a selector may carry, and the snapshots that it names.
type address struct {
	text  string
	names []*tree.Tree // newest first; none where there is no such snapshot
	merge string       // "all", "union", "latest", or nothing for one snapshot
}

// address draws an address in the history.
func (c *chronicle) address(later bool) address {
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
		return address{text: "@* ", names: newestFirst, merge: "all"}
	case 2:
		return address{text: fmt.Sprintf("@t%d ", -back), names: at(n - 1 - back)}
	case 3:
		return address{text: fmt.Sprintf("@c%d ", back), names: at(back - 1)} // the first commit is cycle 1
	case 4:
		if later {
			return address{names: []*tree.Tree{c.context.Working().Tree()}}
		}
		return address{names: at(n - 1)}
	}
	from, to := c.IntN(n), c.IntN(n)
	merge := choose(c.Rand, "union", "latest")
	return address{text: fmt.Sprintf("@t-%d..@t-%d ", from, to), names: newestFirst[min(from, to) : max(from, to)+1],
		merge: merge}
}

// TestSelectAgreesWithNaiveMerging compares what Context.Select gives for an
// address with a plain merging of what the selector gives on each snapshot.
func TestSelectAgreesWithNaiveMerging(t *testing.T) {
	seeds := uint64(90)
	if testing.Short() {
		seeds = 18
	}
	merged, missing := map[string]int{}, 0
	for seed := range seeds {
		e := []selector.Edition{selector.V01, selector.Depth, selector.Canonical}[seed%3]
		c := live(t, seed, e)
		for range 80 {
			a := c.address(e != selector.V01)
			text := a.text + choose(c.Rand, questions[0]...)
			if e != selector.V01 && a.text != "" && c.IntN(4) == 0 {
				text = a.text + choose(c.Rand, questions[1]...)
			}
			if e != selector.V01 && c.IntN(3) == 0 {
				text = a.text + choose(c.Rand, questions[2]...)
			}
			if e != selector.V01 {
				text += choose(c.Rand, windows...)
			}
			if a.merge == "union" || a.merge == "latest" {
				text += " @mode=" + a.merge
			}
			q, err := selector.Parse(text, e)
			must(t, err)
			o, after := c.options(e)
			got, err := c.context.Select(background, text, &o)
			if a.names == nil {
				if !errors.Is(err, fault.SnapshotNotFound) {
					t.Fatalf("seed %d: %s: %v", seed, text, err)
				}
				missing++
				continue
			}
			must(t, err)
			want := after(naiveMerge(t, q, a))
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, %s: %s\n got %q\nwant %q", seed, e, text, got, want)
			}
			if len(want) > 0 {
				merged[a.merge]++
			}
		}
	}
	if missing < 10 || merged[""] < 100 || merged["all"] < 100 || merged["union"] < 20 || merged["latest"] < 20 {
		t.Errorf("%d addresses name nothing; answers by way of merging: %v", missing, merged)
	}
}

// met is a node where it was met first.
type met struct {
	node *tree.Node
	in   *tree.Tree
}

// naiveMerge puts the answers of the snapshots together: newest first, each id
// once. The controls that leave nodes out apply to the whole of @*, and to each
// snapshot by itself otherwise.
func naiveMerge(t *testing.T, q *selector.Selector, a address) []met {
	t.Helper()
	var list []met
	families := map[string]*tree.Tree{} // the newest snapshot in which one matches
	for _, s := range a.names {
		plan, err := query.Compile(q)
		must(t, err)
		result, err := plan.Run(background, s)
		must(t, err)
		var here []met
		for _, e := range result.Nodes {
			here = append(here, met{e.Node(), s})
		}
		if a.merge != "all" {
			here = naiveWindow(q, here)
		}
		for _, m := range here {
			if families[keyOf(m.node)] == nil {
				families[keyOf(m.node)] = s
			}
			if a.merge == "latest" && families[keyOf(m.node)] != s {
				continue
			}
			if !slices.ContainsFunc(list, func(o met) bool { return o.node.ID == m.node.ID }) {
				list = append(list, m)
			}
		}
	}
	if a.merge == "all" {
		list = naiveWindow(q, list)
	}
	return list
}

func keyOf(n *tree.Node) string {
	if n.Has("key") {
		return n.Key
	}
	return n.ID
}

// naiveWindow applies @unique, @limit with @p, and @first.
func naiveWindow(q *selector.Selector, list []met) []met {
	if _, ok := q.Control(selector.ControlUnique); ok {
		var once []met
		for _, m := range list {
			if !slices.ContainsFunc(once, func(o met) bool { return keyOf(o.node) == keyOf(m.node) }) {
				once = append(once, m)
			}
		}
		list = once
	}
	if limit, ok := q.Control(selector.ControlLimit); ok {
		page := 1
		if p, ok := q.Control(selector.ControlPage); ok {
			page = p.N
		}
		var some []met
		for i, m := range list {
			if i/max(1, limit.N) == page-1 && limit.N > 0 {
				some = append(some, m)
			}
		}
		list = some
	}
	if _, ok := q.Control(selector.ControlFirst); ok && len(list) > 1 {
		list = list[:1]
	}
	return list
}

// options draws windows of the API, and what they do to a result.
func (c *chronicle) options(e selector.Edition) (o pact.SelectOptions, after func([]met) []string) {
	where, skip, limit := choose(c.Rand, "", "", "^sys", ".mt:depth(1-2)", ".cb[role='user']", "[tag='red']"),
		c.IntN(3)/2*c.IntN(4), c.IntN(8)
	var keep *selector.Selector
	if where != "" {
		keep = selector.MustParse(where, e)
	}
	if limit > 4 {
		limit = 0
	}
	return pact.SelectOptions{Edition: e, Where: where, Skip: skip, Limit: limit}, func(list []met) []string {
		ids := []string{}
		for _, m := range list {
			if keep == nil || covered(c.t, m, keep) {
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

// covered reports whether a node or something that it is below is selected.
func covered(t *testing.T, m met, keep *selector.Selector) bool {
	plan, err := query.Compile(keep)
	must(t, err)
	result, err := plan.Run(background, m.in)
	must(t, err)
	for id := m.node.ID; id != ""; id = m.in.Parent(id) {
		if slices.Contains(result.IDs(), id) {
			return true
		}
	}
	return false
}
