package librarytest

import (
	"errors"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// A batch that failed changes nothing more, and its first error comes out of Edit
// and of Commit although the function returns nil.
func TestTheFirstErrorOfABatchSticks(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()))
	must(t, c.Edit(background, say("there"), nil))
	before, revision := c.Working().Digest(), c.Info().Revision
	calls := map[string]func(b *pact.Batch) string{
		"Add":       func(b *pact.Batch) string { return b.Add("^ah", pact.Spec{ID: "late"}) },
		"Add at":    func(b *pact.Batch) string { return b.Add("(d0, end)", "block") },
		"AddResult": func(b *pact.Batch) string { return b.AddResult("call", pact.Spec{ID: "late"}) },
		"AddEvery": func(b *pact.Batch) string {
			id, added := b.AddEvery(1, pact.Spec{ID: "late", Key: "k"})
			if added {
				t.Error("AddEvery says that it added a node")
			}
			return id
		},
		"Move":    func(b *pact.Batch) string { return b.Move("call", "^ah", 2) },
		"MoveTo":  func(b *pact.Batch) string { return b.Move("call", "(d0, end)", 0) },
		"Update":  func(b *pact.Batch) string { b.Update("call", func(s *pact.Spec) { s.Priority = 7 }); return "" },
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
	if c.Working().Digest() != before || c.Info().Revision != revision {
		t.Error("a batch that failed left something behind")
	}
}

// An id may begin like a position; a node that has it is the parent.
func TestAddUnderAnIDThatBeginsLikeAPosition(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()))
	must(t, c.Edit(background, func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{ID: "(d0, end)", NodeType: "cont", Offset: 1})
		b.Add("(d0, end)", pact.Spec{ID: "child", Content: "x"})
		return nil
	}, nil))
	if got := sure.Get(tree.Of(c.Working()).Parent("child")); got != "(d0, end)" {
		t.Errorf("the parent is %q", got)
	}
}

// Of any type but the two that describe a node, nothing is added.
func TestAddRefusesWhatDescribesNoNode(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()))
	for _, node := range []any{nil, 5, &pact.Spec{}, map[string]any{"content": "x"}} {
		err := c.Edit(background, func(b *pact.Batch) error { b.Add("^ah", node); return nil }, nil)
		if !errors.Is(err, fault.DocumentInvalid) {
			t.Errorf("%T: %v", node, err)
		}
	}
	err := c.Edit(background, func(b *pact.Batch) error { b.Add("head", "block"); return nil }, nil)
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.NodeNotFound || !strings.Contains(f.Remedy, "^ah") {
		t.Errorf("an unknown parent: %v", err)
	}
}

// The one call that 001 §6 prints.
func TestAddByPositionAndDescription(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()), pact.CreateOptions{Edition: selector.Canonical})
	must(t, c.Edit(background, func(b *pact.Batch) error {
		b.Add("(d0, cont[offset=0], )", "block:text { key='hero' }")
		return nil
	}, nil))
	if got := ids(t, c, "#hero"); len(got) != 1 || sure.Get(tree.Of(c.Working()).Node(got[0])).Kind != "text" {
		t.Errorf("got %q", got)
	}
}
