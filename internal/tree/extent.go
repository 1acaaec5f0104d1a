package tree

import (
	"context"
	"iter"
)

// ThreadSize returns the number of blocks of the canonical thread, and of bytes with
// brackets and commas. Cost: O(1), because the tree keeps the sums.
func (t *Tree) ThreadSize() (blocks int, bytes int64) {
	for region := range t.regions {
		bytes += region.sum.Bytes + int64(region.sum.Roleless*RoleBytes(region.class))
	}
	blocks = t.root.sum.Blocks
	return blocks, bytes + 2 + int64(max(0, blocks-1))
}

// ThreadPrefix returns the size in bytes of the first n blocks of the thread with the
// opening bracket and their commas; if these are all blocks, also with the closing bracket.
// Cost: O(depth · log n).
func (t *Tree) ThreadPrefix(n int) (blocks int, bytes int64, err error) {
	n = min(n, t.root.sum.Blocks)
	left := n
	for region := range t.regions {
		roleless := int64(RoleBytes(region.class))
		err := region.firstBlocks(context.Background(), &left, func(e *Entry, l *List) error {
			if e != nil {
				bytes += e.sum.Bytes + int64(e.sum.Roleless)*roleless
			} else {
				bytes += l.sum.Bytes + int64(l.sum.Roleless)*roleless
			}
			return nil
		})
		if err != nil {
			return 0, 0, err
		}
	}
	bytes += 1 + int64(max(0, n-1))
	if n == t.root.sum.Blocks {
		bytes++
	}
	return n, bytes, nil
}

// firstBlocks calls f with the parts that the first *left blocks at and below e divide into, an entry with all below it
// or a run of children, and takes them off *left. Cost: O(depth · log n) calls.
func (e *Entry) firstBlocks(ctx context.Context, left *int, f func(*Entry, *List) error) error {
	if e.sum.Blocks <= *left {
		*left -= e.sum.Blocks
		return f(e, nil)
	}
	return e.kids.firstBlocks(ctx, left, f)
}

func (l *List) firstBlocks(ctx context.Context, left *int, f func(*Entry, *List) error) error {
	if l == nil || *left == 0 {
		return nil
	}
	if l.sum.Blocks <= *left {
		*left -= l.sum.Blocks
		return f(nil, l)
	}
	in, err := l.openFor(ctx)
	for i := 0; err == nil && i <= len(in.items) && *left > 0; i++ {
		err = in.runBefore(i).firstBlocks(ctx, left, f)
		if err == nil && i < len(in.items) && *left > 0 {
			err = in.items[i].firstBlocks(ctx, left, f)
		}
	}
	return err
}

// ThreadBlock is a block of the thread and the region that it is in.
type ThreadBlock struct {
	*Entry
	Region Class
}

// Blocks yields the blocks of the thread from block n on, counted from 0. If one cannot be loaded, it
// yields that error and ends.
func (t *Tree) Blocks(n int) iter.Seq2[ThreadBlock, error] {
	return func(yield func(ThreadBlock, error) bool) {
		for region := range t.regions {
			if !region.blocks(&n, region.class, yield) {
				return
			}
		}
	}
}

func (e *Entry) blocks(skip *int, region Class, yield func(ThreadBlock, error) bool) (more bool) {
	if e.sum.Blocks <= *skip {
		*skip -= e.sum.Blocks
		return true
	}
	if e.class == Block && !yield(ThreadBlock{e, region}, nil) {
		return false
	}
	return e.kids.visit(context.Background(), 0, e.kids.Len(), func(s *Summary) bool {
		if s.Blocks <= *skip {
			*skip -= s.Blocks
			return false
		}
		return true
	}, func(k *Entry, err error) bool {
		if err != nil {
			yield(ThreadBlock{}, err)
			return false
		}
		return k.blocks(skip, region, yield)
	})
}
