package record

import (
	"context"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

// listing has the blocks of a tree in thread order. It goes with a recording from tree to tree, and reads only
// changed blocks again.
type listing struct {
	of                   *tree.Tree // nil before the first
	system, conversation []block
	turns                []listedTurn // of ^seq
	keys                 keyer
}

// listedTurn is a turn, and how many blocks of the conversation there are up to its end.
type listedTurn struct {
	digest tree.Digest
	blocks int
}

// listedKey is the key of a block with the hash of the content that it was made from: a block can
// change and keep its id.
type listedKey struct {
	hash tree.Digest
	key  key
}

// update lists a tree. It uses the memory of the blocks that were listed before. Cost: ^sys, a
// comparison for each turn, and the blocks behind the turns with which the tree before began too.
func (l *listing) update(ctx context.Context, t *tree.Tree) (err error) {
	if l.of == t {
		return nil
	}
	before := *l
	*l = listing{keys: before.keys} // nothing is listed if reading fails
	next := listing{of: t, system: before.system[:0], turns: before.turns[:0], keys: before.keys}
	inSystem, inTurns, listed, same := 0, 0, 0, true
	for region, err := range t.Root().Children().All() {
		if err != nil {
			return err
		}
		if region.Class() == tree.Sys {
			inSystem = region.Summary().Blocks
		}
		if region.Class() != tree.Seq {
			continue
		}
		for turn, err := range region.Children().All() {
			if err != nil {
				return err
			}
			n := len(next.turns)
			same = same && n < len(before.turns) && before.turns[n].digest == turn.Digest()
			inTurns += turn.Summary().Blocks
			next.turns = append(next.turns, listedTurn{turn.Digest(), inTurns})
			if same {
				listed = inTurns
			}
		}
	}
	known := map[string]listedKey{}
	for _, blocks := range [][]block{before.system, before.conversation[listed:]} {
		for i := range blocks {
			known[blocks[i].id] = listedKey{blocks[i].hash, blocks[i].key}
		}
	}
	next.conversation = before.conversation[:listed]
	for b, err := range t.Blocks(0) {
		if err == nil && b.Region != tree.Sys {
			break
		}
		if err == nil {
			next.system, err = next.add(ctx, next.system, t, b.Entry, b.Region, known)
		}
		if err != nil {
			return err
		}
	}
	for b, err := range t.Blocks(inSystem + listed) {
		if err == nil {
			next.conversation, err = next.add(ctx, next.conversation, t, b.Entry, b.Region, known)
		}
		if err != nil {
			return err
		}
	}
	*l = next
	return nil
}

// add adds a block of a tree to a list.
func (l *listing) add(ctx context.Context, list []block, t *tree.Tree, e *tree.Entry, region tree.Class,
	known map[string]listedKey) (_ []block, err error) {
	n := e.Node()
	parent, err := t.Parent(n.ID)
	if err != nil {
		return nil, err
	}
	b := block{id: n.ID, kind: n.Kind, offset: n.Offset, parent: parent, inHead: region == tree.Head,
		cycle: n.Cycle, answer: canon.Value(n.Header(attrAnswer))}
	b.role, _ = n.Header("role").Text()
	b.call, _ = n.Header(attrCall).Text()
	b.name, _ = n.Header(attrName).Text()
	if n.HashOK {
		b.hash = n.Hash
	}
	if k, ok := known[n.ID]; ok && n.HashOK && k.hash == n.Hash {
		b.key = k.key
	} else {
		b.key, err = l.keys.ofNode(ctx, n)
	}
	return append(list, b), err
}
