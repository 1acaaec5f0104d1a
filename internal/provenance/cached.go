package provenance

import (
	"context"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/tree"
)

// Weigh returns how much a snapshot is. It counts no tokens without a counter.
func Weigh(ctx context.Context, t *tree.Tree, counter tree.Counter) (w inspect.Weight, err error) {
	sum := t.Root().Summary()
	w = inspect.Weight{Nodes: sum.Blocks + sum.Containers, Turns: t.Region(tree.Seq).Children().Len()}
	w.Blocks, w.Bytes = t.ThreadSize()
	if counter != nil {
		w.Tokens, err = tree.Tokens(counter).Sum(ctx, t.Root())
	}
	return w, err
}

// Cached returns how much of the thread of the last snapshot the next one repeats without pruning and with it, and
// what pruning loses of that; its tokens if there is a counter.
func Cached(ctx context.Context, last, without, with *tree.Tree, counter tree.Counter) (*inspect.CachedPrefix, error) {
	before, err := SharedPrefix(ctx, last, without)
	if err != nil {
		return nil, err
	}
	after, err := SharedPrefix(ctx, last, with)
	if err != nil {
		return nil, err
	}
	lost := max(0, before.Bytes-after.Bytes) // if pruning takes all that is new, the closing bracket is shared too
	cached := &inspect.CachedPrefix{Without: before.Bytes, With: after.Bytes, LostBytes: lost, Shared: after}
	if before.Blocks > after.Blocks {
		for b, err := range with.Blocks(after.Blocks) {
			if err != nil {
				return nil, err
			}
			if b.Node().Kind != "thinking" {
				continue
			}
			if has, err := last.Has(b.Node().ID); err != nil {
				return nil, err
			} else if has {
				cached.Reasoning++
			}
		}
	}
	if counter == nil {
		return cached, nil
	}
	return cached, countLost(ctx, cached, last, without, counter)
}

// countLost counts the tokens of the blocks that only the thread without pruning still
// shares with the last one.
func countLost(ctx context.Context, cached *inspect.CachedPrefix, last, without *tree.Tree,
	counter tree.Counter) error {
	n, err := tree.CommonBlocks(ctx, last, without)
	if err != nil || n <= cached.Shared.Blocks {
		return err
	}
	measure, left := tree.Tokens(counter), n-cached.Shared.Blocks
	for b, err := range last.Blocks(cached.Shared.Blocks) {
		if err != nil {
			return err
		}
		tokens, err := measure.Own(ctx, b.Entry)
		cached.LostTokens += tokens
		if left--; err != nil || left == 0 {
			return err
		}
	}
	return nil
}
