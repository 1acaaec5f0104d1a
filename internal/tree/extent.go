package tree

// ThreadSize returns the number of blocks of the canonical thread, and of bytes with
// brackets and commas. Cost: O(1), because the tree keeps the sums.
func (t *Tree) ThreadSize() (blocks int, bytes int64) { return t.ThreadPrefix(t.root.sum.Blocks) }

// ThreadPrefix returns the size in bytes of the first n blocks of the thread with the
// opening bracket and their commas; if these are all blocks, also with the closing bracket.
// Cost: O(depth · log n).
func (t *Tree) ThreadPrefix(n int) (blocks int, bytes int64) {
	n = min(n, t.root.sum.Blocks)
	left := n
	for region := range t.root.kids.All() {
		b, roleless := region.prefix(&left)
		bytes += b + int64(roleless*RoleBytes(region.class))
	}
	bytes += 1 + int64(max(0, n-1))
	if n == t.root.sum.Blocks {
		bytes++
	}
	return n, bytes
}

// prefix sums the first *left blocks at and below e and takes them off *left.
func (e *Entry) prefix(left *int) (bytes int64, roleless int) {
	if e.sum.Blocks <= *left {
		*left -= e.sum.Blocks
		return e.sum.Bytes, e.sum.Roleless
	}
	if *left == 0 {
		return 0, 0
	}
	return e.kids.prefix(left)
}

func (l *List) prefix(left *int) (bytes int64, roleless int) {
	if l == nil || *left == 0 {
		return 0, 0
	}
	if l.sum.Blocks <= *left {
		*left -= l.sum.Blocks
		return l.sum.Bytes, l.sum.Roleless
	}
	in := l.open()
	for i := 0; i <= len(in.items) && *left > 0; i++ {
		b, r := in.runBefore(i).prefix(left)
		bytes, roleless = bytes+b, roleless+r
		if i < len(in.items) && *left > 0 {
			b, r = in.items[i].prefix(left)
			bytes, roleless = bytes+b, roleless+r
		}
	}
	return bytes, roleless
}

// BlocksFrom calls f for each block of the thread from block n on, counted from 0, and its
// region, until f returns false.
func (t *Tree) BlocksFrom(n int, f func(e *Entry, region Class) bool) {
	for region := range t.root.kids.All() {
		if !region.blocksFrom(&n, region.class, f) {
			return
		}
	}
}

func (e *Entry) blocksFrom(skip *int, region Class, f func(*Entry, Class) bool) bool {
	if e.sum.Blocks <= *skip {
		*skip -= e.sum.Blocks
		return true
	}
	if e.class == Block && !f(e, region) {
		return false
	}
	return e.kids.Visit(0, e.kids.Len(), func(s *Summary) bool {
		if s.Blocks <= *skip {
			*skip -= s.Blocks
			return false
		}
		return true
	}, func(k *Entry) bool { return k.blocksFrom(skip, region, f) })
}
