package canon

import (
	"crypto/sha256"
	"hash"
	"iter"
	"strings"
	"sync"
)

// ContentHash returns the content hash of a node (08 §2.1): SHA-256 over the
// canonical form of an object with content, kind and role, each the empty
// string when absent, and with every attribute whose name starts with content_
// or data_, except content_hash, because a hash cannot cover itself. Attributes
// must arrive sorted by name, each name once; a nil attrs means none.
//
// ok is false when a part of the content is not Expressible; the hash of such
// content is the empty string (08 §8.2).
//
// Specification: 08 §2, 08 §2.1, 08 §2.2, 08 §2.3.
func ContentHash(content Value, role, kind Value, attrs iter.Seq2[string, Value]) (digest [32]byte, ok bool) {
	if !role.Expressible() || !kind.Expressible() {
		return digest, false
	}
	return contentHash(content, attrs, func(h *hasher) {
		h.write(`,"kind":`)
		h.field(kind)
		h.write(`,"role":`)
		h.field(role)
	})
}

// BareHash is ContentHash of edition 1.0, without kind and role (1.0 08 §2.1).
func BareHash(content Value, attrs iter.Seq2[string, Value]) (digest [32]byte, ok bool) {
	return contentHash(content, attrs, func(*hasher) {})
}

func contentHash(content Value, attrs iter.Seq2[string, Value], rest func(*hasher)) (digest [32]byte, ok bool) {
	if !content.Expressible() {
		return digest, false
	}
	h := hashers.Get().(*hasher)
	h.sum.Reset()
	h.ok = true
	// The prefixes content_ and data_ sort between the names content and
	// kind, so writing in this order is writing sorted.
	h.write(`{"content":`)
	h.field(content)
	if attrs != nil {
		attrs(h.yield)
	}
	rest(h)
	h.write(`}`)
	h.flush()
	if ok = h.ok; ok {
		h.buf = h.sum.Sum(h.buf) // not into digest, which would escape to the heap
		copy(digest[:], h.buf)
		h.buf = h.buf[:0]
	}
	hashers.Put(h)
	return digest, ok
}

// hasher holds the buffers for one hash. ContentHash reuses hashers, because a
// commit hashes every changed node and would otherwise allocate buffers for each.
type hasher struct {
	sum   hash.Hash
	buf   []byte
	ok    bool
	yield func(string, Value) bool // attribute, bound once
}

var hashers = sync.Pool{New: func() any {
	h := &hasher{sum: sha256.New(), buf: make([]byte, 0, 1024)}
	h.yield = h.attribute
	return h
}}

// attribute adds one attribute if it belongs to the content. It returns false,
// which ends the iteration, if the value is not Expressible.
func (h *hasher) attribute(name string, v Value) bool {
	if v == "" || name == "content_hash" ||
		!strings.HasPrefix(name, "content_") && !strings.HasPrefix(name, "data_") {
		return true
	}
	if h.ok = v.Expressible(); !h.ok {
		return false
	}
	h.write(",")
	h.flush() // leaves the whole buffer to the name, which may still grow it
	h.buf = AppendString(h.buf, name)
	h.write(":")
	h.field(v)
	return true
}

func (h *hasher) field(v Value) {
	if v == "" {
		v = `""`
	}
	h.write(string(v))
}

// write passes s to the hash through the buffer: the hash takes only bytes, and
// converting a long content at once would copy it.
func (h *hasher) write(s string) {
	for len(s) > 0 {
		if len(h.buf) == cap(h.buf) {
			h.flush()
		}
		n := min(len(s), cap(h.buf)-len(h.buf))
		h.buf = append(h.buf, s[:n]...)
		s = s[n:]
	}
}

func (h *hasher) flush() {
	h.sum.Write(h.buf) // a hash never fails to take bytes
	h.buf = h.buf[:0]
}
