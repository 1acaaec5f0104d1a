package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/contexttree/pact/internal/fault"
	"github.com/contexttree/pact/store"
)

func isStore(err error) bool { return errors.Is(err, fault.Store) }

// TestVersion1 opens a file that version 1 of the schema was used for: three
// commits with drafts on top, and an empty context. The digests are those that
// the program of that time printed.
func TestVersion1(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "v1.sql"))
	must(t, err)
	path := filepath.Join(t.TempDir(), "pact.db")
	raw(t, path, string(text), "PRAGMA application_id = 0x50414354", "PRAGMA user_version = 1").Close()
	s := open(t, path)
	info, err := s.Find(t.Context(), "chat")
	must(t, err)
	w := &turns{store: s}
	must(t, w.load(t.Context(), info.Key))
	want := map[int64]string{
		1: "bf25e2e5c9e5525849685382b38a0fa6da2926f07efbe05dd6b6d987b2537d81",
		2: "e91b04d766d321977af1a40b23b45c218da831bc860ca779f3174e6e4e74f150",
		3: "303fcd3558e55f97f33b8302aabe26fd0a9dc4bf7dfbb2b6caed487fb6ad96bc",
	}
	history, err := s.History(t.Context(), info.Key, 1, 3)
	must(t, err)
	for _, snapshot := range history {
		if got := snapshot.Digest().String(); got != want[snapshot.Cycle()] {
			t.Errorf("cycle %d has the digest %s", snapshot.Cycle(), got)
		}
	}
	if got := w.state.Working.Digest().String(); got != "09f774e08a37269c7674788b0bf87a99574dedceca7f960b70139f25abddcf29" {
		t.Errorf("the working state has the digest %s", got)
	}
	log, err := s.Log(t.Context(), info.Key, 1, 99)
	must(t, err)
	if len(log) != 11 || log[3].Message != "first question" || log[3].Request != "r1" || log[3].Digest != "" {
		t.Errorf("the log has %d entries, %+v", len(log), log[3])
	}
	if e, err := s.Request(t.Context(), info.Key, "r1"); err != nil || e == nil || e.Revision != 4 {
		t.Errorf("the request is %+v, %v", e, err)
	}

	// It goes on, and what is written now is proven.
	w.next(t, "written by version 2")
	log, err = s.Log(t.Context(), info.Key, 12, 12)
	must(t, err)
	if len(log) != 1 || log[0].Digest != w.state.Head.Digest().String() {
		t.Errorf("logged %+v", log)
	}
	for _, cycle := range []int64{2, 4} {
		f, err := s.Fork(t.Context(), info.Key, cycle, store.Fork{Name: "fork of " + string(rune('0'+cycle))})
		must(t, err)
		forked := &turns{store: s}
		must(t, forked.load(t.Context(), f.Key))
		if want[4] = w.state.Head.Digest().String(); forked.state.Head.Digest().String() != want[cycle] {
			t.Errorf("the fork at %d has the digest %s", cycle, forked.state.Head.Digest())
		}
		forked.next(t, "a turn of the fork")
		if damage, err := s.Check(t.Context(), f.Key); err != nil || damage != nil {
			t.Errorf("the fork at %d: %+v, %v", cycle, damage, err)
		}
	}
	if damage, err := s.Check(t.Context(), info.Key); err != nil || damage != nil {
		t.Errorf("%+v, %v", damage, err)
	}
	empty, err := s.Find(t.Context(), "empty")
	must(t, err)
	must(t, w.load(t.Context(), empty.Key))
	w.next(t, "the first turn")
	if w.state.Edition != "v0.1" || w.state.Cycle != 1 {
		t.Errorf("the empty context is %+v", w.state.Info)
	}
	must(t, s.Delete(t.Context(), info.Key))
	sound(t, path)
}
