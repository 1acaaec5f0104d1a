package pact_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// ramble fills a context with random cycles: blocks and groups in ^sys, before,
// in and behind the core of ^ah and attached to sealed turns, with lifetimes,
// updates, moves and removals.
func ramble(t *testing.T, r *rand.Rand, cycles int) *pact.Context {
	t.Helper()
	c := create(t, store.NewMemory())
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

var rangeSelectors = []string{
	".cb", ".cb[role='user']", "^seq .cb[ttl<=1]", "^ah .cb", "^sys > *", ".mc", ".mc > .cb", "^seq .mt > .cb:post",
	".mt :pre .cb", ":core .cb",
	"[priority>1]", "[tag='a']", "*", "^root > *", ".mt, .cb[kind='call']",
	// what depends on more than a node and its ancestors
	".mt:depth(1-2) .cb", ".cb:depth(1)", ".mt:last > .cb", ".cb:first",
}

// A range says what asking every snapshot by itself and comparing neighbours
// would say.
func TestRangeAgreesWithSingleSnapshots(t *testing.T) {
	nonempty := 0
	for seed := range uint64(25) {
		r := rand.New(rand.NewPCG(seed, 7))
		c := ramble(t, r, 12)
		for _, text := range append(rangeSelectors, ".cb @limit=3", ".cb @first", ".cb[age<2]", "depth(0) .cb",
			"[key='x'], +a", "(d1, *:cb)", "?? {role='user'} @order=bfs") {
			edition := selector.V01
			if !slices.Contains(rangeSelectors, text) {
				edition = selector.Depth
			}
			got, err := c.RangeDiffLatest(background, "@c2..@c12 "+text, &pact.RangeOptions{Edition: edition})
			must(t, err)
			for i, block := range got.Diffs {
				newer, older := 12-int64(i), 11-int64(i)
				in := func(cycle int64) []string {
					ids, err := c.Select(background, fmt.Sprintf("@c%d %s", cycle, text), &pact.SelectOptions{Edition: edition})
					must(t, err)
					return ids
				}
				a, b := in(older), in(newer)
				all, err := c.Diff(background, pact.Cycle(older), pact.Cycle(newer), nil)
				must(t, err)
				var changed []string
				for _, ch := range all.Changed {
					if slices.Contains(a, ch.ID) && slices.Contains(b, ch.ID) {
						changed = append(changed, ch.ID+fmt.Sprint(ch.Fields))
					}
				}
				var gotChanged []string
				for _, ch := range block.Changed {
					gotChanged = append(gotChanged, ch.ID+fmt.Sprint(ch.Fields))
				}
				if !same(block.AddedIDs, without(b, a)) || !same(block.RemovedIDs, without(a, b)) || !slices.Equal(gotChanged,
					changed) {
					t.Fatalf("seed %d, %s, @c%d to @c%d: got +%q -%q ~%q, want +%q -%q ~%q", seed, text, newer, older,
						block.AddedIDs, block.RemovedIDs, gotChanged, without(b, a), without(a, b), changed)
				}
				if block.Stats != (diff.RangeStats{Added: len(block.AddedIDs), Removed: len(block.RemovedIDs),
					Changed: len(changed)}) {
					t.Fatalf("seed %d, %s: stats %+v", seed, text, block.Stats)
				}
				if block.Stats != (diff.RangeStats{}) {
					nonempty++
				}
			}
		}
	}
	if nonempty < 2000 {
		t.Errorf("only %d blocks held a change", nonempty)
	}
}

func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(id string) bool { return slices.Contains(b, id) })
}

// same compares sets: the order of a block is that of the tree, which the diffs
// of two snapshots are tested for.
func same(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}
