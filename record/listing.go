package record

import (
	"context"

	"github.com/contexttree/pact/internal/tree"
)

// listing has the blocks of a tree in thread order. It goes with a recording from tree to tree, and reads only
// changed blocks again.
type listing struct {
	of                   *tree.Tree // nil before the first
	system, conversation []block
	keys                 keyer
	stays                int // how many blocks of the conversation were there when somebody last set this to their number
}

// listedKey is the key of a block with the hash of the content that it was made from: a block can
// change and keep its id.
type listedKey struct {
	hash tree.Digest
	key  key
}

// update lists a tree. It uses the memory of the blocks that were listed before. Cost: ^sys, and the blocks behind
// those with which ^seq of the tree before began too.
func (l *listing) update(ctx context.Context, t *tree.Tree) (err error) {
	if l.of == t {
		return nil
	}
	before := *l
	*l = listing{keys: before.keys} // nothing is listed if reading fails
	next := listing{of: t, system: before.system[:0], keys: before.keys}
	listed := 0
	if before.of != nil {
		if listed, err = tree.SealedBlocks(before.of, t); err != nil {
			return err
		}
	}
	inSystem := t.Region(tree.Sys).Summary().Blocks
	next.stays = min(before.stays, listed)
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
		cycle: n.Cycle, answer: n.Header(attrAnswer)}
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
