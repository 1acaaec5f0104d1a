package engine_test

import (
	"context"
	"testing"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

// counting counts the bytes that are written to a medium, and those of the first pages of checkpoints.
type counting struct {
	store.Store
	points, all int
}

func (m *counting) Write(ctx context.Context, b *store.Batch) error {
	for _, r := range b.Append {
		m.all += len(r.Value) + len(r.Rest)
	}
	for _, p := range b.Put {
		if m.all += len(p.Value); p.Space != 0 && p.Name[0] == 'c' {
			m.points += len(p.Value)
		}
	}
	return m.Store.Write(ctx, b)
}

// The first page of a checkpoint does not list what the turns refer to: the first pages of all checkpoints grow as the
// history does and not as its square, also where each turn refers to the one before it, as results do to their calls.
// A fork writes as much of a long history as of a short one.
func TestFirstPagesGrowAsTheHistoryDoes(t *testing.T) {
	var sizes, forks [2]int
	for i, turns := range [2]int{80, 320} {
		m := &counting{Store: store.NewMemory()}
		e := engine.NewHasty(m, store.Packing{})
		w := begin(t, e, "chat")
		before := ""
		for n := range turns {
			st, err := e.Load(background, w.key)
			must(t, err)
			x := tree.Edit(background, st.Working, st.Head, st.Stamps, w.env())
			spec := tree.Spec{Role: "user", Content: said(n)}
			if before != "" {
				spec.Refs = []string{before}
			}
			before, err = x.Add("^ah", spec)
			must(t, err)
			sealed, next, err := tree.Seal(x.Tree(), x.Stamps, w.env())
			must(t, err)
			must(t, e.Apply(background, w.key, engine.Guard{Cycle: st.Cycle, Revision: st.Revision},
				engine.Change{Before: st.Working, After: sealed.WithCycle(next.Cycle), Sealed: sealed, Stamps: next,
					Entry: history.Entry{Cycle: sealed.Cycle()}}))
			e.Idle()
		}
		sizes[i], forks[i] = m.points, m.all
		_, err := e.Fork(background, w.key, int64(turns), engine.Fork{Name: "fork"})
		must(t, err)
		forks[i] = m.all - forks[i]
		must(t, e.Close())
	}
	if ratio := float64(sizes[1]) / float64(sizes[0]); ratio > 5 {
		t.Errorf("for 4 times the turns, first pages take %.1f times as much: %d and %d bytes", ratio, sizes[0], sizes[1])
	}
	if forks[1] > forks[0]+16 {
		t.Errorf("a fork writes %d bytes, and of 4 times the turns %d", forks[0], forks[1])
	}
}
