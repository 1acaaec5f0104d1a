package enginetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
)

func testContexts(t *testing.T, s Suite) {
	in := s.Open(t)
	if list, err := in.List(background); err != nil || len(list) != 0 {
		t.Fatalf("an empty store lists %v, %v", list, err)
	}
	made := []string{"b", "ä", "a", "B", "a b/c"}
	for i := range 65 { // more than are asked for at once
		made = append(made, fmt.Sprint("c", i))
	}
	for _, name := range made {
		driveIn(t, s, in, name).edit(func(x *tree.Editor) {})
	}
	list, err := in.List(background)
	must(t, err)
	var names []string
	for _, info := range list {
		names = append(names, info.Name)
		found, err := in.Find(background, info.Name)
		must(t, err)
		if found != info || info.Revision != 2 || info.First != 1 || info.Cycle != 0 {
			t.Errorf("found %+v, listed %+v", found, info)
		}
	}
	if slices.Sort(made); !slices.Equal(names, made) || made[0] != "B" || made[len(made)-1] != "ä" {
		t.Errorf("listed %q", names)
	}
}

func testNames(t *testing.T, s Suite) {
	d := drive(t, s, "taken")
	g := engine.Creation{Edition: "canonical", Tree: d.state.Head, Stamps: d.state.Stamps}
	for _, name := range []string{"", "@t0", "-x", ".", "..", "a\x00b", "a\nb", "\xff", strings.Repeat("n", history.MaxName+1)} {
		g.Name = name
		_, err := d.store.Create(background, g)
		wantCode(t, err, fault.DocumentInvalid)
		wantCode(t, d.store.Rename(background, d.state.Key, name), fault.DocumentInvalid)
	}
	g.Name = "taken"
	_, err := d.store.Create(background, g)
	wantCode(t, err, fault.Conflict)
	g.Name = strings.Repeat("n", history.MaxName)
	_, err = d.store.Create(background, g)
	must(t, err)
	if list, err := d.store.List(background); err != nil || len(list) != 2 {
		t.Errorf("the refused ones left %v, %v", list, err)
	}
}

func testRename(t *testing.T, s Suite) {
	in := s.Open(t)
	d, other := driveIn(t, s, in, "old"), driveIn(t, s, in, "other")
	wantCode(t, in.Rename(background, d.state.Key, "other"), fault.Conflict)
	must(t, in.Rename(background, d.state.Key, "old"))
	must(t, in.Rename(background, d.state.Key, "new"))
	_, err := in.Find(background, "old")
	wantCode(t, err, fault.ContextNotFound)
	d.state.Name = "new"
	d.edit(func(x *tree.Editor) { add(t, x, "^ah", block("after the renaming")) })
	other.commit()
	d.check()
	if found, err := d.store.Find(background, "new"); err != nil || found != d.state.Info {
		t.Errorf("found %+v, %v, want %+v", found, err, d.state.Info)
	}
}

func testDelete(t *testing.T, s Suite) {
	in := s.Open(t)
	d, other := driveIn(t, s, in, "gone"), driveIn(t, s, in, "stays")
	for _, c := range []*driver{d, other} {
		c.edit(func(x *tree.Editor) { add(t, x, "^ah", block("some content")) })
		c.commit()
	}
	must(t, d.beside().Delete(background, d.state.Key))
	_, err := in.Find(background, "gone")
	wantCode(t, err, fault.ContextNotFound)
	_, err = in.Load(background, d.state.Key)
	wantCode(t, err, fault.ContextNotFound)
	wantCode(t, in.Delete(background, d.state.Key), fault.ContextNotFound)
	err = in.Apply(background, d.state.Key, d.guard(), d.edited(func(*tree.Editor) {}))
	wantCode(t, err, fault.ContextNotFound)

	again := driveIn(t, s, in, "gone")
	if again.state.Key == d.state.Key {
		t.Error("the key of a deleted context is used again")
	}
	again.check()
	other.store = again.store
	other.check()
}

