package engine_test

import (
	"testing"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
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
	st, err := engine.NewHasty(medium, store.Packing{}).Load(background, w.key)
	must(t, err)
	unopened := 0
	_, runs, err := st.Head.Region(tree.Seq).Children().Parts()
	must(t, err)
	for _, run := range runs {
		if run.Unopened() {
			unopened += run.Len()
		}
	}
	if unopened < len(want)/3 {
		t.Errorf("opening loads all but %d of %d turns", unopened, len(want))
	}
	damage, err := e.Check(background, w.key)
	must(t, err)
	if damage != nil {
		t.Error(damage.What)
	}
}

// The snapshot that a change published gets the checkpoint that is due, and none is made anew, also where the answer
// comes behind it as a draft.
func TestWhatIsPublishedBeforeADraftGetsTheCheckpoint(t *testing.T) {
	e := engine.NewHasty(store.NewMemory(), store.Packing{})
	w := begin(t, e, "one")
	must(t, w.commit(said(1)))
	st, err := e.Load(background, w.key)
	must(t, err)
	var list []engine.Change
	working, head, stamps := st.Working, st.Head, st.Stamps
	for n := range 4 { // three more cycles, and the draft; a checkpoint is due at the second of them
		x := tree.Edit(background, working, head, stamps, w.env())
		_, err := x.Add("^ah", tree.Spec{Role: "user", Content: said(n)})
		must(t, err)
		list = append(list, engine.Change{Before: working, After: x.Tree(), Stamps: x.Stamps,
			Entry: history.Entry{Cycle: x.Stamps.Cycle}})
		if n == 3 {
			break
		}
		sealed, next, err := tree.Seal(x.Tree(), x.Stamps, w.env())
		must(t, err)
		working, head, stamps = sealed.WithCycle(next.Cycle), sealed, next
		list = append(list, engine.Change{Before: x.Tree(), After: working, Sealed: sealed, Stamps: next,
			Entry: history.Entry{Cycle: sealed.Cycle()}})
	}
	must(t, e.Apply(background, w.key, engine.Guard{Cycle: st.Cycle, Revision: st.Revision}, list...))
	e.Idle()
	rows, _, err := e.Replays(background, w.key, head.Cycle())
	must(t, err)
	if rows != 0 {
		t.Errorf("the last snapshot is made from %d rows of an earlier checkpoint", rows)
	}
	must(t, e.Close())
}
