package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

// writer appends numbers and texts.
type writer struct{ b []byte }

func (w *writer) count(n int)    { w.b = binary.AppendUvarint(w.b, uint64(n)) }
func (w *writer) signed(n int64) { w.b = binary.AppendVarint(w.b, n) }
func (w *writer) fixed(n uint64) { w.b = binary.BigEndian.AppendUint64(w.b, n) }
func (w *writer) raw(b []byte)   { w.b = append(w.b, b...) }
func (w *writer) text(s string)  { w.count(len(s)); w.b = append(w.b, s...) }

// sum appends the sum of what was written since a place.
func (w *writer) sum(from int) {
	sum := sha256.Sum256(w.b[from:])
	w.raw(sum[:sumSize])
}

// hex writes a digest in hexadecimal as bytes, and any other text as it is.
func (w *writer) hex(text string) {
	switch d, ok := digest(text); {
	case text == "":
		w.count(0)
	case ok:
		w.count(1)
		w.raw(d[:])
	default:
		w.count(2)
		w.text(text)
	}
}

func (w *writer) texts(l []string) {
	w.count(len(l))
	for _, s := range l {
		w.text(s)
	}
}

// reader reads what a writer wrote. After the first thing that is missing it returns zeros. The
// texts share the memory of what is read.
type reader struct {
	rest string
	bad  bool
}

func (r *reader) take(n int) string {
	if n < 0 || n > len(r.rest) {
		r.bad, r.rest = true, ""
		return ""
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) uvarint() uint64 {
	var n uint64
	for i := 0; i < len(r.rest) && i < binary.MaxVarintLen64; i++ {
		c := r.rest[i]
		if c < 0x80 {
			r.rest = r.rest[i+1:]
			return n | uint64(c)<<(7*i)
		}
		n |= uint64(c&0x7f) << (7 * i)
	}
	r.bad, r.rest = true, ""
	return 0
}

func (r *reader) int() int {
	n := r.uvarint()
	if n > math.MaxInt {
		r.bad, r.rest = true, ""
		return 0
	}
	return int(n)
}

func (r *reader) signed() int64 {
	n := r.uvarint()
	return int64(n>>1) ^ -int64(n&1)
}

func (r *reader) fixed() (n uint64) {
	for i, b := 0, r.take(8); i < len(b); i++ {
		n = n<<8 | uint64(b[i])
	}
	return n
}

func (r *reader) hex() string {
	switch r.int() {
	case 0:
		return ""
	case 1:
		return r.digest().String()
	}
	return r.text()
}

func (r *reader) digest() (d tree.Digest) {
	copy(d[:], r.take(len(d)))
	return d
}

func (r *reader) text() string { return r.take(r.int()) }

// length reads a number of things that take at least each bytes.
func (r *reader) length(each int) int {
	n := r.int()
	if n > len(r.rest)/each {
		r.bad, r.rest = true, ""
		return 0
	}
	return n
}

func (r *reader) texts() []string {
	n := r.length(1)
	if n == 0 {
		return nil
	}
	list := make([]string, n)
	for i := range list {
		list[i] = r.text()
	}
	return list
}

// packing calls the functions of a store.Packing, which may be nil.
type packing store.Packing

func (p *packing) pack(raw []byte) []byte {
	if p.Pack == nil {
		return bytes.Clone(raw)
	}
	return p.Pack(raw)
}

// unpack may return memory of what was packed.
func (p *packing) unpack(packed []byte, size int) (raw []byte, err error) {
	if raw = packed; p.Unpack != nil {
		raw, err = p.Unpack(packed, size)
	}
	if err != nil || len(raw) != size {
		return nil, damaged("packed bytes cannot be read")
	}
	return raw, nil
}
