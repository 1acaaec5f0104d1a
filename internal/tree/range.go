package tree

// ThreadRange returns the bytes of the canonical thread that a node takes: for a block
// those of its object, for any other node those from the first object below it to the
// last, with the commas between them. If no block is below the node, the range is empty
// and lies where one would follow. ok reports whether the tree has the node. ThreadRange
// renders nothing. Cost: O(depth · log n).
func (t *Tree) ThreadRange(id string) (start, end int64, ok bool, err error) {
	first, blocks, ok, err := t.ThreadPlace(id)
	if err != nil || !ok {
		return 0, 0, false, err
	}
	if start, err = t.OpenPrefix(first); err != nil {
		return 0, 0, false, err
	}
	if end, err = t.OpenPrefix(first + blocks); err != nil {
		return 0, 0, false, err
	}
	if blocks > 0 && first > 0 {
		start++ // the comma
	}
	return start, end, true, nil
}

// ThreadPlace returns how many blocks of the thread come before a node and how
// many are at and below it. Cost: O(depth · log n).
func (t *Tree) ThreadPlace(id string) (before, blocks int, ok bool, err error) {
	path, err := t.Path(id)
	if err != nil {
		return 0, 0, false, err
	}
	if path == nil {
		return 0, 0, false, nil
	}
	for i, e := range path[1:] {
		if path[i].class == Block { // a type of block that has children stands before them
			before++
		}
		_, n, err := path[i].kids.countBefore(e)
		if err != nil {
			return 0, 0, false, err
		}
		before += n
	}
	return before, path[len(path)-1].sum.Blocks, true, nil
}

// OpenPrefix returns the size of the first n blocks of the thread with the opening bracket and without the closing one: what a
// longer thread can repeat of it. Cost: that of [Tree.ThreadPrefix].
func (t *Tree) OpenPrefix(n int) (int64, error) {
	_, size, err := t.ThreadPrefix(n)
	if err != nil {
		return 0, err
	}
	if n >= t.root.sum.Blocks {
		size--
	}
	return size, nil
}
