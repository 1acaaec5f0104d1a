package sqlite_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
)

// A history that is written at once is the one that was committed turn by turn: also where drafts
// were changed or removed before their commit, and older nodes since.
func TestHistoryWrittenAtOnce(t *testing.T) {
	t.Cleanup(joinSoon())
	ctx := t.Context()
	dir := t.TempDir()
	s, err := openFile(ctx, filepath.Join(dir, "turn by turn.db"))
	must(t, err)
	defer s.Close()
	w := begin(t, s)
	first := w.state
	var changes []engine.Change
	edit := func(f func(x *tree.Editor) error) {
		t.Helper()
		x := tree.Edit(ctx, w.state.Working, w.state.Head, w.state.Stamps, w.env())
		must(t, f(x))
		c := engine.Change{Before: w.state.Working, After: x.Tree(), Stamps: x.Stamps, Entry: history.Entry{Cycle: x.Cycle}}
		must(t, w.apply(ctx, c))
		changes = append(changes, c)
	}
	commit := func(text string) {
		t.Helper()
		w.changes, w.collect = nil, true
		must(t, w.commit(ctx, text, false))
		w.collect = false
		guard := engine.Guard{Cycle: w.state.Cycle - 1, Revision: w.state.Revision - 1}
		must(t, s.Apply(ctx, w.state.Key, guard, w.changes...))
		changes = append(changes, w.changes...)
	}
	const cycles = 30
	for i := range cycles {
		edit(func(x *tree.Editor) error {
			_, err := x.Add("^sys", tree.Spec{ID: fmt.Sprint("rule ", i), Content: strings.Repeat("a rule ", i)})
			return err
		})
		edit(func(x *tree.Editor) error {
			return x.Update(fmt.Sprint("rule ", i), map[string]any{"content": "another rule"})
		})
		if i > 3 && i%3 != 0 {
			edit(func(x *tree.Editor) error {
				return x.Update(fmt.Sprint("rule ", i-3), map[string]any{"priority": i})
			})
		}
		if i > 5 && (i-5)%3 != 0 {
			edit(func(x *tree.Editor) error { return x.Remove(fmt.Sprint("rule ", i-5)) })
		}
		if i%3 == 0 {
			edit(func(x *tree.Editor) error { return x.Remove(fmt.Sprint("rule ", i)) })
		}
		commit(fmt.Sprint("turn ", i))
	}
	path := filepath.Join(dir, "at once.db")
	at, err := openFile(ctx, path)
	must(t, err)
	defer at.Close()
	info, err := at.Create(ctx, engine.Creation{Name: "turns", Edition: "canonical", Tree: first.Head,
		Stamps: first.Stamps, Changes: engine.Changes(changes...)})
	must(t, err)
	want, err := engine.Collect(s.History(ctx, w.state.Key, 1, cycles))
	must(t, err)
	got, err := engine.Collect(at.History(ctx, info.Key, 1, cycles))
	must(t, err)
	for i := range want {
		if got[i].Digest() != want[i].Digest() || got[i].ThreadDigest() != want[i].ThreadDigest() {
			t.Errorf("cycle %d is another one", i+1)
		}
		text, err := got[i].Thread(ctx)
		must(t, err)
		if before, err := want[i].Thread(ctx); err != nil || string(before) != string(text) {
			t.Errorf("cycle %d has the thread\n%s\nwant\n%s", i+1, text, before)
		}
	}
	for _, check := range []func() (*history.Damage, error){
		func() (*history.Damage, error) { return at.Check(ctx, info.Key) },
		func() (*history.Damage, error) { return at.CheckAll(ctx) },
	} {
		if damage, err := check(); err != nil || damage != nil {
			t.Errorf("%+v, %v", damage, err)
		}
	}
	for _, id := range []string{"rule 2", "rule 9", "rule 28", "block:9-0", "block:9-1", "block:9-2", "root"} {
		had, err := s.Has(ctx, w.state.Key, id)
		must(t, err)
		if has, err := at.Has(ctx, info.Key, id); err != nil || has != had {
			t.Errorf("has %q: %v, %v, want %v", id, has, err, had)
		}
	}
	goingOn := &turns{store: at}
	must(t, goingOn.load(ctx, info.Key))
	goingOn.next(t, "it goes on")
	if damage, err := at.Check(ctx, info.Key); err != nil || damage != nil {
		t.Errorf("%+v, %v", damage, err)
	}
}
