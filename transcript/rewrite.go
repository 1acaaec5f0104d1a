package transcript

import (
	"slices"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// undo says what to remove so that the body ends at a position or earlier. In
// the turn that holds the message there, it removes blocks if the message
// stands outside the core, and else the whole turn; it also removes all later
// turns. It returns the position where the body then ends. Pruned messages are
// in no turn.
func (b *builder) undo(t *tree.Tree, at int) (blocks, turns []string, end int) {
	next := at
	for next < len(b.body) && b.placeOf(t, next) == nil {
		next++
	}
	if next == len(b.body) {
		return b.stubs(t, at), nil, at
	}
	first, keep := b.placeOf(t, next).turn, b.placeOf(t, next).outside
	for i := next; keep && i < len(b.body); i++ {
		if l := b.placeOf(t, i); l != nil && l.turn != first {
			break
		}
		blocks = append(blocks, b.nodes[i]...)
	}
	for i := at - 1; !keep && i >= 0; i-- {
		if l := b.placeOf(t, i); l != nil && l.turn == first {
			at = i
		} else if l != nil {
			break
		}
	}
	from := false
	for turn := range t.Region(tree.Seq).Children().All() {
		id := turn.Node().ID
		if from || id == first && !keep {
			turns = append(turns, id)
		}
		from = from || id == first
	}
	return append(blocks, b.stubs(t, at)...), turns, at
}

// stubs returns the stubs of pruned messages from a position on.
func (b *builder) stubs(t *tree.Tree, at int) (blocks []string) {
	after := make(map[string]bool)
	for i := len(b.turns) - 1; i >= 0; i-- {
		after[b.turns[i]] = i >= at // a turn that also holds messages before the position does not count
	}
	for _, id := range slices.Concat(b.nodes[at:]...) {
		after[id] = true
	}
	before, _, _ := t.ThreadPlace(t.Region(tree.Seq).Node().ID)
	t.BlocksFrom(before, func(e *tree.Entry, _ tree.Class) bool {
		if of := lifecycle.StandsFor(e.Node()); len(of) > 0 && after[of[0]] {
			blocks = append(blocks, e.Node().ID)
		}
		return true
	})
	return blocks
}

// placeOf returns where a message stands, nil if all of it was pruned.
func (b *builder) placeOf(t *tree.Tree, message int) *standing {
	for _, id := range b.nodes[message] {
		if path := t.Path(id); path != nil {
			return &standing{path[2].Node().ID, t.Node(id).Offset != 0}
		}
	}
	return nil
}

// standing is the turn that holds a message, and whether the message stands
// outside the core.
type standing struct {
	turn    string
	outside bool
}
