package engine_test

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/zstd"
	"github.com/contexttree/pact/store"

	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/lifecycle"
)

// drawnHistory is a context in which nodes are added, changed, moved, removed, referred to, held and
// pruned at random.
type drawnHistory struct {
	*testing.T
	*rand.Rand
	context *pact.Context
	ids     []string // of all nodes that ever were in a working state
	release []func()
}

func (h *drawnHistory) note() {
	for n, err := range h.context.Working().Nodes() {
		must(h.T, err)
		if !slices.Contains(h.ids, n.ID) {
			h.ids = append(h.ids, n.ID)
		}
	}
}

// edit makes an edit. What the rules refuse is none.
func (h *drawnHistory) edit() {
	id := h.some()
	_ = h.context.Edit(background, func(b *pact.Batch) error {
		switch h.IntN(8) {
		case 0:
			b.Remove(id)
		case 1:
			b.Update(id, func(s *pact.Spec) { s.Tags, s.Content = []string{"t"}, h.IntN(5) })
		case 2:
			b.Move(id, h.parent(), int64(h.IntN(3)-1))
		case 3:
			b.Update(id, func(s *pact.Spec) { s.Refs = []string{h.some()} })
		default:
			s := pact.Spec{Role: "user", Offset: int64(h.IntN(3) - 1), Content: h.IntN(9)}
			if h.IntN(4) == 0 {
				s = pact.Spec{NodeType: "mc", Removable: h.IntN(2) == 0}
			}
			if h.IntN(3) == 0 {
				s.TTL = new(int64(1 + h.IntN(3)))
			}
			if h.IntN(3) == 0 {
				s.Refs = []string{h.some()}
			}
			b.Add(h.parent(), s)
		}
		return b.Err()
	}, nil)
	h.note()
}

// some returns the id of a node, more often one of the last.
func (h *drawnHistory) some() string {
	n := len(h.ids)
	id := h.ids[n-1-h.IntN(min(n, 8))]
	if h.IntN(3) == 0 {
		id = h.ids[h.IntN(n)]
	}
	if !sure.Get(tree.Of(h.context.Working()).Has(id)) {
		id = "seq"
	}
	return id
}

func (h *drawnHistory) parent() string {
	if h.IntN(2) == 0 {
		return h.some()
	}
	return []string{"^ah", "^sys"}[h.IntN(2)]
}

func (h *drawnHistory) step() {
	if h.IntN(3) == 0 {
		for range h.IntN(12) {
			h.edit()
		}
	}
	policy := lifecycle.Policy{Orphans: lifecycle.Keep}
	if h.IntN(5) == 0 {
		policy.MaxNodes, policy.ProtectTurns = 15, 1
	}
	if h.IntN(6) == 0 {
		if release, err := h.context.Retain(h.ids[h.IntN(len(h.ids))]); err == nil {
			h.release = append(h.release, release)
		}
	}
	_, err := h.context.Commit(background, &pact.CommitOptions{Pruning: &pact.Pruning{Policy: policy}})
	must(h.T, err)
	h.note()
}

// untraced is an engine that names every log entry as one that concerns a node.
type untraced struct{ engine.Contexts }

func (u untraced) Trace(ctx context.Context, key history.Key, _ string) ([]history.Entry, error) {
	return u.Log(ctx, key, 1, math.MaxInt64)
}

// TestALifeIsReadFromTheCyclesThatConcernIt asks for the life of every node that ever was in random
// contexts and their forks, once through Trace and once through everything.
func TestALifeIsReadFromTheCyclesThatConcernIt(t *testing.T) {
	for seed := range testrun.Size[uint64](t, 2, 6, 300) {
		clock := int64(0)
		o := pact.OpenOptions{Clock: func() int64 { clock++; return clock }}
		e := engine.NewHasty(store.NewMemory(), zstd.Packing)
		if seed%2 == 1 {
			e = engine.InMemory()
		}
		c, err := pact.Create(background, dbtest.Of(e), "c", &pact.CreateOptions{OpenOptions: o})
		must(t, err)
		h := &drawnHistory{T: t, Rand: rand.New(rand.NewPCG(seed, 5)), context: c}
		h.note()
		for n := range 60 {
			h.step()
			if n == 20 || n == 40 {
				first, last := h.context.Info().First, h.context.Info().Cycle
				h.context, err = h.context.Fork(background, pact.Cycle(first+h.Int64N(last-first+1)),
					[]string{"f", "g"}[n/20-1], nil)
				must(t, err)
			}
			if n == 50 {
				_, err := h.context.Erase(background, pact.Erasure{Reason: "test",
					IDs: []string{h.ids[len(h.ids)/2]}, Random: rand.NewChaCha8([32]byte{7})})
				must(t, err)
			}
		}
		h.edit() // a draft
		for _, name := range []string{"c", "f", "g"} {
			info, err := e.Find(background, name)
			must(t, err)
			must(t, e.Settle(background, info.Key))
			short, err := pact.Open(background, dbtest.Of(e), name, &o)
			must(t, err)
			long, err := pact.Open(background, dbtest.Of(untraced{e}), name, &o)
			must(t, err)
			for _, id := range append(h.ids, "nowhere") {
				if h.IntN(4) > 0 {
					continue
				}
				want, wantErr := long.Timeline(background, id)
				got, err := short.Timeline(background, id)
				if !reflect.DeepEqual(got, want) || (err == nil) != (wantErr == nil) {
					a, _ := json.MarshalIndent(want, "", " ")
					b, _ := json.MarshalIndent(got, "", " ")
					t.Fatalf("seed %d, %s of %s:\nwant %s %v\ngot %s %v", seed, id, name, a, wantErr, b, err)
				}
			}
		}
		must(t, e.Close())
	}
}
