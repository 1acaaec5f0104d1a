package librarytest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// randomHistory is a context with a random history, and all of that history.
type randomHistory struct {
	*rand.Rand
	t         *testing.T
	context   *pact.Context
	snapshots []*tree.Tree // oldest first
}

// genHistory lets a context go through some random cycles.
func genHistory(t *testing.T, seed uint64, e selector.Edition) *randomHistory {
	t.Helper()
	context, err := pact.Create(background, pact.NewDB(store.NewMemory()), "c",
		&pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: steps()}, Edition: e})
	must(t, err)
	c := &randomHistory{Rand: rand.New(rand.NewPCG(seed, 21)), t: t, context: context}
	for range 5 + c.IntN(6) {
		c.editAtRandom()
		policy := lifecycle.Policy{Orphans: lifecycle.Keep}
		if c.IntN(5) == 0 {
			policy.MaxNodes, policy.ProtectTurns = 15, 1
		}
		s, err := context.Commit(background, &pact.CommitOptions{Pruning: &pact.Pruning{Policy: policy}})
		must(t, err)
		c.snapshots = append(c.snapshots, tree.Of(s))
	}
	c.editAtRandom() // a working state that is no snapshot
	return c
}

// editAtRandom makes some random edits. What the rules refuse is none.
func (c *randomHistory) editAtRandom() {
	working := c.context.Working()
	for range 3 + c.IntN(5) {
		var all []string
		for entry := range sure.All(tree.Of(working).All()) {
			n := entry.Node()
			all = append(all, n.ID)
		}
		switch c.IntN(9) {
		case 0:
			id := choose(c.Rand, all...)
			try(c.t, c.context, nil, func(b *pact.Batch) { b.Remove(id) })
		case 1:
			id, tag, content := choose(c.Rand, all...), choose(c.Rand, "red", "blue"), c.IntN(5)
			try(c.t, c.context, nil, func(b *pact.Batch) {
				b.Update(id, func(s *pact.Spec) { s.Tags, s.Content = []string{tag}, content })
			})
		default:
			s := pact.Spec{
				Role: choose(c.Rand, "user", "assistant", "tool"), Kind: choose(c.Rand, "text", "call", ""),
				Key:    choose(c.Rand, "", "", "K", "L"),
				Offset: int64(c.IntN(3) - 1), Priority: int64(c.IntN(3)), Content: c.IntN(9),
				Tags: []string{choose(c.Rand, "red", "blue")},
			}
			if c.IntN(3) == 0 {
				s.TTL = int64(1 + c.IntN(3))
			}
			parent := choose(c.Rand, "^ah", "^ah", "^ah", "^sys", choose(c.Rand, all...))
			try(c.t, c.context, nil, func(b *pact.Batch) { b.Add(parent, s) })
		}
	}
}

// genFamily are contexts in which every text is a secret of its own.
type genFamily struct {
	*testing.T
	*rand.Rand
	store           *pact.DB
	path            string
	lines           []*pact.Context
	secrets         map[string]string // text by id
	forks, erasures int
}

func (f *genFamily) step() {
	f.Helper()
	at := f.IntN(len(f.lines))
	c := f.lines[at]
	_, last := c.Cycles()
	var err error
	switch n := f.IntN(16); {
	case n < 7:
		err = c.Edit(background, func(b *pact.Batch) error {
			id := b.Add([]string{"^ah", "^ah", "^sys"}[f.IntN(3)], pact.Spec{Role: "user", Kind: "text",
				Offset: int64(f.IntN(2))})
			return f.write(b, id)
		}, &pact.Note{Message: fmt.Sprint("edit ", f.Uint32())})
	case n < 8 && sure.Get(tree.Of(c.Working()).Node("rule")) == nil:
		err = c.Edit(background, func(b *pact.Batch) error {
			b.Add("^sys", pact.Spec{ID: "rule", TTL: int64(2 + f.IntN(9))})
			if b.Err() != nil {
				return nil
			}
			return f.write(b, "rule")
		}, nil)
		if fault.CodeOf(err) == fault.NodeDuplicate { // the id was there before
			err = nil
		}
	case n < 8 && !sure.Get(tree.Of(c.Working()).Node("rule")).Erased():
		err = c.Edit(background, func(b *pact.Batch) error { return f.write(b, "rule") }, nil)
	case n < 12:
		_, err = c.Commit(background, &pact.CommitOptions{Note: pact.Note{Message: "turn"}})
	case n == 12 && last > 0:
		f.forks++
		var fork *pact.Context
		if fork, err = c.Fork(background, pact.Cycle(1+f.Int64N(last)), fmt.Sprint("fork ", f.forks), nil); err == nil {
			f.lines = append(f.lines, fork)
		}
	case n == 13 && last > 1:
		var old string
		if old, err = c.Undo(background, nil); err == nil {
			var line *pact.Context
			line, err = pact.Open(background, f.store, old, &pact.OpenOptions{Clock: steps()})
			f.lines = append(f.lines, line)
		}
	case n > 13 && len(f.secrets) > 3:
		f.erase(c)
	}
	if err != nil {
		f.Fatal(err)
	}
}

// write gives a node a text that nothing else has. The one before goes on being
// looked for: the version may be in a snapshot.
func (f *genFamily) write(b *pact.Batch, id string) error {
	text := fmt.Sprintf("secret %x of %s", f.Uint64(), id)
	f.secrets[text] = id
	b.Update(id, func(s *pact.Spec) {
		s.Content = map[string]any{"said": text}
		s.Attrs["data_note"] = text
	})
	return nil
}

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
