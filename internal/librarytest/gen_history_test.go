package librarytest

import (
	"math/rand/v2"
	"testing"

	"github.com/contexttree/pact"
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
