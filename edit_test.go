package pact_test

import (
	"errors"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
)

// A batch that failed changes nothing more, and its first error comes out of Edit
// and of Commit although the function returns nil.
func TestTheFirstErrorOfABatchSticks(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()))
	must(t, c.Edit(background, say("there"), nil))
	before, revision := c.Working().Digest(), c.Revision()
	calls := map[string]func(b *pact.Batch) string{
		"Add":       func(b *pact.Batch) string { return b.Add("^ah", pact.Spec{ID: "late"}) },
		"Insert":    func(b *pact.Batch) string { return b.Insert("(d0, end)", pact.Spec{ID: "late"}) },
		"AddResult": func(b *pact.Batch) string { return b.AddResult("call", pact.Spec{ID: "late"}) },
		"AddEvery": func(b *pact.Batch) string {
			id, added := b.AddEvery(1, pact.Spec{ID: "late", Key: "k"})
			if added {
				t.Error("AddEvery says that it added a node")
			}
			return id
		},
		"Move":    func(b *pact.Batch) string { return b.Move("call", "^ah", 2) },
		"MoveTo":  func(b *pact.Batch) string { return b.MoveTo("call", "(d0, end)") },
		"Update":  func(b *pact.Batch) string { b.Update("call", map[string]any{"priority": 7}); return "" },
		"Remove":  func(b *pact.Batch) string { b.Remove("call"); return "" },
		"Reorder": func(b *pact.Batch) string { b.Reorder("call"); return "" },
	}
	for name, late := range calls {
		edit := func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{ID: "call", Kind: "call", Offset: 1})
			was := b.Err()
			b.Remove("nobody")
			first := b.Err()
			if id := late(b); was != nil || fault.CodeOf(first) != fault.NodeNotFound || id != "" || b.Err() != first ||
				b.Has("late") || !b.Has("call") {
				t.Errorf("%s: %v, then %v; afterwards id %q, %v", name, was, first, id, b.Err())
			}
			return nil
		}
		if err := c.Edit(background, edit, nil); fault.CodeOf(err) != fault.NodeNotFound {
			t.Errorf("%s: Edit returned %v", name, err)
		}
		if _, err := c.Commit(background, &pact.CommitOptions{Edit: edit}); fault.CodeOf(err) != fault.NodeNotFound {
			t.Errorf("%s: Commit returned %v", name, err)
		}
	}
	own := errors.New("my own")
	err := c.Edit(background, func(b *pact.Batch) error { b.Remove("nobody"); return own }, nil)
	if err != own {
		t.Errorf("the error that the function returned became %v", err)
	}
	if c.Working().Digest() != before || c.Revision() != revision {
		t.Error("a batch that failed left something behind")
	}
}
