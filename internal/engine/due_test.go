package engine_test

import (
	"testing"

	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/store"
)

// TestCheckpointsComeByRows commits turns of one message and of many. A later process makes no
// snapshot from more rows than the pace says, and every snapshot is what it was, whether the
// checkpoints were written while the turns came or afterwards.
func TestCheckpointsComeByRows(t *testing.T) {
	for name, made := range map[string]func(store.Store, store.Packing) *engine.Engine{
		"as turns come": engine.NewHasty, "afterwards": engine.NewIdle} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			medium := store.NewMemory()
			e := made(medium, store.Packing{})
			w := begin(t, e, "one")
			for i := range 400 {
				texts := []string{said(i)}
				if i%40 == 39 {
					for k := range 15 {
						texts = append(texts, said(1000*i+k))
					}
				}
				must(t, w.commit(texts...))
				if i%3 > 0 { // otherwise the next turn comes while something settles
					e.Idle()
				}
			}
			e.Idle()
			checkPoints(t, medium, w)
		})
	}
}

// checkPoints compares what an engine that settles says of the snapshots of a writer with what
// its own engine says.
func checkPoints(t *testing.T, medium store.Store, w *writer) {
	t.Helper()
	want, err := threads(w.e, w.key)
	must(t, err)
	e := engine.NewHasty(medium, store.Packing{})
	must(t, e.Settle(background, w.key))
	for i := range want {
		cycle := int64(i + 1)
		rows, most, err := e.Replays(background, w.key, cycle)
		must(t, err)
		if rows > most {
			t.Errorf("snapshot %d is made from %d rows, more than %d", cycle, rows, most)
		}
		if i%7 > 0 {
			continue
		}
		cold := engine.NewHasty(medium, store.Packing{})
		for snapshot, err := range cold.History(background, w.key, cycle, cycle) {
			must(t, err)
			text, err := snapshot.Thread(background)
			must(t, err)
			if string(text) != want[i] {
				t.Errorf("snapshot %d is another", cycle)
			}
		}
	}
	damage, err := e.Check(background, w.key)
	must(t, err)
	if damage != nil {
		t.Error(damage.What)
	}
}
