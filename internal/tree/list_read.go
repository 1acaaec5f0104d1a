package tree

import (
	"context"
	"iter"
)

// get returns the item that has n's place in the order, nil if there is none.
func (l *List) get(n *Node) (*Entry, error) {
	probe := Entry{node: n}
	if c, _ := ClassOfType(n.Type); c.Region() {
		probe.class = c
	} else {
		probe.class = Block
	}
	for l != nil {
		in, err := l.open()
		if err != nil {
			return nil, err
		}
		i := in.find(&probe)
		if in.has(i, n.ID) {
			return in.items[i], nil
		}
		l = in.runBefore(i)
	}
	return nil, nil
}

// At returns the item of rank i, counted from 0. It panics if there is none, as an index
// out of range does.
func (l *List) At(i int) (*Entry, error) {
	for {
		in, err := l.open()
		if err != nil {
			return nil, err
		}
		k := 0
		for ; k < len(in.items); k++ {
			n := in.runBefore(k).Len()
			if i < n {
				break
			}
			if i == n {
				return in.items[k], nil
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
func (l *List) Shape(i int) (Shape, error) {
	in, err := l.open()
	if err != nil {
		return 0, err
	}
	if i < 64/4 {
		return Shape(in.shapes >> (4 * i) & 15), nil
	}
	return in.items[i].shape(), nil
}

// Parts returns the items of the top level and the runs around them: one run more than
// items, and some runs nil; no runs if all items are on one level. The caller must not
// change the slices.
func (l *List) Parts() (items []*Entry, runs []*List, err error) {
	in, err := l.open()
	if err != nil {
		return nil, nil, err
	}
	return in.items, in.below, nil
}

// All yields the items in canonical order. If one cannot be loaded, it yields that error and ends.
func (l *List) All() iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) { l.visit(context.Background(), 0, l.Len(), nil, yield) }
}

// Visit yields the items of ranks lo to hi-1, as All does. If enter is not nil, Visit skips every run
// for whose summary enter returns false.
func (l *List) Visit(lo, hi int, enter func(*Summary) bool) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) { l.visit(context.Background(), lo, hi, enter, yield) }
}

// visit yields as Visit does, in a call that can be canceled, and reports whether it came to the end.
func (l *List) visit(ctx context.Context, lo, hi int, enter func(*Summary) bool, yield func(*Entry, error) bool) bool {
	if l == nil || lo >= l.count || hi <= 0 || enter != nil && !enter(&l.sum) {
		return true
	}
	in, err := l.openFor(ctx)
	if err != nil {
		yield(nil, err)
		return false
	}
	for i, e := range in.items {
		if b := in.runBefore(i); b != nil {
			if !b.visit(ctx, lo, hi, enter, yield) {
				return false
			}
			lo, hi = lo-b.count, hi-b.count
		}
		if hi <= 0 {
			return true
		}
		if lo <= 0 && !yield(e, nil) {
			return false
		}
		lo, hi = lo-1, hi-1
	}
	return in.runBefore(len(in.items)).visit(ctx, lo, hi, enter, yield)
}

// inMemory yields the items but for those in stubs, which are turns, and reports whether it came to
// the end.
func (l *List) inMemory(yield func(*Entry) bool) bool {
	if l == nil {
		return true
	}
	for i, e := range l.body.items {
		if !l.body.runBefore(i).inMemory(yield) || !yield(e) {
			return false
		}
	}
	return len(l.body.items) == 0 || l.body.runBefore(len(l.body.items)).inMemory(yield)
}
