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
		b, roleless, err := region.prefix(&left)
		if err != nil {
			return 0, 0, err
		}
		bytes += b + int64(roleless*RoleBytes(region.class))
	}
	bytes += 1 + int64(max(0, n-1))
	if n == t.root.sum.Blocks {
		bytes++
	}
	return n, bytes, nil
}

// prefix sums the first *left blocks at and below e and takes them off *left.
func (e *Entry) prefix(left *int) (bytes int64, roleless int, err error) {
	if e.sum.Blocks <= *left {
		*left -= e.sum.Blocks
		return e.sum.Bytes, e.sum.Roleless, nil
	}
	if *left == 0 {
		return 0, 0, nil
	}
	return e.kids.prefix(left)
}

func (l *List) prefix(left *int) (bytes int64, roleless int, err error) {
	if l == nil || *left == 0 {
		return 0, 0, nil
	}
	if l.sum.Blocks <= *left {
		*left -= l.sum.Blocks
		return l.sum.Bytes, l.sum.Roleless, nil
	}
	in, err := l.open()
	if err != nil {
		return 0, 0, err
	}
	for i := 0; i <= len(in.items) && *left > 0; i++ {
		b, r, err := in.runBefore(i).prefix(left)
		if err != nil {
			return 0, 0, err
		}
		bytes, roleless = bytes+b, roleless+r
		if i < len(in.items) && *left > 0 {
			if b, r, err = in.items[i].prefix(left); err != nil {
				return 0, 0, err
			}
			bytes, roleless = bytes+b, roleless+r
		}
	}
	return bytes, roleless, nil
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
