package tree

// ThreadRange returns the bytes of the canonical thread that a node takes: for a block
// those of its object, for any other node those from the first object below it to the
// last, with the commas between them. If no block is below the node, the range is empty
// and lies where one would follow. ok reports whether the tree has the node. ThreadRange
// renders nothing. Cost: O(depth · log n).
func (t *Tree) ThreadRange(id string) (start, end int64, ok bool) {
	first, blocks, ok := t.ThreadPlace(id)
	if !ok {
		return 0, 0, false
	}
	start = t.openPrefix(first)
	end = t.openPrefix(first + blocks)
	if blocks > 0 && first > 0 {
		start++ // the comma
	}
	return start, end, true
}

// ThreadPlace returns how many blocks of the thread come before a node and how
// many are at and below it. Cost: O(depth · log n).
func (t *Tree) ThreadPlace(id string) (before, blocks int, ok bool) {
	path := t.Path(id)
	if path == nil {
		return 0, 0, false
	}
	for i, e := range path[1:] {
		if path[i].class == Block { // a type of block that has children stands before them
			before++
		}
		before += path[i].kids.blocksBefore(e)
	}
	return before, path[len(path)-1].sum.Blocks, true
}

// openPrefix returns the size of the first n blocks with the opening bracket and without
// the closing one.
func (t *Tree) openPrefix(n int) int64 {
	_, size := t.ThreadPrefix(n)
	if n == t.root.sum.Blocks {
		size--
	}
	return size
}

// blocksBefore returns how many blocks stand before e, which the list must hold.
func (l *List) blocksBefore(e *Entry) int {
	n := 0
	for l != nil {
		in := l.open()
		i := in.find(e)
		for k := range i {
			n += in.runBefore(k).blocks() + in.items[k].sum.Blocks
		}
		if in.has(i, e.node.ID) {
			return n + in.runBefore(i).blocks()
		}
		l = in.runBefore(i)
	}
	return n
}

func (l *List) blocks() int {
	if l == nil {
		return 0
	}
	return l.sum.Blocks
}
