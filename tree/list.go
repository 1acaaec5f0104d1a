package tree

import (
	"crypto/sha256"
	"iter"
	"math/bits"
	"sort"
)

// List is the children of a node in canonical order: an immutable search tree
// whose shape depends on its contents alone. Each item has a level taken from
// a hash of its id, one in sixteen reaching the next; an item of level n
// separates the runs of lower items around it. So equal children give equal
// lists, with equal digests, after any history of edits and any reload, and a
// change copies one path.
//
// Cost: insert, remove, replace and rank are O(log n); Visit skips what its
// caller does not want. A nil List is empty.
type List struct {
	items    []*Entry // the items of this level, in order
	below    []*List  // the lower runs around them, len(items)+1; nil at level 0
	shapes   uint64   // of the first items, four bits each
	level    uint8
	classes  uint8 // classes of the items, one bit each
	count    int   // direct items, here and below
	sum      Summary
	digest   Digest
	core     *Entry      // the first container at offset 0: of the children of a turn its core
	rendered renderCache // of a run of turns
	proven   proofCache
	measured sums
}

// levelOf is the level of an id: how many times four zero bits end its hash.
func levelOf(id string) uint8 { return uint8(bits.TrailingZeros64(hashOf(id)|1<<60) / 4) }

// Len is the number of items.
func (l *List) Len() int {
	if l == nil {
		return 0
	}
	return l.count
}

// Summary is the sum over the items and all below them.
func (l *List) Summary() Summary {
	if l == nil {
		return Summary{Expiry: Never}
	}
	return l.sum
}

// Sum is Summary without a copy, for a list that has items.
func (l *List) Sum() *Summary { return &l.sum }

func newList(level uint8, items []*Entry, below []*List) *List {
	if len(items) == 0 {
		if len(below) == 0 {
			return nil
		}
		return below[0]
	}
	l := &List{items: items, level: level, count: len(items), sum: Summary{Expiry: Never}}
	h := sha256.New()
	var none Digest
	for i, e := range items {
		if below != nil {
			l.take(below[i])
			h.Write(below[i].sumOr(&none))
		}
		l.sum.add(&e.sum)
		l.classes |= 1 << e.class
		l.shapes |= uint64(e.shape()) << (4 * i) // those that there is no room for fall off
		if l.core == nil && e.class == Container && e.node.Offset == 0 {
			l.core = e
		}
		h.Write(e.digest[:])
	}
	if below != nil {
		l.below = below
		l.take(below[len(items)])
		h.Write(below[len(items)].sumOr(&none))
	}
	h.Sum(l.digest[:0])
	return l
}

func (l *List) take(b *List) {
	if b != nil {
		l.count += b.count
		l.sum.add(&b.sum)
		l.classes |= b.classes
		if l.core == nil {
			l.core = b.core
		}
	}
}

func (l *List) sumOr(none *Digest) []byte {
	if l == nil {
		return none[:]
	}
	return l.digest[:]
}

// listOf builds a list of items in canonical order. Cost: O(n).
func listOf(items []*Entry) *List {
	if len(items) == 0 {
		return nil
	}
	top := uint8(0)
	for _, e := range items {
		top = max(top, e.node.level)
	}
	if top == 0 {
		return newList(0, items, nil)
	}
	var at []*Entry
	var below []*List
	start := 0
	for i, e := range items {
		if e.node.level == top {
			at = append(at, e)
			below = append(below, listOf(items[start:i:i]))
			start = i + 1
		}
	}
	return newList(top, at, append(below, listOf(items[start:])))
}

// find returns the index of the first item of this level that is not before e.
func (l *List) find(e *Entry) int {
	return sort.Search(len(l.items), func(i int) bool { return !before(l.items[i], e) })
}

// runBefore returns the run of lower items ahead of item i, or the last run.
func (l *List) runBefore(i int) *List {
	if l.below == nil {
		return nil
	}
	return l.below[i]
}

func (l *List) insert(e *Entry) *List {
	if l == nil {
		return newList(e.node.level, []*Entry{e}, pair(e.node.level, nil, nil))
	}
	switch level := e.node.level; {
	case level > l.level:
		left, right := l.split(e)
		return newList(level, []*Entry{e}, pair(level, left, right))
	case level < l.level:
		i := l.find(e)
		return newList(l.level, l.items, replaced(l.below, i, l.below[i].insert(e)))
	default:
		i := l.find(e)
		items := make([]*Entry, 0, len(l.items)+1)
		items = append(append(append(items, l.items[:i]...), e), l.items[i:]...)
		if level == 0 {
			return newList(0, items, nil)
		}
		left, right := l.below[i].split(e)
		below := make([]*List, 0, len(l.below)+1)
		below = append(append(append(below, l.below[:i]...), left, right), l.below[i+1:]...)
		return newList(level, items, below)
	}
}

