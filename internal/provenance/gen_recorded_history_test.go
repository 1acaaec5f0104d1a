package provenance_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// recordedHistory is a context with a random history and what its commits said.
type recordedHistory struct {
	context *pact.Context
	states  []*modelState // of the snapshots, and of the working state
	removed map[string]diff.Cause
	actors  map[string]string // who added a node
}

func (s *recordedHistory) state(cycle int64) *modelState { return s.states[cycle-1] }

func (s *recordedHistory) address(i int) pact.Address {
	if i == len(s.states)-1 {
		return "working"
	}
	return pact.Cycle(int64(i) + 1)
}

// genRecordedHistory lets a context go through random cycles with everything that makes nodes
// come and go: lifetimes, groups that cascade, references, holders, budgets,
// requests to prune, moves, updates and removals, by two people.
func genRecordedHistory(t *testing.T, seed uint64, cycles int) *recordedHistory {
	return genHistoryOf(t, selector.V01, seed, cycles)
}

func genHistoryOf(t *testing.T, e selector.Edition, seed uint64, cycles int) *recordedHistory {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 41))
	c, err := pact.Create(background, pact.NewDB(store.NewMemory()), "c",
		&pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: steps(), Counter: vowels{}}, Edition: e})
	must(t, err)
	s := &recordedHistory{context: c, removed: map[string]diff.Cause{}, actors: map[string]string{}}
	var ids []string
	edits := func(actor string) {
		try := func(f func(*pact.Batch)) bool { return try(t, c, &pact.Note{Actor: actor}, f) }
		for range 1 + r.IntN(5) {
			some := func() string {
				if len(ids) == 0 {
					return "^ah"
				}
				return ids[r.IntN(len(ids))]
			}
			switch r.IntN(13) {
			case 12:
				var group, child string
				ttl := 1 + r.Int64N(2)
				if !try(func(b *pact.Batch) {
					group = b.Add("^ah", pact.Spec{NodeType: "cont", Offset: 1, Removable: true})
					child = b.Add(group, pact.Spec{Content: map[string]any{"e": "ü"}, TTL: &ttl})
				}) {
					t.Fatal("a group was refused")
				}
				s.actors[group], s.actors[child] = actor, actor
			case 0:
				try(func(b *pact.Batch) { b.Remove(some()) })
			case 1:
				try(func(b *pact.Batch) {
					b.Update(some(), func(s *pact.Spec) {
						s.Content = fmt.Sprint("text ", r.IntN(4))
						s.Attrs["data_x"] = r.IntN(3)
					})
				})
			case 2:
				try(func(b *pact.Batch) {
					b.Update(some(), func(s *pact.Spec) {
						s.Priority = int64(r.IntN(3))
						s.Tags = []string{"a"}
					})
				})
			case 3:
				var from, id string
				if try(func(b *pact.Batch) {
					from = some()
					id = b.Move(from, choose(r, "^ah", "^sys", some()), r.Int64N(3)-1)
				}) {
					ids = append(ids, id)
					if id != from { // a node that moves in its own cycle keeps its id, and who added it
						s.actors[id] = actor
					}
				}
			default:
				n := pact.Spec{Role: choose(r, "", "user", "tool"), Kind: choose(r, "", "text"), Key: choose(r, "", "", "K", "L"),
					Offset: r.Int64N(3) - 1, Content: fmt.Sprint("text ", r.IntN(6))}
				if r.IntN(3) == 0 {
					if ttl := r.Int64N(4); ttl > 0 {
						n.TTL = &ttl
					}
				}
				if r.IntN(5) == 0 {
					n = pact.Spec{NodeType: "cont", Offset: 1, Removable: true}
				} else if r.IntN(6) == 0 && len(ids) > 0 {
					n.Refs = []string{some()}
				}
				var id string
				if try(func(b *pact.Batch) { id = b.Add(choose(r, "^ah", "^ah", "^sys", some()), n) }) {
					ids = append(ids, id)
					s.actors[id] = actor
				}
			}
		}
	}
	for range cycles {
		var release func()
		for range 1 + r.IntN(2) {
			who := choose(r, "ann", "bob")
			edits(who)
		}
		if r.IntN(3) == 0 {
			release, _ = c.Retain(choose(r, slices.Sorted(maps.Keys(newModelState(t, c.Working()).headers))...))
		}
		var pruning pact.Pruning
		rule := "named"
		if r.IntN(3) == 0 {
			pruning.Policy = lifecycle.Policy{MaxNodes: 14, ProtectTurns: 1}
			rule = "max_nodes 14"
		} else if turns := sure.Get(tree.Of(c.Working()).Root().Children().At(1)).Children(); r.IntN(4) == 0 && turns.Len() > 2 {
			pruning.IDs = []string{sure.Get(turns.At(0)).Node().ID}
		}
		snapshot, err := c.Commit(background, &pact.CommitOptions{Note: pact.Note{Actor: "committer"}, Pruning: &pruning})
		must(t, err)
		for _, gone := range snapshot.Report.Removed {
			kind := map[string]diff.Kind{"expired": diff.ByExpiry, "pruned": diff.ByPruning,
				"cascade": diff.ByCascade}[string(gone.Reason)]
			cause := diff.Cause{Kind: kind, Cycle: snapshot.Cycle()}
			if kind == diff.ByPruning {
				cause.Rule = rule
			}
			s.removed[gone.ID] = cause
		}
		if release != nil {
			release()
		}
		s.states = append(s.states, newModelState(t, snapshot.Snapshot))
	}
	edits("ann")
	s.states = append(s.states, newModelState(t, c.Working()))
	return s
}
