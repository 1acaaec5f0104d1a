package tree

import "iter"

// get returns the item that has n's place in the order, nil if there is none.
func (l *List) get(n *Node) *Entry {
	probe := Entry{node: n}
	if c, _ := ClassOfType(n.Type); c.Region() {
		probe.class = c
	} else {
		probe.class = Block
	}
	for l != nil {
		in := l.open()
		i := in.find(&probe)
		if in.has(i, n.ID) {
			return in.items[i]
		}
		l = in.runBefore(i)
	}
	return nil
}

// At returns the item of rank i, counted from 0. It panics if there is none, as an index
// out of range does.
func (l *List) At(i int) *Entry {
	for {
		in, k := l.open(), 0
		for ; k < len(in.items); k++ {
			n := in.runBefore(k).Len()
			if i < n {
				break
			}
			if i == n {
				return in.items[k]
			}
			i -= n + 1
		}
		l = in.runBefore(k)
	}
}

// Classes returns the classes of the items, one bit each, for a list that has items. Nodes
// below the items are not included.
func (l *List) Classes() uint8 { return l.classes }

// Deep reports whether any item of a list that has items has children.
func (l *List) Deep() bool { return l.sum.Nodes > l.count }

// Shape returns the class of item i of the top level and whether it has children. For
// most lists it does not look at the item.
func (l *List) Shape(i int) Shape {
	in := l.open()
	if i < 64/4 {
		return Shape(in.shapes >> (4 * i) & 15)
	}
	return in.items[i].shape()
}

// Parts returns the items of the top level and the runs around them: one run more than
// items, and some runs nil; no runs if all items are on one level. The caller must not
// change the slices.
func (l *List) Parts() (items []*Entry, runs []*List) {
	in := l.open()
	return in.items, in.below
}

// All yields the items in canonical order.
func (l *List) All() iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) { l.Visit(0, l.Len(), nil, yield) }
}

// Visit calls f for the items of ranks lo to hi-1 until f returns false. If enter is not
// nil, Visit skips every run for whose summary enter returns false. It reports whether it
// came to the end.
func (l *List) Visit(lo, hi int, enter func(*Summary) bool, f func(*Entry) bool) bool {
	if l == nil || lo >= l.count || hi <= 0 || enter != nil && !enter(&l.sum) {
		return true
	}
	in := l.open()
	for i, e := range in.items {
		if b := in.runBefore(i); b != nil {
			if !b.Visit(lo, hi, enter, f) {
				return false
			}
			lo, hi = lo-b.count, hi-b.count
		}
		if hi <= 0 {
			return true
		}
		if lo <= 0 && !f(e) {
			return false
		}
		lo, hi = lo-1, hi-1
	}
	return in.runBefore(len(in.items)).Visit(lo, hi, enter, f)
}
