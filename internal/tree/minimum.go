package tree

import (
	"cmp"
	"context"
	"iter"
)

// Minimum finds the item of a list whose node comes first in an order of its own. Like a
// [Measure] it keeps answers in the tree: trees that share structure share them, and the
// next answer costs what changed.
type Minimum struct {
	Name string // the tree keeps answers under it: two with one name must be the same
	// Of returns the node that an item offers, its own or one below it; nil for none. It
	// must depend only on the item and on what is below it.
	Of   func(ctx context.Context, e *Entry) (*Node, error)
	Less func(a, b *Node) (bool, error)
}

// At returns the node that an entry offers, nil if it offers none. It fails if Of or Less does.
// Cost: that of Of, once for each entry.
func (f *Minimum) At(ctx context.Context, e *Entry) (*Node, error) {
	if known := e.measured.get(f.Name); known != nil {
		return known.node, nil
	}
	n, err := f.Of(ctx, e)
	if err == nil {
		e.measured.put(sumOf{name: f.Name, node: n})
	}
	return n, err
}

// In returns the first node that the items of a list offer, nil if they offer none. It
// fails if Of or Less does. Cost: the items and runs that were not asked before.
func (f *Minimum) In(ctx context.Context, l *List) (first *Node, err error) {
	if l == nil {
		return nil, nil
	}
	if known := l.measured.get(f.Name); known != nil {
		return known.node, nil
	}
	in, err := l.openFor(ctx)
	if err != nil {
		return nil, err
	}
	for i := range len(in.items) + 1 {
		n, err := f.In(ctx, in.runBefore(i))
		if err == nil {
			first, err = f.firstOf(first, n)
		}
		if err == nil && i < len(in.items) {
			if n, err = f.At(ctx, in.items[i]); err == nil {
				first, err = f.firstOf(first, n)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	l.measured.put(sumOf{name: f.Name, node: first})
	return first, nil
}

// Items yields the items of a list that offer a node which is wanted, in canonical order. It skips a run if the first
// node of all its items is not wanted. It fails as In does.
func (f *Minimum) Items(ctx context.Context, l *List, wanted func(*Node) bool) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) { f.items(ctx, l, wanted, yield) }
}

func (f *Minimum) items(ctx context.Context, l *List, wanted func(*Node) bool, yield func(*Entry, error) bool) bool {
	first, err := f.In(ctx, l)
	if err == nil && (first == nil || !wanted(first)) {
		return true
	}
	var in *listBody
	if err == nil {
		in, err = l.openFor(ctx)
	}
	if err != nil {
		yield(nil, err)
		return false
	}
	for i, item := range in.items {
		if !f.items(ctx, in.runBefore(i), wanted, yield) {
			return false
		}
		if n, err := f.At(ctx, item); (err != nil || n != nil && wanted(n)) && !yield(item, err) {
			return false
		}
	}
	return f.items(ctx, in.runBefore(len(in.items)), wanted, yield)
}

// firstOf returns the first of two nodes, either of which may be nil.
func (f *Minimum) firstOf(a, b *Node) (*Node, error) {
	if a == nil || b == nil {
		return cmp.Or(a, b), nil
	}
	if less, err := f.Less(b, a); less || err != nil {
		return b, err
	}
	return a, nil
}
