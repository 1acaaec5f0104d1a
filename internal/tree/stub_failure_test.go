package tree_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/tree"
)

// What cannot be loaded is an error where a call has one to return, else a panic
// with a LoadError, and never an answer. The tree is as good as before when the
// store is there again.
func TestWhatCannotBeLoadedIsAnError(t *testing.T) {
	eager := newLong(t, 600)
	const id, turn = "block:300-0", "seg:300-1"
	seq := func(tr *tree.Tree) *tree.List { return tr.Region(tree.Seq).Children() }
	edit := func(tr *tree.Tree) *tree.Editor {
		l := eager
		l.tree = tr
		return l.edit()
	}
	panics := map[string]func(tr *tree.Tree){
		"Has":         func(tr *tree.Tree) { tr.Has(id) },
		"Node":        func(tr *tree.Tree) { tr.Node(id) },
		"Parent":      func(tr *tree.Tree) { tr.Parent(id) },
		"Entry":       func(tr *tree.Tree) { tr.Entry(id) },
		"Path":        func(tr *tree.Tree) { tr.Path(id) },
		"Order":       func(tr *tree.Tree) { tr.Order(id, turn) },
		"Referrers":   func(tr *tree.Tree) { tr.Referrers(id)(func(string) bool { return true }) },
		"All":         func(tr *tree.Tree) { tr.All()(func(*tree.Entry, string) bool { return true }) },
		"Without":     func(tr *tree.Tree) { tr.Without(turn) },
		"Patch":       func(tr *tree.Tree) { tr.Patch(601, []string{turn}, nil) },
		"Compare":     func(tr *tree.Tree) { tree.Compare(tr, eager.tree.Without(turn), nil) },
		"ThreadRange": func(tr *tree.Tree) { tr.ThreadRange(id) },
		"BlockAt":     func(tr *tree.Tree) { tr.BlockAt(300) },
		"prefix":      func(tr *tree.Tree) { tr.ThreadPrefix(300) },
		"At":          func(tr *tree.Tree) { seq(tr).At(300) },
		"Rank":        func(tr *tree.Tree) { seq(tr).Rank(eager.tree.Entry(turn)) },
		"Parts":       func(tr *tree.Tree) { seq(tr).Parts() },
		"Shape":       func(tr *tree.Tree) { seq(tr).Shape(0) },
		"Newest":      func(tr *tree.Tree) { new(tree.KeyFamilies).Newest(tr, "none") },
	}
	fails := map[string]func(tr *tree.Tree) error{
		"Add":     func(tr *tree.Tree) error { _, err := edit(tr).Add(turn, tree.Spec{Offset: 1}); return err },
		"AddAt":   func(tr *tree.Tree) error { _, err := edit(tr).AddAt(tree.Gap{Parent: turn}, tree.Spec{}); return err },
		"Update":  func(tr *tree.Tree) error { return edit(tr).Update(id, map[string]any{"priority": 1}) },
		"Remove":  func(tr *tree.Tree) error { return edit(tr).Remove(id) },
		"Move":    func(tr *tree.Tree) error { _, err := edit(tr).Move(id, "^ah", 1); return err },
		"MoveAt":  func(tr *tree.Tree) error { _, err := edit(tr).MoveAt(id, tree.Gap{Parent: "^ah"}); return err },
		"Reorder": func(tr *tree.Tree) error { return edit(tr).Reorder(id) },
		"Seal": func(tr *tree.Tree) error {
			_, _, err := tree.Seal(tr, eager.stamps, eager.env)
			return err
		},
		"thread": func(tr *tree.Tree) error { return tr.WriteThread(background, io.Discard) },
		"hashed": func(tr *tree.Tree) error { _, err := tr.WriteThreadHashed(background, io.Discard); return err },
		"common": func(tr *tree.Tree) error {
			_, err := tree.CommonBlocks(background, tr, eager.tree.Without(turn))
			return err
		},
		"Sum": func(tr *tree.Tree) error {
			_, err := tree.Tokens(new(letters)).Sum(background, tr.Root())
			return err
		},
		"First": func(tr *tree.Tree) error {
			_, err := tree.Tokens(new(letters)).First(background, tr, 300)
			return err
		},
	}
	whole := func(_ tree.Stub, above uint8) bool { return above == topmost }
	for name, f := range panics {
		fails[name] = func(tr *tree.Tree) (err error) {
			defer func() {
				var of *tree.LoadError
				if err, _ = recover().(error); !errors.As(err, &of) {
					t.Errorf("%s: a panic with %v, not with a LoadError", name, err)
				}
			}()
			f(tr)
			return nil
		}
	}
	for name, f := range fails {
		t.Run(name, func(t *testing.T) {
			tr, s := onShelf(t, eager.tree, whole)
			s.fails = true
			if err := f(tr); !errors.Is(err, errShelf) {
				t.Errorf("got %v, want %v", err, errShelf)
			}
			s.fails = false
			equal(t, "nodes afterwards", tr.Node(id) != nil, true)
			equal(t, "digest afterwards", remade(t, tr).Digest(), eager.tree.Digest())
		})
	}
}

// A run that is not the one whose digest and sums the tree has is refused, whoever
// handed it out.
func TestAnotherRunIsRefused(t *testing.T) {
	eager := newLong(t, 40)
	stub, ok := eager.tree.Region(tree.Seq).Children().Stub()
	if !ok {
		t.Fatal("a list of turns has no stub")
	}
	other, _, err := eager.edit().Tree(), 0, error(nil)
	if err != nil {
		t.Fatal(err)
	}
	run := func(tr *tree.Tree) *tree.List { return tr.Region(tree.Seq).Children() }
	sums := stub
	sums.Summary.Nodes++
	cases := map[string]*tree.List{
		"nothing":     stub.List(func() (*tree.List, error) { return nil, nil }),
		"fewer turns": stub.List(func() (*tree.List, error) { return run(other.Without("seg:7-1")), nil }),
		"one changed": stub.List(func() (*tree.List, error) { return run(other.Without("block:7-0")), nil }),
		"other sums":  sums.List(func() (*tree.List, error) { return run(other), nil }),
		"a stub":      stub.List(func() (*tree.List, error) { return stub.List(nil), nil }),
	}
	for name, l := range cases {
		err := func() (err error) {
			defer tree.Recover(&err)
			l.Parts()
			return nil
		}()
		if fault.CodeOf(err) != fault.Store || !strings.Contains(err.Error(), "digest") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// Recover takes no panic but that of a load.
func TestRecoverLeavesOtherPanics(t *testing.T) {
	defer func() {
		if recover() != "other" {
			t.Error("another panic was lost")
		}
	}()
	var err error
	defer tree.Recover(&err)
	panic("other")
}
