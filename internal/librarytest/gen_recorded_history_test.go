package librarytest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
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
		return pact.Working()
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
					child = b.Add(group, pact.Spec{Content: map[string]any{"e": "ü"}, TTL: ttl})
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
					n.TTL = r.Int64N(4)
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

// randomEditor edits a context at random: texts, notes that expire, groups, calls and
// their answers, some of them late.
type randomEditor struct {
	*rand.Rand
	*pact.Context
	t     *testing.T
	calls []string // without an answer so far
}

func (w *randomEditor) editAtRandom() {
	w.t.Helper()
	must(w.t, w.Edit(w.t.Context(), func(b *pact.Batch) error {
		for range 1 + w.IntN(5) {
			if err := w.addAtRandom(b); err != nil {
				return err
			}
		}
		return nil
	}, nil))
}

func (w *randomEditor) addAtRandom(b *pact.Batch) error {
	words := strings.Repeat("word ", 1+w.IntN(20))
	s := pact.Spec{Role: choose(w.Rand, "user", "assistant", ""), Kind: "text", Content: words,
		Offset: int64(w.IntN(3) - 1), Priority: int64(w.IntN(3))}
	if w.IntN(3) == 0 {
		s.TTL = pact.TTL(new(int64(w.IntN(4))))
	}
	if w.IntN(4) == 0 {
		s.Tags = []string{"x"}
	}
	s.Pinned = w.IntN(15) == 0
	switch w.IntN(6) {
	case 0:
		g := b.Add("^ah", pact.Spec{NodeType: "cont", Offset: 1, Removable: true})
		b.Add(g, s)
		return nil
	case 1:
		b.Add("^sys", s)
		return nil
	case 2:
		s.Role, s.Kind, s.Offset = "assistant", "call", 1
		id := b.Add("^ah", s)
		err := b.Err()
		w.calls = append(w.calls, id)
		return err
	}
	if len(w.calls) > 0 && w.IntN(2) == 0 {
		call := w.calls[0]
		w.calls = w.calls[1:]
		if !b.Has(call) {
			return nil
		}
		b.AddResult(call, pact.Spec{Content: words})
		return nil
	}
	b.Add("^ah", s)
	return nil
}

// genPolicy draws one, of little or much.
func (w *randomEditor) genPolicy() (p lifecycle.Policy) {
	few := func(n, one int) int {
		if w.IntN(one) > 0 {
			return 0
		}
		return 1 + w.IntN(n)
	}
	p = lifecycle.Policy{
		MaxTokens: few(400, 3), MaxBytes: few(5000, 3), MaxNodes: few(50, 4), MaxTurns: few(8, 5), ProtectTurns: few(3, 2),
		Stub: choose(w.Rand, "", "[...]"), Orphans: choose(w.Rand, lifecycle.Keep, lifecycle.Drop, lifecycle.Refuse),
	}
	if w.IntN(2) == 0 {
		p.Parts = []lifecycle.Part{{Kind: choose(w.Rand, "", "text", "result"), Tag: choose(w.Rand, "", "x"),
			Region: choose(w.Rand, "", "^sys", "^seq", "^ah"), MaxTokens: 1 + w.IntN(100)}}
		if w.IntN(3) == 0 {
			p.MinBytes, p.Every = few(500, 1), few(5, 2)
		}
	}
	return p
}
