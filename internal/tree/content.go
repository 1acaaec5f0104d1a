package tree

import (
	"context"
	"crypto/sha256"
	"encoding/binary"

	"github.com/contexttree/pact/internal/canon"
)

// Content is the content of a node in canonical JSON. It is in memory, or is read from a
// store each time it is needed.
type Content struct {
	value canon.Value
	size  int
	from  Source
}

// Source is a place from which a content is read whenever it is needed. It compares what it read with the
// content hash of the node, if that has one.
type Source interface {
	Read(ctx context.Context) (canon.Value, error)
}

// From returns a content of size bytes of canonical JSON that is read from a source.
func From(size int, s Source) Content { return Content{size: size, from: s} }

// Source returns where the content is read from, nil if it is in memory.
func (c Content) Source() Source { return c.from }

// InMemory returns a content that is in memory. The zero Value means that there is no content.
func InMemory(v canon.Value) Content { return Content{value: v, size: len(v)} }

// IsInMemory reports whether the content, if there is one, is in memory.
func (c Content) IsInMemory() bool { return c.from == nil }

// Size returns the length of the canonical JSON in bytes, 0 if there is no content.
func (c Content) Size() int { return c.size }

// Value returns the content, "" if there is none. It fails only if the content must be read
// from a store and cannot be, or if what the operation of ctx asks fails (see [Asking]).
func (c Content) Value(ctx context.Context) (canon.Value, error) {
	if err := ask(ctx); err != nil {
		return "", err
	}
	if c.from != nil {
		return c.from.Read(ctx)
	}
	return c.value, nil
}

// AppendRendered appends the block as the object that it is in the canonical thread of a
// region (02 §12.5): id, role, kind if it has one, content; in edition 1.0 id and content. It
// fails if it must read the content from the store and cannot.
//
// Specification: 02 §12.5.
func (n *Node) AppendRendered(ctx context.Context, dst []byte, region Class) ([]byte, error) {
	content, err := n.renderedContent(ctx)
	if err != nil {
		return dst, err
	}
	dst = append(n.appendOpening(dst, region), content...)
	return append(dst, '}'), nil
}

// appendOpening appends what stands before the content of a rendered block.
func (n *Node) appendOpening(dst []byte, region Class) []byte {
	dst = append(dst, `{"id":`...)
	dst = canon.AppendString(dst, n.ID)
	if !n.Bare {
		dst = append(dst, `,"role":`...)
		dst = append(dst, n.renderedRole(region)...)
		if kind := n.Header("kind"); kind != "" {
			dst = append(dst, `,"kind":`...)
			dst = append(dst, kind...)
		}
	}
	return append(dst, `,"content":`...)
}

// ThreadBytes is the size of a block's object in the canonical thread of a
// region, without a comma.
func (n *Node) ThreadBytes(region Class) int {
	if n.roleless {
		return n.rendered + RoleBytes(region)
	}
	return n.rendered
}

// RoleBytes returns how many bytes longer the default role of a region is than the role
// that a [Summary] counts for a missing one.
func RoleBytes(region Class) int { return len(defaultRole(region)) - len(defaultRole(Seq)) }

// measure returns how many bytes AppendRendered writes in ^seq, and whether the
// role that it writes is missing.
func (n *Node) measure() (bytes int, roleless bool) {
	var buf [64]byte
	bytes = len(`{"id":,"content":}`) + len(canon.AppendString(buf[:0], n.ID))
	if bytes += n.Content.size; n.Content.size == 0 {
		bytes += len(emptyText)
	}
	if n.Bare {
		return bytes, false
	}
	bytes += len(`"role":,`)
	role := n.Header("role")
	if roleless = role == ""; roleless {
		role = defaultRole(Seq)
	}
	bytes += len(role)
	if kind := n.Header("kind"); kind != "" {
		bytes += len(`,"kind":`) + len(kind)
	}
	return bytes, roleless
}

// The first byte that a digest covers, so that nothing can pass for what it is not.
const (
	ofNode byte = iota
	ofEntry
	ofList
	ofRuns // a list with runs between its items
)

var firstBytes = [...]byte{ofNode, ofEntry, ofList, ofRuns}

// sum digests every header and the content. It takes the expiry cycle in place of the
// ttl, so that time alone changes no digest.
func (n *Node) sum() Digest {
	buf := append(make([]byte, 0, 512), ofNode)
	field := func(s string) { buf = appendField(buf, s) }
	field(n.ID)
	field(n.Type)
	for _, v := range [...]int64{n.Offset, n.Priority, n.Cycle, n.CreatedNS, n.Index, n.Expiry} {
		buf = binary.AppendVarint(buf, v)
	}
	field(n.ForeignISO)
	for _, h := range n.Headers {
		field(h.Name)
		field(string(h.Value))
	}
	buf = binary.AppendVarint(buf, int64(n.Content.size))
	if n.HashOK {
		buf = append(buf, n.Hash[:]...)
	} else {
		field(string(n.Content.value))
	}
	return sha256.Sum256(buf)
}

// SameContent reports whether two nodes have the same content hash. If JSON cannot express
// their contents, it compares the contents.
func (n *Node) SameContent(o *Node) bool {
	if n.HashOK != o.HashOK {
		return false
	}
	return n.Hash == o.Hash && (n.HashOK || n.Content.value == o.Content.value)
}
