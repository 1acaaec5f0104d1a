package tree_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// ended reads a sequence to its end and returns the error that ended it.
func ended[T any](list iter.Seq2[T, error]) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// What cannot be loaded is an error and never an answer. The tree is as good as before when the
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
	fails := map[string]func(tr *tree.Tree) error{
		"Has":         func(tr *tree.Tree) error { _, err := tr.Has(id); return err },
		"Node":        func(tr *tree.Tree) error { _, err := tr.Node(id); return err },
		"Parent":      func(tr *tree.Tree) error { _, err := tr.Parent(id); return err },
		"Entry":       func(tr *tree.Tree) error { _, err := tr.Entry(id); return err },
		"Path":        func(tr *tree.Tree) error { _, err := tr.Path(id); return err },
		"Order":       func(tr *tree.Tree) error { _, err := tr.Order(id, turn); return err },
		"Referrers":   func(tr *tree.Tree) error { return ended(tr.Referrers(id)) },
		"All":         func(tr *tree.Tree) error { return ended(tr.All()) },
		"Without":     func(tr *tree.Tree) error { _, err := tr.Without(turn); return err },
		"Patch":       func(tr *tree.Tree) error { _, err := tr.Patch(601, []string{turn}, nil); return err },
		"Compare":     func(tr *tree.Tree) error { return tree.Compare(tr, sure.Get(eager.tree.Without(turn)), nil) },
		"ThreadRange": func(tr *tree.Tree) error { _, _, _, err := tr.ThreadRange(id); return err },
		"BlockAt":     func(tr *tree.Tree) error { _, _, err := tr.BlockAt(300); return err },
		"prefix":      func(tr *tree.Tree) error { _, _, err := tr.ThreadPrefix(300); return err },
		"At":          func(tr *tree.Tree) error { _, err := seq(tr).At(300); return err },
		"Rank":        func(tr *tree.Tree) error { _, err := seq(tr).Rank(sure.Get(eager.tree.Entry(turn))); return err },
		"Parts":       func(tr *tree.Tree) error { _, _, err := seq(tr).Parts(); return err },
		"Shape":       func(tr *tree.Tree) error { _, err := seq(tr).Shape(0); return err },
		"Newest":      func(tr *tree.Tree) error { _, err := edit(tr).Newest("none"); return err },
		"Visit":       func(tr *tree.Tree) error { return ended(seq(tr).Visit(300, 301, nil)) },
		"Add":         func(tr *tree.Tree) error { _, err := edit(tr).Add(turn, tree.Spec{Offset: 1}); return err },
		"AddAt":       func(tr *tree.Tree) error { _, err := edit(tr).AddAt(tree.Gap{Parent: turn}, tree.Spec{}); return err },
		"Update":      func(tr *tree.Tree) error { return edit(tr).Update(id, map[string]any{"priority": 1}) },
		"Remove":      func(tr *tree.Tree) error { return edit(tr).Remove(id) },
		"Move":        func(tr *tree.Tree) error { _, err := edit(tr).Move(id, "^ah", 1); return err },
		"MoveAt":      func(tr *tree.Tree) error { _, err := edit(tr).MoveAt(id, tree.Gap{Parent: "^ah"}); return err },
		"Reorder":     func(tr *tree.Tree) error { return edit(tr).Reorder(id) },
		"Seal": func(tr *tree.Tree) error {
			_, _, err := tree.Seal(tr, eager.stamps, eager.env)
			return err
		},
		"thread": func(tr *tree.Tree) error { return tr.WriteThread(background, io.Discard) },
		"common": func(tr *tree.Tree) error {
			_, err := tree.CommonBlocks(background, tr, sure.Get(eager.tree.Without(turn)))
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
	whole := func(_ tree.LazyRun, above uint8) bool { return above == topmost }
	for name, f := range fails {
		t.Run(name, func(t *testing.T) {
			tr, s := onShelf(t, eager.tree, whole)
			s.fails = true
			if err := f(tr); !errors.Is(err, errShelf) {
				t.Errorf("got %v, want %v", err, errShelf)
			}
			s.fails = false
			equal(t, "nodes afterwards", sure.Get(tr.Node(id)) != nil, true)
			equal(t, "digest afterwards", remade(t, tr).Digest(), eager.tree.Digest())
		})
	}
}

// A run that is not the one whose digest and sums the tree has is refused, whoever
// handed it out.
func TestAnotherRunIsRefused(t *testing.T) {
	eager := newLong(t, 40)
	stub, ok := eager.tree.Region(tree.Seq).Children().LazyRun()
	if !ok {
		t.Fatal("a list of turns has no stub")
	}
	other, _, err := eager.edit().Tree(), 0, error(nil)
	must(t, err)
	run := func(tr *tree.Tree) *tree.List { return tr.Region(tree.Seq).Children() }
	sums := stub
	sums.Summary.Nodes++
	cases := map[string]*tree.List{
		"nothing":     stub.List(func(context.Context) (*tree.List, error) { return nil, nil }),
		"fewer turns": stub.List(func(context.Context) (*tree.List, error) { return run(sure.Get(other.Without("seg:7-1"))), nil }),
		"one changed": stub.List(func(context.Context) (*tree.List, error) { return run(sure.Get(other.Without("block:7-0"))), nil }),
		"other sums":  sums.List(func(context.Context) (*tree.List, error) { return run(other), nil }),
		"a stub":      stub.List(func(context.Context) (*tree.List, error) { return stub.List(nil), nil }),
	}
	for name, l := range cases {
		_, _, err := l.Parts()
		if fault.CodeOf(err) != fault.Store || !strings.Contains(err.Error(), "digest") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// A call that was canceled loads no run, and its cancelation reaches the store; the next call loads it.
func TestACanceledCallLoadsNoRun(t *testing.T) {
	eager := newLong(t, 40)
	whole := eager.tree.Region(tree.Seq).Children()
	stub, _ := whole.LazyRun()
	blocks := &tree.Measure{Name: "blocks", Of: func(_ context.Context, e *tree.Entry) (int64, error) { return 1, nil }}
	first := &tree.Minimum{Name: "first", Of: func(context.Context, *tree.Entry) (int64, error) { return 0, nil }}
	for name, call := range map[string]func(context.Context, *tree.List) error{
		"sum": func(ctx context.Context, l *tree.List) error { _, err := blocks.SumOf(ctx, l); return err },
		"minimum": func(ctx context.Context, l *tree.List) error {
			for _, err := range first.Items(ctx, l, 0) {
				return err
			}
			return nil
		},
	} {
		loads := 0
		var during func()
		l := stub.List(func(ctx context.Context) (*tree.List, error) {
			loads++
			if during != nil {
				during()
			}
			return whole, ctx.Err()
		})
		ctx, cancel := context.WithCancel(t.Context())
		during = cancel
		if err := call(ctx, l); !errors.Is(err, context.Canceled) || loads != 1 {
			t.Errorf("%s, canceled while a run was read: %v, %d loads", name, err, loads)
		}
		if err := call(ctx, l); !errors.Is(err, context.Canceled) || loads != 1 {
			t.Errorf("%s, canceled before: %v, %d loads", name, err, loads)
		}
		if err := call(t.Context(), l); err != nil || loads != 2 {
			t.Errorf("%s, not canceled: %v, %d loads", name, err, loads)
		}
	}
}
