package view

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

// randomContext makes a context whose calls add, change, remove and prune blocks of very
// different sizes, in all regions.
func randomContext(t testing.TB, random *rand.Rand, calls int) *pact.Context {
	t.Helper()
	c, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "random",
		&pact.CreateOptions{OpenOptions: pact.OpenOptions{Counter: words{}}})
	must(t, err)
	made := 0
	for range calls {
		pruning := &pact.Pruning{Policy: lifecycle.Policy{Orphans: lifecycle.Keep}}
		for _, id := range blocksOf(c.Working()) {
			if n := sure.Get(tree.Of(c.Working()).Node(id)); n.Offset != 0 && random.IntN(10) == 0 {
				pruning.IDs = append(pruning.IDs, id) // a block outside the core of its turn
			}
		}
		note := pact.Note{Actor: []string{"", "ann", "bob"}[random.IntN(3)]}
		_, err := c.Commit(t.Context(), &pact.CommitOptions{Note: note, Pruning: pruning, Edit: func(b *pact.Batch) error {
			for range random.IntN(6) {
				made++
				if s := randomBlock(random, made); random.IntN(4) == 0 {
					b.Add("^sys", s)
				} else {
					s.Offset = random.Int64N(3) - 1
					b.Add("^ah", s)
				}
			}
			if ids := blocksOf(c.Working()); len(ids) > 0 && random.IntN(3) == 0 {
				id := ids[random.IntN(len(ids))]
				if path := sure.Get(tree.Of(c.Working()).Path(id)); b.Has(id) && path[1].Class() == tree.Sys {
					b.Update(id, func(s *pact.Spec) { s.Content = strings.Repeat("y", random.IntN(300)) })
				}
			}
			return nil
		}})
		must(t, err)
	}
	return c
}

func randomBlock(random *rand.Rand, number int) pact.Spec {
	s := pact.Spec{
		ID:      fmt.Sprint("b", number),
		Role:    []string{"", "user", "assistant", "tool", "system"}[random.IntN(5)],
		Kind:    []string{"", "text", "call", "result", "thinking", "image", "note"}[random.IntN(7)],
		Content: strings.Repeat("x", []int{0, 3, 40, 900, 5000}[random.IntN(5)]),
	}
	if random.IntN(4) == 0 {
		s.TTL = new(int64(1 + random.IntN(4)))
	}
	return s
}

// blocksOf returns the ids of the blocks of a state.
func blocksOf(s *pact.Snapshot) (ids []string) {
	for n, err := range s.Nodes() {
		if err == nil && n.Class == "block" {
			ids = append(ids, n.ID)
		}
	}
	return ids
}
