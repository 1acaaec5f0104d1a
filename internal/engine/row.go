package engine

import (
	"context"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

// place says where a content is: it was the number-th content of a revision. A join moves the
// content and keeps its place.
type place struct{ revision, number int64 }

func (p place) less(o place) bool {
	return p.revision < o.revision || p.revision == o.revision && p.number < o.number
}

// row is a node as a record or a page of a checkpoint holds it.
type row struct {
	id         string
	parent     string     // id; "" for the root of a tree, and for a turn at the top of a run
	moved      bool       // the node is as it was, under another parent
	fresh      bool       // there was no node with this id
	hasContent bool       // its content stands in the same record or segment
	head       nodeHeader // unless it was moved
	node       *tree.Node // of a row that is not decoded
	size       int        // of its content
	hash       *tree.Digest
	inline     string // the content, if the row has it itself
	at         place  // of the content, if it is elsewhere
}

// nodeHeader is a node without its content, as it is written: rows that are decoded and kept hold nothing that can
// be made from it.
type nodeHeader struct {
	kind                                            string // nodeType
	offset, priority, cycle, created, index, expiry int64
	iso                                             string
	headers                                         []tree.Header
	bare                                            bool // of edition 1.0
}

func headerOf(n *tree.Node) nodeHeader {
	return nodeHeader{n.Type, n.Offset, n.Priority, n.Cycle, n.CreatedNS, n.Index, n.Expiry, n.ForeignISO, n.Headers, n.Bare}
}

// bare returns the node without its content.
func (r *row) bare() tree.Node {
	h := &r.head
	return tree.Node{ID: r.id, Type: h.kind, Offset: h.offset, Priority: h.priority, Cycle: h.cycle, CreatedNS: h.created,
		Index: h.index, Expiry: h.expiry, ForeignISO: h.iso, Headers: h.headers, Bare: h.bare}
}

// placed reports whether the row has a content that stands at a place.
func (r *row) placed() bool { return r.size > 0 && r.inline == "" }

// The flags of a row.
const (
	flagMoved    = 1 << iota // the node is as it was, under another parent
	flagFresh                // no node had its id
	flagMortal               // it expires
	flagISO                  // the time of an import in another form
	flagHash                 // JSON can express the content
	flagInline               // the content follows
	flagPlaced               // the content stands at a place
	flagHeld                 // in the same record or segment
	flagExplicit             // the place is not the one that follows from the row before
	flagBare                 // it is a node of edition 1.0
)

// rows writes or reads rows one after the other: numbers are differences from the row before.
type rows struct {
	next    place // of the content that comes next if nothing else is said
	created int64
	index   int64
	ids     [farBack]string // of the last rows, each in the place of the one so far before it
	count   int

	records slab[record] // for the records and rows that are read
	list    slab[row]
	headers slab[tree.Header]
	hashes  slab[tree.Digest]
}

// farBack is how far before its child a parent may be to be named by how far.
const farBack = 32

// begin forgets the rows so far. The first content that comes is expected to be the first one of a
// revision.
func (c *rows) begin(revision int64) {
	c.next, c.created, c.index, c.count = place{revision, 0}, 0, 0, 0
}

func (c *rows) note(id string) {
	c.ids[c.count%farBack] = id
	c.count++
}

func (c *rows) earlierID(n int) string { return c.ids[(c.count-n)%farBack] }

// slab allocates values many at a time.
type slab[T any] struct{ free, made []T }

// need makes room for n values.
func (s *slab[T]) need(n int) {
	if n > len(s.free) {
		s.made = make([]T, max(n, min(2*len(s.made), 256)))
		s.free = s.made
	}
}

// take returns n values, which the caller sets.
func (s *slab[T]) take(n int) []T {
	s.need(n)
	taken := s.free[:n:n]
	s.free = s.free[n:]
	return taken
}

// reuse lets the next rows take the place of those so far.
func (c *rows) reuse() {
	c.list.free, c.headers.free, c.hashes.free = c.list.made, c.headers.made, c.hashes.made
}

func (c *rows) flags(r *row) int {
	if r.moved {
		return flagMoved
	}
	n := &r.head
	flags := 0
	for _, f := range [...]struct {
		set  bool
		flag int
	}{{r.fresh, flagFresh}, {n.expiry != tree.Never, flagMortal}, {n.iso != "", flagISO}, {r.hash != nil, flagHash},
		{r.inline != "", flagInline}, {r.placed(), flagPlaced}, {r.hasContent, flagHeld},
		{r.placed() && r.at != c.next, flagExplicit}, {n.bare, flagBare}} {
		if f.set {
			flags |= f.flag
		}
	}
	return flags
}

func (c *rows) write(w *writer, r *row) {
	flags, n := c.flags(r), &r.head
	w.count(flags)
	w.text(r.id)
	c.parent(w, r.parent)
	c.note(r.id)
	if r.moved {
		return
	}
	w.text(n.kind)
	w.signed(n.offset)
	w.signed(n.priority)
	w.signed(n.cycle)
	w.signed(n.created - c.created)
	w.signed(n.index - c.index)
	c.created, c.index = n.created, n.index
	if flags&flagMortal != 0 {
		w.signed(n.expiry - n.cycle)
	}
	if flags&flagISO != 0 {
		w.text(n.iso)
	}
	w.count(len(n.headers))
	for i := range n.headers {
		w.text(n.headers[i].Name)
		w.text(string(n.headers[i].Value))
	}
	if r.hash != nil {
		w.raw(r.hash[:])
	}
	if flags&flagInline != 0 {
		w.text(r.inline)
	}
	if flags&flagPlaced == 0 {
		return
	}
	w.count(r.size)
	if flags&flagExplicit != 0 {
		w.signed(c.next.revision - r.at.revision)
		w.count(int(r.at.number))
	}
	c.follow(r)
}

// follow notes that the content of the next row is expected behind that of this one.
func (c *rows) follow(r *row) {
	if r.at.revision == c.next.revision {
		c.next.number = r.at.number + 1
	}
}

// parent writes how many rows before the last one the parent is, 0 and its id if it is not
// among the last ones.
func (c *rows) parent(w *writer, id string) {
	for back := 1; back <= min(c.count, farBack); back++ {
		if c.earlierID(back) == id {
			w.count(back)
			return
		}
	}
	w.count(0)
	w.text(id)
}

func (c *rows) read(r *reader, to *row) {
	flags := r.int()
	*to = row{id: r.text(), fresh: flags&flagFresh != 0, hasContent: flags&flagHeld != 0}
	if back := r.int(); back > min(c.count, farBack) {
		r.bad = true
	} else if back > 0 {
		to.parent = c.earlierID(back)
	} else {
		to.parent = r.text()
	}
	c.note(to.id)
	if to.moved = flags&flagMoved != 0; to.moved {
		return
	}
	n := &to.head
	*n = nodeHeader{kind: r.text(), offset: r.signed(), priority: r.signed(), cycle: r.signed(), expiry: tree.Never,
		bare: flags&flagBare != 0}
	c.created += r.signed()
	c.index += r.signed()
	n.created, n.index = c.created, c.index
	if flags&flagMortal != 0 {
		n.expiry = n.cycle + r.signed()
	}
	if flags&flagISO != 0 {
		n.iso = r.text()
	}
	if k := r.length(2); k > 0 {
		n.headers = c.headers.take(k)
		for i := range n.headers {
			n.headers[i] = tree.Header{Name: r.text(), Value: canon.Value(r.text())}
		}
	}
	if flags&flagHash != 0 {
		to.hash = &c.hashes.take(1)[0]
		copy(to.hash[:], r.take(len(to.hash)))
	}
	if flags&flagInline != 0 {
		to.inline = r.text()
		to.size = len(to.inline)
	}
	if flags&flagPlaced == 0 {
		return
	}
	to.size, to.at = r.int(), c.next
	if flags&flagExplicit != 0 {
		to.at = place{c.next.revision - r.signed(), int64(r.int())}
	}
	c.follow(to)
}

// rowOf describes a node, but for where its content is.
func rowOf(n *tree.Node, parent string) row {
	r := row{id: n.ID, parent: parent, head: headerOf(n), node: n, size: n.Content.Size()}
	if n.HashOK {
		r.hash = &n.Hash
	}
	return r
}

// likelySize is about how many bytes the row takes in a record.
func (r *row) likelySize() int {
	size := 16 + len(r.id) + len(r.inline)
	if !r.moved {
		size += 56 + len(r.head.kind)
		for i := range r.head.headers {
			size += 2 + len(r.head.headers[i].Name) + len(r.head.headers[i].Value)
		}
	}
	return size
}

// include puts the content of a node into its row.
func (r *row) include(ctx context.Context) error {
	v, err := r.node.Content.Value(ctx)
	r.inline = string(v)
	return err
}
