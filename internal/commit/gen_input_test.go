package commit_test

import (
	"math/rand"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// genInput is a working state of cycle now with whatever a commit has to decide
// on in it, and a commit to make of it; and the same with its nodes built in
// another order.
func genInput(rng *rand.Rand) (in, permuted commit.Input) {
	for {
		if in, permuted = genAnyInput(rng); len(newModel(in).due(now)) <= 12 {
			return in, permuted // for more, trying every subset takes too long
		}
	}
}

func genAnyInput(rng *rand.Rand) (in, permuted commit.Input) {
	s := &genTree{Rand: rng, finite: 5, groups: 8}
	root := s.put(-1, "^root", 0)
	sys := s.put(root, "^sys", 0)
	for range s.Intn(3) {
		s.put(sys, "block", 0)
	}
	if s.Intn(2) == 0 {
		s.group(sys, 1, 1)
	}
	seq := s.put(root, "^seq", 0)
	for range s.Intn(4) {
		s.exchange(s.put(seq, "seg", 0))
	}
	s.exchange(s.put(root, "^ah", 0))
	s.refer()
	retained := map[string]bool{}
	for i, n := range s.nodes {
		if s.Intn(20) == 0 {
			s.set(i, "pinned", canon.True)
		}
		if s.Intn(25) == 0 {
			retained[n.ID] = true
		}
	}
	in = commit.Input{
		Working:  s.build(s.without(0), false),
		Stamps:   tree.Stamps{Cycle: now, LastNS: 1000, Next: 3, Given: -1},
		Env:      env(500),
		Policy:   s.genPolicy(),
		Counter:  wordCounter{},
		Retained: func(id string) bool { return retained[id] },
	}
	gone := s.without(s.Intn(3)) // what the snapshot before did not have
	in.Working = s.build(gone, false)
	if s.Intn(4) > 0 {
		in.Before = s.before()
	}
	r := newModel(in)
	old := r.modelTree // without a snapshot before, all of them were left
	if in.Before != nil {
		old = read(in.Before)
	}
	in.Idle = r.list(func(i *modelNode) bool {
		return i.removable && len(r.children(i.id)) == 0 && old[i.id] != nil && len(old.children(i.id)) == 0
	})
	p := modelPruner{model: r, named: map[string]bool{}}
	due := r.due(now)
	for _, id := range r.list(func(i *modelNode) bool {
		return i.class == "block" || i.class == "turn" ||
			i.class == "container"
	}) {
		switch able := p.prunable(id); {
		case s.Intn(12) == 0 && able && !slices.Contains(due, id):
			in.Prune = append(in.Prune, id)
		case s.Intn(40) == 0:
			in.Chosen = append(in.Chosen, id, id)
		}
	}
	permuted = in
	permuted.Working = s.build(gone, true)
	return in, permuted
}

// without draws nodes to leave out, with everything below them, at most so many.
func (s *genTree) without(most int) map[int]bool {
	gone := map[int]bool{}
	for range most {
		if i := s.Intn(len(s.nodes)); s.nodes[i].Type[0] != '^' {
			gone[i] = true
		}
	}
	for i := range s.nodes {
		if s.parent[i] >= 0 && gone[s.parent[i]] {
			gone[i] = true
		}
	}
	return gone
}

// build makes a tree of what was drawn, of the nodes in any order in which
// parents come before their children.
func (s *genTree) build(gone map[int]bool, anyOrder bool) *tree.Tree {
	order := make([]int, 0, len(s.nodes))
	for i := range s.nodes {
		if !gone[i] {
			order = append(order, i)
		}
	}
	if anyOrder {
		left := slices.Clone(order)
		order = order[:0]
		for len(left) > 0 {
			i := s.Intn(len(left))
			if p := s.parent[left[i]]; p < 0 || slices.Contains(order, p) {
				order = append(order, left[i])
				left = slices.Delete(left, i, i+1)
			}
		}
	}
	at := map[int]int{-1: -1}
	var placed []tree.Placed
	for _, i := range order {
		at[i] = len(placed)
		n := s.nodes[i]
		n.Headers = slices.Clone(n.Headers)
		placed = append(placed, tree.Placed{Node: tree.NewNode(n, nil), Parent: at[s.parent[i]]})
	}
	t, err := tree.Build(now, placed)
	if err != nil {
		panic(err)
	}
	return t
}

// before draws a snapshot that what was drawn may have come from: it lacks some
// of the nodes, and some were different.
func (s *genTree) before() *tree.Tree {
	old := &genTree{Rand: s.Rand, nodes: slices.Clone(s.nodes), parent: s.parent}
	for i := range old.nodes {
		if n := &old.nodes[i]; old.Intn(12) == 0 {
			n.Headers = slices.DeleteFunc(slices.Clone(n.Headers), func(h tree.Header) bool {
				return h.Name == "tags" ||
					h.Name == "refs" && old.Intn(2) == 0
			})
		}
	}
	return old.build(old.without(s.Intn(4)), false).WithCycle(now - 1)
}

// genPolicy draws a policy, in one of five cases an empty one.
func (s *genTree) genPolicy() (p lifecycle.Policy) {
	few := func(n, one int) int {
		if s.Intn(one) > 0 {
			return 0
		}
		return 1 + s.Intn(n)
	}
	pick := func(list ...string) string { return list[s.Intn(len(list))] }
	p.Orphans = lifecycle.Orphans(pick("", "refuse", "drop", "drop", "keep", "keep"))
	p.WholePairs = s.Intn(3) == 0
	if p.ProtectTurns = few(3, 3); s.Intn(5) == 0 {
		return p
	}
	p.MaxNodes, p.MaxBytes, p.MaxTokens, p.MaxTurns = few(24, 3), few(1500, 3), few(80, 3), few(4, 4)
	for range s.Intn(3) {
		part := lifecycle.Part{Region: pick("", "^sys", "^seq", "^ah"), Kind: pick("", "", "text", "call", "result", "stub"),
			Tag: pick("", "", "", "x", "y")}
		part.MaxNodes, part.MaxBytes, part.MaxTokens = few(5, 3), few(500, 3), few(20, 3)
		if (part.Region == "" || part.Region == "^seq") && part.Kind+part.Tag == "" {
			part.MaxTurns = few(3, 2)
		}
		if part.MaxNodes+part.MaxBytes+part.MaxTokens+part.MaxTurns > 0 {
			p.Parts = append(p.Parts, part)
		}
	}
	p.ProtectTask = s.Intn(3) == 0
	if s.Intn(2) == 0 {
		p.Ranks = map[string]int64{}
		for range 1 + s.Intn(4) {
			p.Ranks[pick("call", "result", "text", "stub", "user", "assistant", "tool", "system")] = int64(s.Intn(7) - 3)
		}
	}
	if s.Intn(2) == 0 {
		p.Stub = pick("[...]", "[gone]", strings.Repeat("gone and left ", 4))
	}
	if s.Intn(4) == 0 && len(limitsOf(p)) > 0 {
		p.MinTokens, p.MinBytes, p.Every = few(40, 2), few(600, 2), few(7, 3)
	}
	return p
}
