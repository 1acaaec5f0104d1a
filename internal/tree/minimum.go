package tree

import (
	"context"
	"iter"
	"math"
)

// Minimum finds the items of a list with small numbers. Like a [Measure] it keeps answers in the tree: trees that share
// structure share them, and the next answer costs what changed.
type Minimum struct {
	Name string // the tree keeps answers under it: two with one name must be the same
	// Of returns the number of an item, [math.MaxInt64] for none. It must depend only on the item and on what is below it.
	Of func(ctx context.Context, e *Entry) (int64, error)
}

// at returns the number of an item. Cost: that of Of, once for each entry.
func (f *Minimum) at(ctx context.Context, e *Entry) (int64, error) {
	if known := e.measured.get(f.Name); known != nil {
		return known.sum, nil
	}
	n, err := f.Of(ctx, e)
	if err == nil {
		e.measured.put(sumOf{name: f.Name, sum: n})
	}
	return n, err
}

// in returns the least number of the items of a list. Cost: the items and runs that were not asked before.
func (f *Minimum) in(ctx context.Context, l *List) (least int64, err error) {
	if l == nil {
		return math.MaxInt64, nil
	}
	if known := l.measured.get(f.Name); known != nil {
		return known.sum, nil
	}
	in, err := l.openFor(ctx)
	if err != nil {
		return 0, err
	}
	least = math.MaxInt64
	for i := range len(in.items) + 1 {
		n, err := f.in(ctx, in.runBefore(i))
		if least = min(least, n); err == nil && i < len(in.items) {
			n, err = f.at(ctx, in.items[i])
			least = min(least, n)
		}
		if err != nil {
			return 0, err
		}
	}
	l.measured.put(sumOf{name: f.Name, sum: least})
	return least, nil
}

// Items yields the items of a list whose number is at most most, in canonical order. It looks into no run without one.
// It fails if Of does.
func (f *Minimum) Items(ctx context.Context, l *List, most int64) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) { f.items(ctx, l, most, yield) }
}

func (f *Minimum) items(ctx context.Context, l *List, most int64, yield func(*Entry, error) bool) bool {
	least, err := f.in(ctx, l)
	if err == nil && least > most || l == nil {
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
		if !f.items(ctx, in.runBefore(i), most, yield) {
			return false
		}
		if n, err := f.at(ctx, item); (err != nil || n <= most) && !yield(item, err) {
			return false
		}
	}
	return f.items(ctx, in.runBefore(len(in.items)), most, yield)
}
