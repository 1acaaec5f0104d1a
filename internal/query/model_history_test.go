package query_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
)

// history is a context that random edits and commits go through. It keeps
// every snapshot and every working state that it passed, so that the engine is
// asked about trees that share most of what they hold.
type history struct {
	*rand.Rand
	t       testing.TB
	env     tree.Env
	head    *tree.Tree // the latest snapshot
	working *tree.Tree
	stamps  tree.Stamps
	trees   []*tree.Tree
}

func newHistory(t testing.TB, r *rand.Rand, e selector.Edition) *history {
	t.Helper()
	words := e.Traits()
	now, taken := int64(1_700_000_000_000_000_000), map[string]bool{}
	h := &history{Rand: r, t: t, env: tree.Env{
		Vocabulary: tree.Vocabulary{Turn: words.TurnType, Container: words.ContainerType, Block: words.BlockType},
		Clock:      func() int64 { now += int64(r.IntN(3)); return now },
		Taken:      func(id string) (bool, error) { return taken[id], nil },
	}}
	var err error
	if h.head, h.stamps, err = tree.New(h.env, map[string]any{"data_x": 5}); err != nil {
		t.Fatal(err)
	}
	h.working = h.head.WithCycle(h.stamps.Cycle)
	for range 6 + r.IntN(6) {
		h.cycle()
		for x := range sure.All(h.head.All()) {
			taken[x.Node().ID] = true
		}
	}
	return h
}

// cycle edits the working state, keeps it, and commits it.
func (h *history) cycle() {
	x := tree.Edit(context.Background(), h.working, h.head, h.stamps, h.env)
	for range 2 + h.IntN(8) {
		h.edit(x)
	}
	h.trees = append(h.trees, x.Tree())
	in := commit.Input{Working: x.Tree(), Stamps: x.Stamps, Env: h.env}
	if one(h.Rand, 5) {
		in.Policy = lifecycle.Policy{MaxNodes: 12 + h.IntN(20), ProtectTurns: h.IntN(3)}
	}
	sealed, stamps, _, err := commit.Run(context.Background(), in)
	if err != nil {
		h.t.Fatal(err)
	}
	h.head, h.stamps, h.working = sealed, stamps, sealed.WithCycle(stamps.Cycle)
	h.trees = append(h.trees, sealed, h.working)
}

// edit makes one edit. What the rules refuse is none.
func (h *history) edit(x *tree.Editor) {
	var places, all []string
	for e := range sure.All(x.Tree().All()) {
		id := e.Node().ID
		all = append(all, id)
		if c := e.Class(); c == tree.Container || c == tree.Turn {
			places = append(places, id)
		}
	}
	parent := pick(h.Rand, append(places, "^ah", "^ah", "^sys", "^ah")...)
	switch h.IntN(10) {
	case 0:
		_ = x.Update(pick(h.Rand, all...), map[string]any{"content": pick[any](h.Rand, "hello", 5, true, nil),
			"tags": []string{pick(h.Rand, tags...)}})
	case 1:
		_ = x.Remove(pick(h.Rand, all...))
	case 2:
		_, _ = x.Move(pick(h.Rand, all...), parent, int64(h.IntN(3)-1))
	default:
		_, _ = x.Add(parent, h.spec())
	}
}

func (h *history) spec() tree.Spec {
	s := tree.Spec{
		Type:   pick(h.Rand, "", "", "", "block:text", "cb:summary", "x:note", "mc", "cont:group"),
		Offset: int64(h.IntN(4) - 1), Priority: int64(h.IntN(3)),
		Role: pick(h.Rand, "user", "assistant", "tool", ""), Kind: pick(h.Rand, "text", "call", ""), Key: pick(h.Rand, "", "",
			"K", "L"),
		Content: pick[any](h.Rand, nil, "hello", 5, 12.5, []any{"a"}), Attrs: map[string]any{"data_x": h.IntN(4),
			"my:note": "n"},
	}
	if one(h.Rand, 2) {
		s.Tags = []string{pick(h.Rand, tags...), "z"}
	}
	if one(h.Rand, 3) {
		s.TTL = new(int64(1 + h.IntN(4)))
	}
	if one(h.Rand, 12) {
		s.ID = fmt.Sprint("mine", h.IntN(1000))
	}
	return s
}

// TestPlannedAgreesWithNaiveOnHistories compares the two on what edits and
// commits leave behind: snapshots, candidates and working states.
func TestPlannedAgreesWithNaiveOnHistories(t *testing.T) {
	asked, answered := 0, 0
	for seed := range testrun.Size[uint64](t, 3, 18, 180) {
		e := editions[seed%3]
		r := rand.New(rand.NewPCG(seed, 10))
		h := newHistory(t, r, e)
		for _, tr := range h.trees {
			w := flatten(tr, e)
			for range 20 {
				s := selector.MustParse(genSelector(r, w), e)
				want := compare(t, tr, w, s)
				if t.Failed() {
					t.Fatalf("seed %d, cycle %d: %s", seed, tr.Cycle(), s)
				}
				asked++
				answered += min(1, len(want))
			}
		}
	}
	if answered*4 < asked {
		t.Errorf("%d of %d selectors found something", answered, asked)
	}
}
