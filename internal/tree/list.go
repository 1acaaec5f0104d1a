package tree

import (
	"context"
	"crypto/sha256"
	"math/bits"
	"sort"
)

// List holds the children of a node in canonical order. It is an immutable search tree
// whose shape depends only on its contents. A hash of its id gives each item a level; one
// item in sixteen reaches the next level. An item of level n separates the runs of lower
// items around it. So equal children give equal lists with equal digests, whatever edits
// and reloads led to them, and a change copies one path. Cost: insert, remove, replace and
// rank are O(log n); Visit skips what its caller does not want. A nil List is empty.
type List struct {
	body     listBody   // empty in a stub: open returns what is inside
	loader   *runLoader // nil in a list that is in memory
	level    uint8
	classes  uint8 // classes of the items, one bit each
	count    int   // direct items, here and below
	sum      Summary
	digest   Digest
	core     *Entry // the first container at offset 0: of the children of a turn its core
	proven   proofCache
	measured sums
}

// listBody holds the items and runs of a list.
type listBody struct {
	items  []*Entry // the items of this level, in order
	below  []*List  // the lower runs around them, len(items)+1; nil at level 0
	shapes uint64   // of the first items, four bits each
}

// open returns what is inside a list. It loads a stub, and fails if it cannot.
func (l *List) open() (*listBody, error) { return l.openFor(context.Background()) }

// openFor is open for a call that can be canceled.
func (l *List) openFor(ctx context.Context) (*listBody, error) {
	if l.loader != nil {
		return l.loader.open(ctx, l)
	}
	return &l.body, nil
}

// levelOf returns the level of an id: how many times four zero bits end its hash.
func levelOf(id string) uint8 { return uint8(bits.TrailingZeros64(stableHash(id)|1<<60) / 4) }

// Len returns the number of items.
func (l *List) Len() int {
	if l == nil {
		return 0
	}
	return l.count
}

// Level returns the level of the items of a list that has some; the runs between them are of lower levels.
func (l *List) Level() uint8 { return l.level }

// Summary returns the sum over the items and everything below them, which nobody changes.
func (l *List) Summary() *Summary {
	if l == nil {
		return &ofNothing
	}
	return &l.sum
}

var ofNothing = Summary{Expiry: Never}

func newList(level uint8, items []*Entry, below []*List) *List {
	if len(items) == 0 {
		if len(below) == 0 {
			return nil
		}
		return below[0]
	}
	return new(List).fill(level, items, below)
}

// listWithRoom returns an empty list and room for its items, in one allocation if they
// are few: each edit makes a handful of short lists.
func listWithRoom(items int) (*List, []*Entry) {
	switch {
	case items <= 3:
		of := new(struct {
			List
			room [3]*Entry
		})
		return &of.List, of.room[:0]
	case items <= 8:
		of := new(struct {
			List
			room [8]*Entry
		})
		return &of.List, of.room[:0]
	}
	return new(List), make([]*Entry, 0, items)
}

// fill makes the empty list l hold items, of which there is at least one.
func (l *List) fill(level uint8, items []*Entry, below []*List) *List {
	l.body, l.level, l.count = listBody{items: items, below: below}, level, len(items)
	l.sum = Summary{Expiry: Never}
	h := sha256.New()
	of := ofList
	if below != nil {
		of = ofRuns
	}
	h.Write(firstBytes[of : of+1])
	var none Digest
	for i, e := range items {
		if below != nil {
			l.addRun(below[i])
			h.Write(below[i].sumOr(&none))
		}
		l.sum.add(&e.sum)
		l.classes |= 1 << e.class
		l.body.shapes |= uint64(e.shape()) << (4 * i) // shapes that find no room fall off
		if l.core == nil && e.class == Container && e.node.Offset == 0 {
			l.core = e
		}
		h.Write(e.digest[:])
	}
	if below != nil {
		l.addRun(below[len(items)])
		h.Write(below[len(items)].sumOr(&none))
	}
	h.Sum(l.digest[:0])
	return l
}

// addRun adds what a run of lower items holds to the sums of a list.
func (l *List) addRun(b *List) {
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
func listOf(items []*Entry) *List { return listAround(items, 0, nil) }

// listAround is listOf with runs between the items. The runs count turns from the
// beginning of the whole list; first is how many of these stand before items. If items
// and runs do not belong to one list, the digest shows it.
func listAround(items []*Entry, first int, runs []Between) *List {
	if len(items) == 0 {
		if len(runs) == 0 {
			return nil
		}
		return runs[0].Run
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
	part := func(end int) *List {
		n := 0
		for n < len(runs) && runs[n].Turns <= first+end {
			n++
		}
		own := runs[:n]
		runs = runs[n:]
		return listAround(items[start:end:end], first+start, own)
	}
	for i, e := range items {
		if e.node.level == top {
			at = append(at, e)
			below = append(below, part(i))
			start = i + 1
		}
	}
	return newList(top, at, append(below, part(len(items))))
}

// find returns the index of the first item of this level that is not before e.
func (in *listBody) find(e *Entry) int {
	return sort.Search(len(in.items), func(i int) bool { return !entryLess(in.items[i], e) })
}

// has reports whether item i has the id; i comes from find.
func (in *listBody) has(i int, id string) bool { return i < len(in.items) && in.items[i].node.ID == id }

// runBefore returns the run of lower items ahead of item i, or the last run.
func (in *listBody) runBefore(i int) *List {
	if in.below == nil {
		return nil
	}
	return in.below[i]
}
