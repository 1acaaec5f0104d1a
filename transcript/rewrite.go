package transcript

import (
	"slices"

	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/tree"
)

// undo says what to remove so that the body ends at a position or earlier. In
// the turn that holds the message there, it removes blocks if the message
// stands outside the core, and else the whole turn; it also removes all later
// turns. It returns the position where the body then ends. Pruned messages are
// in no turn.
func (b *builder) undo(t *tree.Tree, at int) (blocks, turns []string, end int, err error) {
	next := at
	var stands *messageTurn
	for ; next < len(b.body) && stands == nil; next++ {
		if stands, err = b.placeOf(t, next); err != nil {
			return nil, nil, 0, err
		}
	}
	if stands == nil {
		blocks, err = b.stubs(t, at)
		return blocks, nil, at, err
	}
	next--
	first, keep := stands.turn, stands.outside
	for i := next; keep && i < len(b.body); i++ {
		if l, err := b.placeOf(t, i); err != nil {
			return nil, nil, 0, err
		} else if l != nil && l.turn != first {
			break
		}
		blocks = append(blocks, b.nodes[i]...)
	}
	for i := at - 1; !keep && i >= 0; i-- {
		if l, err := b.placeOf(t, i); err != nil {
			return nil, nil, 0, err
		} else if l != nil && l.turn == first {
			at = i
		} else if l != nil {
			break
		}
	}
	from := false
	for turn, err := range t.Region(tree.Seq).Children().All() {
		if err != nil {
			return nil, nil, 0, err
		}
		id := turn.Node().ID
		if from || id == first && !keep {
			turns = append(turns, id)
		}
		from = from || id == first
	}
	stubs, err := b.stubs(t, at)
	return append(blocks, stubs...), turns, at, err
}

// stubs returns the stubs of pruned messages from a position on.
func (b *builder) stubs(t *tree.Tree, at int) (blocks []string, err error) {
	after := make(map[string]bool)
	for i := len(b.turns) - 1; i >= 0; i-- {
		after[b.turns[i]] = i >= at // a turn that also holds messages before the position does not count
	}
	for _, id := range slices.Concat(b.nodes[at:]...) {
		after[id] = true
	}
	before, _, _, err := t.ThreadPlace(t.Region(tree.Seq).Node().ID)
	if err != nil {
		return nil, err
	}
	for b, err := range t.Blocks(before) {
		if err != nil {
			return nil, err
		}
		if of := commit.StandsFor(b.Node()); len(of) > 0 && after[of[0]] {
			blocks = append(blocks, b.Node().ID)
		}
	}
	return blocks, nil
}

// placeOf returns where a message stands, nil if all of it was pruned.
func (b *builder) placeOf(t *tree.Tree, message int) (*messageTurn, error) {
	for _, id := range b.nodes[message] {
		path, err := t.Path(id)
		if err != nil {
			return nil, err
		}
		if path != nil {
			return &messageTurn{path[2].Node().ID, path[len(path)-1].Node().Offset != 0}, nil
		}
	}
	return nil, nil
}

// messageTurn is the turn that holds a message, and whether the message stands
// outside the core.
type messageTurn struct {
	turn    string
	outside bool
}
