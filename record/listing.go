package record

import (
	"context"
	"slices"

	"github.com/contexttree/pact/internal/tree"
)

// listing has the blocks of a tree in thread order. It goes with a recording from tree to tree, and reads only
// changed blocks again.
type listing struct {
	of                   *tree.Tree // nil before the first
	system, conversation []block
	keys                 keyer
	stays                int // how many blocks of the conversation were there when somebody last set this to their number
	bare                 int // how many of the first blocks of the conversation have no details
}

// listedKey is the key of a block with the hash of the content that it was made from: a block can
// change and keep its id.
type listedKey struct {
	hash tree.Digest
	key  key
}

// again returns a list for a recording that begins as this one does: what both have it does not read again.
func (l *listing) again() listing {
	next := *l
	next.system, next.conversation, next.keys = slices.Clone(l.system), slices.Clone(l.conversation), nil
	return next
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
	if listed > 0 && before.bare >= listed { // of a fork from an early cycle: what stands before the active head has details
		listed--
	}
	inSystem := t.Region(tree.Sys).Summary().Blocks
	next.stays, next.bare = min(before.stays, listed), min(before.bare, listed)
	known := map[string]listedKey{}
	for _, blocks := range [][]block{before.system, before.conversation[max(listed, before.bare):]} {
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
	b := block{}
	if b.details, err = detailsOf(t, n, region); err != nil {
		return nil, err
	}
	if k, ok := known[n.ID]; ok && n.HashOK && k.hash == n.Hash {
		b.key = k.key
	} else {
		b.key, err = l.keys.ofNode(ctx, n)
	}
	return append(list, b), err
}

func detailsOf(t *tree.Tree, n *tree.Node, region tree.Class) (*details, error) {
	parent, err := t.Parent(n.ID)
	d := &details{id: n.ID, kind: n.Kind, offset: n.Offset, parent: parent, inHead: region == tree.Head, cycle: n.Cycle,
		erased: n.Erased(), answer: n.Header(attrAnswer)}
	d.role, _ = n.Header("role").Text()
	d.call, _ = n.Header(attrCall).Text()
	d.name, _ = n.Header(attrName).Text()
	if n.HashOK {
		d.hash = n.Hash
	}
	return d, err
}

// atHand is how many of the last blocks of a conversation keep their details: a request that goes on with it changes
// nothing before them.
const atHand = 64

// leaveDetails leaves the details of blocks in the tree, until [listing.whole]: not of the last ones, nor of the active head and the
// block before it, where whoever looks for its beginning stops.
func (l *listing) leaveDetails() {
	for ; l.bare < len(l.conversation)-atHand && !l.conversation[l.bare+1].inHead; l.bare++ {
		l.conversation[l.bare].details = nil
	}
}

// whole reads the details again that rest left in the tree. Cost: these blocks.
func (l *listing) whole() error {
	if l.bare == 0 {
		return nil
	}
	i := 0
	for b, err := range l.of.Blocks(l.of.Region(tree.Sys).Summary().Blocks) {
		if i == l.bare {
			break
		}
		if err == nil {
			l.conversation[i].details, err = detailsOf(l.of, b.Node(), b.Region)
		}
		if err != nil {
			return err
		}
		i++
	}
	l.bare = 0
	return nil
}

// suffices reports whether a request changes the conversation at blocks alone that have their details, and has no result
// whose call may be among the others.
func (l *listing) suffices(q *request) bool {
	first := q.blocks
	for first < min(len(l.conversation), len(q.conversation)) && l.conversation[first].key == q.conversation[first].key {
		first++
	}
	return l.bare == 0 || first > l.bare && !slices.ContainsFunc(q.conversation[first:], func(result block) bool {
		called := func(b block) bool { return b.kind == "call" && b.call == result.call }
		return result.kind == "result" && result.call != "" && !slices.ContainsFunc(l.conversation[l.bare:], called) &&
			!slices.ContainsFunc(q.conversation[first:], called)
	})
}
