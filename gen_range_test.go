package pact_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store/memory"
)

// genContext fills a context with random cycles: blocks and groups in ^sys, before,
// in and behind the core of ^ah and attached to sealed turns, with lifetimes,
// updates, moves and removals.
func genContext(t *testing.T, r *rand.Rand, cycles int) *pact.Context {
	t.Helper()
	c := create(t, memory.New())
	var alive []string
	for range cycles {
		for range r.IntN(5) {
			s := pact.Spec{Role: []string{"user", "assistant"}[r.IntN(2)], Kind: []string{"text", "call", ""}[r.IntN(3)],
				Content:  fmt.Sprint(r.IntN(9)),
				Priority: r.Int64N(4), Offset: r.Int64N(3) - 1, Tags: [][]string{nil, {"a"}, {"b"}}[r.IntN(3)]}
			if r.IntN(3) == 0 {
				s.TTL = pact.TTL(1 + r.Int64N(3))
			}
			if r.IntN(6) == 0 {
				s.Type, s.Role, s.Kind, s.Content = "mc", "", "", nil
				s.Offset = 1
			}
			into := []string{"^ah", "^ah", "^sys"}[r.IntN(3)]
			if len(alive) > 0 && r.IntN(3) == 0 {
				into = alive[r.IntN(len(alive))]
			}
			var id string
			if try(t, c, nil, func(b *pact.Batch) { id = b.Add(into, s) }) { // refusals are part of the game
				alive = append(alive, id)
			}
		}
		for range r.IntN(3) {
			if len(alive) == 0 {
				break
			}
			id := alive[r.IntN(len(alive))]
			switch r.IntN(4) {
			case 0:
				try(t, c, nil, func(b *pact.Batch) { b.Remove(id) })
			case 1:
				set := map[string]any{"content": fmt.Sprint(r.IntN(9)), "priority": r.Int64N(4)}
				try(t, c, nil, func(b *pact.Batch) { b.Update(id, set) })
			case 2:
				region, offset, moved := []string{"^ah", "^sys"}[r.IntN(2)], r.Int64N(3)-1, ""
				if try(t, c, nil, func(b *pact.Batch) { moved = b.Move(id, region, offset) }) {
					alive = append(alive, moved)
				}
			default:
				try(t, c, nil, func(b *pact.Batch) { b.Update(id, map[string]any{"tags": []string{"a"}}) })
			}
		}
		_, err := c.Commit(background,
			&pact.CommitOptions{Pruning: &pact.Pruning{Policy: lifecycle.Policy{Orphans: lifecycle.Keep}}})
		must(t, err)
	}
	return c
}

var genRangeSelectors = []string{
	".cb", ".cb[role='user']", "^seq .cb[ttl<=1]", "^ah .cb", "^sys > *", ".mc", ".mc > .cb", "^seq .mt > .cb:post",
	".mt :pre .cb", ":core .cb",
	"[priority>1]", "[tag='a']", "*", "^root > *", ".mt, .cb[kind='call']",
	// what depends on more than a node and its ancestors
	".mt:depth(1-2) .cb", ".cb:depth(1)", ".mt:last > .cb", ".cb:first",
}
