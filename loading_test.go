package pact_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"reflect"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

var errUnloaded = fault.New(fault.Store, "the disk does not answer", "")

// unloaded is a store whose trees have all their turns in pages that cannot be read.
type unloaded struct{ *store.Memory }

func (s unloaded) Load(ctx context.Context, key store.Key) (*store.State, error) {
	st, err := s.Memory.Load(ctx, key)
	if err != nil {
		return nil, err
	}
	loaded := *st
	if loaded.Head, err = withoutTurns(st.Head); err == nil {
		loaded.Working, err = withoutTurns(st.Working)
	}
	return &loaded, err
}

// withoutTurns makes a tree again with a stub in the place of all turns.
func withoutTurns(of *tree.Tree) (*tree.Tree, error) {
	var nodes []tree.Placed
	at := map[string]int{"": -1}
	var add func(e *tree.Entry, parent string)
	add = func(e *tree.Entry, parent string) {
		at[e.Node().ID] = len(nodes)
		nodes = append(nodes, tree.Placed{Node: e.Node(), Parent: at[parent]})
		if e.Class() == tree.Seq {
			return
		}
		for k := range e.Children().All() {
			add(k, e.Node().ID)
		}
	}
	add(of.Root(), "")
	stub, _ := of.Region(tree.Seq).Children().Stub()
	run := stub.List(func() (*tree.List, error) { return nil, errUnloaded })
	return tree.BuildAround(of.Cycle(), nodes, []tree.Between{{Run: run}}, &tree.Unloaded{
		Find:      func(string) (*tree.Node, string, error) { return nil, "", errUnloaded },
		Referrers: func(string) ([]string, error) { return nil, errUnloaded },
	})
}