func testMissing(t *testing.T, s Suite) {
	d := drive(t, s, "here")
	none := d.state.Key + 1000
	_, err := d.store.Find(background, "there")
	wantCode(t, err, fault.ContextNotFound)
	for name, call := range map[string]func() error{
		"Info":     func() error { _, err := d.store.Info(background, none); return err },
		"Load":     func() error { _, err := d.store.Load(background, none); return err },
		"Snapshot": func() error { _, err := engine.Snapshot(background, d.store, none, 0); return err },
		"History":  func() error { _, err := engine.Collect(d.store.History(background, none, 0, 0)); return err },
		"Has":      func() error { _, err := d.store.Has(background, none, "root"); return err },
		"Log":      func() error { _, err := d.store.Log(background, none, 1, 9); return err },
		"Request":  func() error { _, err := d.store.Request(background, none, "x"); return err },
		"Rename":   func() error { return d.store.Rename(background, none, "x") },
		"Delete":   func() error { return d.store.Delete(background, none) },
		"Fork":     func() error { _, err := d.store.Fork(background, none, 1, engine.Fork{Name: "x"}); return err },
		"Check":    func() error { _, err := d.store.Check(background, none); return err },
		"Attempt":  func() error { _, err := d.store.PutAttempt(background, none, call(1)); return err },
		"Attempts": func() error { _, err := d.store.Attempts(background, none, 0, 9); return err },
		"Apply":    func() error { return d.store.Apply(background, none, d.guard(), d.edited(func(*tree.Editor) {})) },
	} {
		t.Run(name, func(t *testing.T) { wantCode(t, call(), fault.ContextNotFound) })
	}
	// A new context has no snapshot before its first commit.
	for _, cycle := range []int64{-1, 0, 1} {
		_, err := engine.Snapshot(background, d.store, d.state.Key, cycle)
		wantCode(t, err, fault.SnapshotNotFound)
	}
	d.commit()
	d.commit()
	for _, cycle := range []int64{-1, 0, 3} {
		_, err := engine.Snapshot(background, d.store, d.state.Key, cycle)
		wantCode(t, err, fault.SnapshotNotFound)
		_, err = engine.Collect(d.store.History(background, d.state.Key, 1, cycle))
		wantCode(t, err, fault.SnapshotNotFound)
	}
	if list, err := engine.Collect(d.store.History(background, d.state.Key, 2, 1)); err != nil || len(list) != 0 {
		t.Errorf("a history that ends before it begins: %v, %v", list, err)
	}
}

func testClosed(t *testing.T, s Suite) {
	d := drive(t, s, "closed")
	change := d.edited(func(*tree.Editor) {})
	must(t, d.store.Close())
	for name, call := range map[string]func() error{
		"Contexts": func() error { _, err := d.store.List(background); return err },
		"Find":     func() error { _, err := d.store.Find(background, "closed"); return err },
		"Create": func() error {
			_, err := d.store.Create(background, engine.Creation{Name: "x", Tree: d.state.Head, Stamps: d.state.Stamps})
			return err
		},
		"Info":     func() error { _, err := d.store.Info(background, d.state.Key); return err },
		"Load":     func() error { _, err := d.store.Load(background, d.state.Key); return err },
		"Snapshot": func() error { _, err := engine.Snapshot(background, d.store, d.state.Key, 1); return err },
		"History":  func() error { _, err := engine.Collect(d.store.History(background, d.state.Key, 1, 1)); return err },
		"Has":      func() error { _, err := d.store.Has(background, d.state.Key, "root"); return err },
		"Log":      func() error { _, err := d.store.Log(background, d.state.Key, 1, 1); return err },
		"Request":  func() error { _, err := d.store.Request(background, d.state.Key, "x"); return err },
		"Rename":   func() error { return d.store.Rename(background, d.state.Key, "x") },
		"Delete":   func() error { return d.store.Delete(background, d.state.Key) },
		"Fork":     func() error { _, err := d.store.Fork(background, d.state.Key, 1, engine.Fork{Name: "x"}); return err },
		"Check":    func() error { _, err := d.store.Check(background, d.state.Key); return err },
		"CheckAll": func() error { _, err := d.store.CheckAll(background); return err },
		"Attempt":  func() error { _, err := d.store.PutAttempt(background, d.state.Key, call(1)); return err },
		"Attempts": func() error { _, err := d.store.Attempts(background, d.state.Key, 0, 9); return err },
		"Apply":    func() error { return d.store.Apply(background, d.state.Key, d.guard(), change) },
	} {
		t.Run(name, func(t *testing.T) { wantCode(t, call(), fault.Store) })
	}
	must(t, d.store.Close())
}

// block is the specification of a block with text as its content.
func block(text string) tree.Spec { return tree.Spec{Role: "user", Kind: "text", Content: text} }

// add adds a node and returns its id.
func add(t *testing.T, x *tree.Editor, parent string, s tree.Spec) string {
	t.Helper()
	id, err := x.Add(parent, s)
	must(t, err)
	return id
}
