package tree_test

import (
	"context"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// letters counts the bytes of a text and how often it was asked to.
type letters struct{ asked atomic.Int64 }

func (*letters) Name() string { return "letters" }

func (l *letters) Count(text string) int {
	l.asked.Add(1)
	return len(text)
}

// ofKind counts the nodes of a kind.
func ofKind(kind string) *tree.Measure {
	return &tree.Measure{Name: "kind " + kind, Want: tree.Marks{Kinds: tree.Mark(kind)}, Of: func(_ context.Context,
		e *tree.Entry) (int64, error) {
		if e.Node().Kind == kind {
			return 1, nil
		}
		return 0, nil
	}}
}

// Sums are those of a walk over all nodes, at every place and after every edit,
// whoever asked before.
func TestMeasuresAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		measures := []*tree.Measure{tree.Tokens(new(letters)), ofKind("text"), ofKind("call")}
		for _, v := range genRun(t).versions {
			for _, m := range measures {
				naive := map[string]int64{}
				var blocks []int64 // in the order of the thread
				for p := range sure.All(v.tree.All()) {
					e, parent := p.Entry, p.Parent
					own, err := m.Of(background, e)
					must(t, err)
					if e.Class() == tree.Block {
						blocks = append(blocks, own)
					}
					for id := e.Node().ID; id != ""; id, parent = parent, sure.Get(v.tree.Parent(parent)) {
						naive[id] += own
					}
				}
				for e := range sure.All(v.tree.All()) {
					got, err := m.Sum(background, e.Entry)
					must(t, err)
					equal(t, m.Name+" of "+e.Node().ID, got, naive[e.Node().ID])
				}
				if m.Name != "tokens letters" {
					continue
				}
				sum := int64(0)
				for n := range len(blocks) + 1 {
					got, err := m.First(background, v.tree, n)
					must(t, err)
					equal(t, "first blocks", got, sum)
					if n < len(blocks) {
						sum += blocks[n]
					}
				}
			}
		}
	})
}

// A text is counted once, and a commit has only its own texts counted.
func TestTokensAreCountedOnce(t *testing.T) {
	for _, turns := range []int{100, 20_000} {
		c := new(letters)
		m := tree.Tokens(c)
		sum := func(tr *tree.Tree) int64 {
			n, err := m.Sum(background, tr.Root())
			must(t, err)
			return n
		}
		l := newLong(t, turns)
		equal(t, "letters", sum(l.tree), int64(5*len("be kind")+turns*len("hello")))
		equal(t, "texts counted", c.asked.Load(), int64(5+turns))
		next := l.turn(t)
		sum(l.tree)
		before := c.asked.Load()
		grown := sum(next.tree)
		equal(t, "texts counted for a commit", c.asked.Load()-before, int64(1))
		if grown <= sum(l.tree) {
			t.Error("the new text does not count")
		}
		before = c.asked.Load()
		_, err := m.First(background, next.tree, turns/2)
		must(t, err)
		equal(t, "texts counted for half of the thread", c.asked.Load()-before, int64(0))
	}
}