// TestWhatCannotBeLoadedIsAnError calls every exported method of Context, Snapshot and
// Batch on a context whose turns cannot be read. Those that need them return the error
// of the store, nobody panics, and nothing is written. A method that is not listed here
// fails the test.
func TestWhatCannotBeLoadedIsAnError(t *testing.T) {
	s := store.NewMemory()
	c := create(t, s, pact.CreateOptions{})
	for range 3 {
		_, err := c.Commit(background, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{Role: "user", Content: "hello"})
			return nil
		}})
		must(t, err)
	}
	const id, turn = "block:1-0", "seg:1-1"
	whole, err := c.At(background, pact.Cycle(2))
	must(t, err)
	broken, err := pact.Open(background, unloaded{s}, c.Name(), nil)
	must(t, err)
	revision := broken.Revision()
	head, err := broken.At(background, pact.Latest)
	must(t, err)
	edit := func(f func(*pact.Batch)) error {
		return broken.Edit(background, func(b *pact.Batch) error { f(b); return nil }, nil)
	}
	ofContext := map[string]func() error{
		"Diff":     func() error { _, err := broken.Diff(background, pact.Cycle(1), pact.Latest, nil); return err },
		"RichDiff": func() error { _, err := broken.RichDiff(background, pact.Cycle(1), pact.Latest, nil); return err },
		"Select":   func() error { _, err := broken.Select(background, ".block", nil); return err },
		"Find":     func() error { _, err := broken.Find(background, ".block", nil); return err },
		"Commit":   func() error { _, err := broken.Commit(background, nil); return err },
		"Prepare":  func() error { _, err := broken.Prepare(background, nil); return err },
		"Send":     func() error { _, err := broken.Send(background, io.Discard, nil); return err },
		"Retain":   func() error { _, err := broken.Retain(id); return err },
		"Blame":    func() error { _, err := broken.Blame(background, pact.Latest); return err },
		"PlanPruning": func() error {
			_, err := broken.PlanPruning(background, &pact.Pruning{IDs: []string{turn}})
			return err
		},
		"Edit": func() error { return edit(func(b *pact.Batch) { b.Add(turn, pact.Spec{Offset: 1}) }) },
		"StartAttempt": func() error {
			_, err := broken.StartAttempt(background, pact.ProviderCall{Provider: "p", Model: "m"}, io.Discard, nil)
			return err
		},
	}
	// What these need is read by the store, from the log or from older snapshots.
	otherwise := map[string]bool{"At": true, "Attempts": true, "Backup": true, "Copy": true,
		"Cycles": true, "Edition": true,
		"EndAttempt": true, "Erase": true, "Explain": true, "ExportHistory": true, "Fork": true, "History": true, "Log": true,
		"Name": true, "Origins": true, "Prefixes": true, "RangeDiffLatest": true, "Refresh": true, "Revision": true,
		"Timeline": true, "Undo": true, "Working": true}
	ofSnapshot := map[string]func() error{
		"Node": func() error { _, err := head.Node(id); return err },
		"Nodes": func() (err error) {
			for _, err = range head.Nodes() {
			}
			return err
		},
		"Select":      func() error { _, err := head.Select(background, ".block", nil); return err },
		"Find":        func() error { _, err := head.Find(background, ".block", nil); return err },
		"WriteThread": func() error { return head.WriteThread(background, io.Discard) },
		"Thread":      func() error { _, err := head.Thread(background); return err },
		"Export":      func() error { return head.Export(background, new(bytes.Buffer)) },
		"Bytes":       func() error { _, err := head.Bytes(background); return err },
		"Tokens":      func() error { _, err := head.Tokens(background, wordCounter{}); return err },
		"SharePrefix": func() error { _, err := pact.SharePrefix(background, whole, head); return err },
	}
	plain := map[string]bool{"At": true, "Cycle": true, "Digest": true,
		"Edition": true, "Explain": true, "ThreadSize": true,
		"Tree": true}
	ofBatch := map[string]func() error{
		"Add":       func() error { return edit(func(b *pact.Batch) { b.Add(turn, pact.Spec{Offset: 1}) }) },
		"AddEvery":  func() error { return edit(func(b *pact.Batch) { b.AddEvery(9, pact.Spec{Key: "k"}) }) },
		"AddResult": func() error { return edit(func(b *pact.Batch) { b.AddResult(id, pact.Spec{}) }) },
		"Has":       func() error { return edit(func(b *pact.Batch) { b.Has(id) }) },
		"Insert":    func() error { return edit(func(b *pact.Batch) { b.Insert("(d1, end)", pact.Spec{}) }) },
		"Move":      func() error { return edit(func(b *pact.Batch) { b.Move(id, "^ah", 1) }) },
		"MoveTo":    func() error { return edit(func(b *pact.Batch) { b.MoveTo(id, "(d0, end)") }) },
		"Remove":    func() error { return edit(func(b *pact.Batch) { b.Remove(id) }) },
		"Reorder":   func() error { return edit(func(b *pact.Batch) { b.Reorder(id) }) },
		"Update":    func() error { return edit(func(b *pact.Batch) { b.Update(id, map[string]any{"priority": 1}) }) },
	}
	for _, of := range []struct {
		kind  reflect.Type
		fails map[string]func() error
		other map[string]bool
	}{
		{reflect.TypeFor[*pact.Context](), ofContext, otherwise},
		{reflect.TypeFor[*pact.Snapshot](), ofSnapshot, plain},
		{reflect.TypeFor[*pact.Batch](), ofBatch, map[string]bool{"Err": true, "ParseSpec": true}},
	} {
		for i := range of.kind.NumMethod() {
			if name := of.kind.Method(i).Name; of.fails[name] == nil && !of.other[name] {
				t.Errorf("%v.%s is not listed", of.kind, name)
			}
		}
		for name, f := range of.fails {
			if err := f(); !errors.Is(err, errUnloaded) {
				t.Errorf("%v.%s: got %v", of.kind, name, err)
			}
		}
	}
	again, err := pact.Open(background, s, c.Name(), nil)
	must(t, err)
	if again.Revision() != revision {
		t.Errorf("revision %d was written, after %d", again.Revision(), revision)
	}
}