func pair(level uint8, left, right *List) []*List {
	if level == 0 {
		return nil
	}
	return []*List{left, right}
}

func replaced(lists []*List, i int, l *List) []*List {
	c := append([]*List(nil), lists...)
	c[i] = l
	return c
}

// split returns what is before e and what is after it.
func (l *List) split(e *Entry) (left, right *List) {
	if l == nil {
		return nil, nil
	}
	i := l.find(e)
	if l.level == 0 {
		return newList(0, l.items[:i:i], nil), newList(0, l.items[i:], nil)
	}
	a, b := l.below[i].split(e)
	left = newList(l.level, l.items[:i:i], append(append([]*List(nil), l.below[:i]...), a))
	right = newList(l.level, l.items[i:], append([]*List{b}, l.below[i+1:]...))
	return left, right
}

// remove returns l without e, which it must hold.
func (l *List) remove(e *Entry) *List {
	i := l.find(e)
	if i == len(l.items) || l.items[i].node.ID != e.node.ID {
		return newList(l.level, l.items, replaced(l.below, i, l.below[i].remove(e)))
	}
	items := append(append(make([]*Entry, 0, len(l.items)-1), l.items[:i]...), l.items[i+1:]...)
	if l.level == 0 {
		return newList(0, items, nil)
	}
	below := make([]*List, 0, len(l.below)-1)
	below = append(append(append(below, l.below[:i]...), joined(l.below[i], l.below[i+1])), l.below[i+2:]...)
	return newList(l.level, items, below)
}

// joined puts b after a.
func joined(a, b *List) *List {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.level > b.level:
		last := len(a.below) - 1
		return newList(a.level, a.items, replaced(a.below, last, joined(a.below[last], b)))
	case a.level < b.level:
		return newList(b.level, b.items, replaced(b.below, 0, joined(a, b.below[0])))
	}
	items := append(append([]*Entry(nil), a.items...), b.items...)
	if a.level == 0 {
		return newList(0, items, nil)
	}
	last := len(a.below) - 1
	below := append(append([]*List(nil), a.below[:last]...), joined(a.below[last], b.below[0]))
	return newList(a.level, items, append(below, b.below[1:]...))
}

// replace puts e where an entry with the same place in the order stands.
func (l *List) replace(e *Entry) *List {
	i := l.find(e)
	if i < len(l.items) && l.items[i].node.ID == e.node.ID {
		items := append([]*Entry(nil), l.items...)
		items[i] = e
		return newList(l.level, items, l.below)
	}
	return newList(l.level, l.items, replaced(l.below, i, l.below[i].replace(e)))
}

// get returns the item that has n's place in the order, nil without one.
func (l *List) get(n *Node) *Entry {
	probe := Entry{node: n}
	if c, _ := ClassOfType(n.Type); c.Region() {
		probe.class = c
	} else {
		probe.class = Block
	}
	for l != nil {
		i := l.find(&probe)
		if i < len(l.items) && l.items[i].node.ID == n.ID {
			return l.items[i]
		}
		l = l.runBefore(i)
	}
	return nil
}

// At returns the item of rank i, counted from 0. It panics when there is none,
// as an index out of range does.
func (l *List) At(i int) *Entry {
	for {
		k := 0
		for ; k < len(l.items); k++ {
			n := l.runBefore(k).Len()
			if i < n {
				break
			}
			if i == n {
				return l.items[k]
			}
			i -= n + 1
		}
		l = l.runBefore(k)
	}
}

// Classes returns the classes that the items have, one bit each, for a list that
// has items. Those below the items do not count.
func (l *List) Classes() uint8 { return l.classes }

// Deep reports whether any item of a list that has items has children.
func (l *List) Deep() bool { return l.sum.Nodes > l.count }

// Shape returns what item i of the top level is, for most lists without a look
// at the item.
func (l *List) Shape(i int) Shape {
	if i < 64/4 {
		return Shape(l.shapes >> (4 * i) & 15)
	}
	return l.items[i].shape()
}

// Parts returns the items of the top level and the runs around them, one more
// than items and some of them nil; no runs where all items are on one level.
// Neither slice may be changed.
func (l *List) Parts() (items []*Entry, runs []*List) { return l.items, l.below }

// All yields the items in canonical order.
func (l *List) All() iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) { l.Visit(0, l.Len(), nil, yield) }
}

// Visit calls f for the items of rank lo up to but without hi until f returns
// false. It passes over a whole run, without a look at its items, where enter
// is given and returns false for the run's summary. It reports whether it came
// to the end.
func (l *List) Visit(lo, hi int, enter func(*Summary) bool, f func(*Entry) bool) bool {
	if l == nil || lo >= l.count || hi <= 0 || enter != nil && !enter(&l.sum) {
		return true
	}
	for i, e := range l.items {
		if b := l.runBefore(i); b != nil {
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
	return l.runBefore(len(l.items)).Visit(lo, hi, enter, f)
}
