package tree

import (
	"context"
	"io"
	"sync/atomic"
)

// renderCache keeps the rendered blocks of sealed turns once they were asked
// for, each with a comma before it. What they belong to is immutable, so the
// bytes can never be stale.
type renderCache struct{ bytes atomic.Pointer[[]byte] }

// Sizes that rendering works with, in bytes.
const (
	cachedRun   = 256 << 10 // runs of turns up to here are kept as one piece, so that long threads are few pieces
	directWrite = 1 << 10   // pieces from here on are not collected first
	collected   = 4 << 10
)

// WriteThread writes the canonical thread: a JSON array with an object for each
// block; ^sys, the turns from the oldest to the newest, ^ah; inside a turn what
// comes before its core, the core, what comes after (02 §12.2, §12.3). It
// fails where w does or where content has to be read from a store and cannot.
// Cost: about that of copying the bytes, once the turns were rendered before.
func (t *Tree) WriteThread(ctx context.Context, w io.Writer) error {
	r := renderer{ctx: ctx, w: w, buf: make([]byte, 0, collected+directWrite)}
	r.buf = append(r.buf, '[')
	for region := range t.root.kids.All() {
		r.entry(region, region.class)
	}
	r.buf = append(r.buf, ']')
	r.flush()
	return r.err
}

// renderer collects small pieces and passes large ones on. With w nil it only
// collects, and every block gets a comma before it.
type renderer struct {
	ctx   context.Context
	w     io.Writer
	buf   []byte
	begun bool // whether the thread has a block already
	err   error
}

func (r *renderer) flush() {
	if r.err == nil && len(r.buf) > 0 {
		_, r.err = r.w.Write(r.buf)
	}
	r.buf = r.buf[:0]
}

// piece takes blocks with a comma before each.
func (r *renderer) piece(b []byte) {
	if !r.begun && r.w != nil {
		b = b[1:]
	}
	r.begun = true
	if r.w == nil || len(b) < directWrite {
		r.buf = append(r.buf, b...)
		if r.w != nil && len(r.buf) >= collected {
			r.flush()
		}
		return
	}
	r.flush()
	if r.err == nil {
		_, r.err = r.w.Write(b)
	}
}

// entry renders the blocks at and below e, which is in a region.
func (r *renderer) entry(e *Entry, region Class) {
	switch {
	case e.sum.Blocks == 0 || r.err != nil:
	case e.class == Seq:
		r.turns(e.kids, true)
	default:
		if e.class == Block {
			r.block(e.node, region)
		}
		for k := range e.kids.All() {
			r.entry(k, region)
		}
	}
}

func (r *renderer) block(n *Node, region Class) {
	if r.begun || r.w == nil {
		r.buf = append(r.buf, ',')
	}
	r.begun = true
	content, err := n.renderedContent(r.ctx)
	if err != nil {
		r.err = err
		return
	}
	r.buf = n.appendOpening(r.buf, region)
	for r.w != nil && len(r.buf)+len(content) >= collected { // a long content is not copied whole
		size := min(len(content), max(0, collected-len(r.buf)))
		r.buf, content = append(r.buf, content[:size]...), content[size:]
		r.flush()
	}
	r.buf = append(append(r.buf, content...), '}')
}

// turns renders a run of sealed turns: as one kept piece where it is short,
// else turn by turn. The last run of all, which the next commit replaces, is
// never kept as one: what is kept of its turns stays of use.
func (r *renderer) turns(l *List, last bool) {
	switch {
	case l == nil || l.sum.Blocks == 0 || r.err != nil:
		return
	case !last && l.sum.Bytes+int64(l.sum.Blocks) <= cachedRun:
		r.kept(&l.thread, l.sum, func(own *renderer) {
			for e := range l.All() {
				if done := e.thread.bytes.Swap(nil); done != nil { // one copy is enough
					own.piece(*done)
				} else {
					own.entry(e, Seq)
				}
			}
		})
		return
	}
	for i, e := range l.items {
		r.turns(l.runBefore(i), false)
		r.kept(&e.thread, e.sum, func(own *renderer) { own.entry(e, Seq) })
	}
	r.turns(l.runBefore(len(l.items)), last)
}

// kept renders something once and keeps it.
func (r *renderer) kept(c *renderCache, s Summary, render func(*renderer)) {
	if s.Blocks == 0 || r.err != nil {
		return
	}
	bytes := c.bytes.Load()
	if bytes == nil {
		own := renderer{ctx: r.ctx, buf: make([]byte, 0, s.Bytes+int64(s.Blocks))}
		if render(&own); own.err != nil {
			r.err = own.err
			return
		}
		bytes = &own.buf
		c.bytes.Store(bytes)
	}
	r.piece(*bytes)
}

// ThreadSize returns how many blocks the canonical thread has and how many
// bytes, brackets and commas included. Cost: none, it is summed in the tree.
func (t *Tree) ThreadSize() (blocks int, bytes int64) { return t.ThreadPrefix(t.root.sum.Blocks) }

// ThreadPrefix returns the size in bytes of the first n blocks of the thread
// with their commas and the opening bracket, the closing one as well when n is
// all there is. Cost: O(depth · log n).
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
	for i := 0; i <= len(l.items) && *left > 0; i++ {
		b, r := l.runBefore(i).prefix(left)
		bytes, roleless = bytes+b, roleless+r
		if i < len(l.items) && *left > 0 {
			b, r = l.items[i].prefix(left)
			bytes, roleless = bytes+b, roleless+r
		}
	}
	return bytes, roleless
}

// BlocksFrom calls f for the blocks of the thread from the n-th on, counted
// from 0, with the region they are in, until f returns false.
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
