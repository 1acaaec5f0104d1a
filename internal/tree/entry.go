package tree

import (
	"context"
	"crypto/sha256"
	"iter"
	"sync/atomic"
)

// Entry is a node in its place: the node, its class there, and its children. Entries are
// immutable, and snapshots share them.
type Entry struct {
	node     *Node
	kids     *List
	class    Class
	sum      Summary
	digest   Digest
	rendered atomic.Pointer[rendered] // what a form wrote last of a turn
	measured sums
}

// Node returns the node. It must not be changed.
//
// Specification: 01 §5, 02 §3, 02 §3.2, 06 §2, 06 §2.1, 06 §2.2.
func (e *Entry) Node() *Node { return e.node }

// Class returns the class of the node in this place.
func (e *Entry) Class() Class { return e.class }

func (e *Entry) shape() Shape {
	if e.kids != nil {
		return Shape(e.class) | inner
	}
	return Shape(e.class)
}

// Children returns the children in canonical order.
func (e *Entry) Children() *List { return e.kids }

// Summary returns the sum over the node and everything below it.
func (e *Entry) Summary() *Summary { return &e.sum }

// Digest returns a hash of every header and content at and below the entry.
func (e *Entry) Digest() Digest { return e.digest }

func newEntry(n *Node, c Class, kids *List) *Entry {
	e := &Entry{node: n, class: c, kids: kids, sum: summaryOf(n, c), digest: n.digest}
	if kids != nil {
		e.sum.add(&kids.sum)
		var room [1 + 2*len(e.digest)]byte
		e.digest = sha256.Sum256(append(append(append(room[:0], ofEntry), n.digest[:]...), kids.digest[:]...))
	}
	return e
}

// entryLess is the order of siblings: regions in their fixed order and before anything else,
// then the canonical order (02 §4.3).
func entryLess(a, b *Entry) bool {
	if a.class != b.class && (a.class.Region() || b.class.Region()) {
		return a.class < b.class
	}
	return Less(a.node, b.node)
}

// Core returns the explicit core of a turn or of the active head: its container at offset
// 0. It returns nil for an elided core.
func (e *Entry) Core() *Entry {
	if e.kids == nil {
		return nil
	}
	return e.kids.core
}

// HasOwnCoreBlocks reports whether the entry has blocks at offset 0, which together are an
// elided core.
func (e *Entry) HasOwnCoreBlocks() (bool, error) {
	for k, err := range e.zone(0, 0) {
		if err != nil || k.class != Container {
			return err == nil, err
		}
	}
	return false, nil
}

// zone yields the children whose offset is between lo and hi.
func (e *Entry) zone(lo, hi int64) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		from, err := e.kids.rankOfOffset(lo)
		if err != nil {
			yield(nil, err)
			return
		}
		e.kids.visit(context.Background(), from, e.kids.Len(), nil, func(k *Entry, err error) bool {
			return (err != nil || k.node.Offset <= hi) && yield(k, err)
		})
	}
}

// rankOfOffset returns the number of items before the first item with this offset or a
// higher one.
func (l *List) rankOfOffset(offset int64) (int, error) {
	rank := 0
	for l != nil {
		in, err := l.open()
		if err != nil {
			return 0, err
		}
		i := 0
		for i < len(in.items) && in.items[i].node.Offset < offset {
			rank += in.runBefore(i).Len() + 1
			i++
		}
		l = in.runBefore(i)
	}
	return rank, nil
}

// Detached returns an entry that is in no tree, to test it against a filter.
func Detached(n *Node, c Class) *Entry { return &Entry{node: n, class: c, sum: Summary{Expiry: Never}} }

// Rank returns the number of items before e, which must be in the list.
func (l *List) Rank(e *Entry) (int, error) {
	rank, _, err := l.countBefore(e)
	return rank, err
}

// countBefore returns the number of items before e, which must be in the list, and of blocks at and below these.
func (l *List) countBefore(e *Entry) (items, blocks int, err error) {
	add := func(run *List) {
		if run != nil {
			items, blocks = items+run.count, blocks+run.sum.Blocks
		}
	}
	for l != nil {
		in, err := l.open()
		if err != nil {
			return 0, 0, err
		}
		i := in.find(e)
		for k := range i {
			add(in.runBefore(k))
			items, blocks = items+1, blocks+in.items[k].sum.Blocks
		}
		if l = in.runBefore(i); in.has(i, e.node.ID) {
			add(l)
			break
		}
	}
	return items, blocks, nil
}
