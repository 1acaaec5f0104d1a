package tree

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contexttree/pact/internal/canon"
)

// Never is the Expiry of a node that stays until it is removed (ttl null, 03 §3.1).
const Never int64 = math.MaxInt64

// Digest is a SHA-256 sum.
type Digest [32]byte

// Header is one optional header of a node or one of its custom attributes
// (02 §3.5), its value in canonical JSON.
type Header struct {
	Name  string      // as written
	Value canon.Value // in canonical JSON
}

// Node is one version of a node: its mandatory headers (02 §3.2), its optional
// and custom ones, and its content. A Node that a tree holds is shared by
// every snapshot that contains it and must not be changed; make one with
// NewNode.
type Node struct {
	ID         string // unique in the history of the context (02 §2.3)
	Type       string // nodeType, canonical or namespaced, exactly as it came
	Offset     int64  // <0 pre, 0 core, >0 post (02 §4.1)
	Priority   int64  // orders candidates of pruning (02 §7)
	Cycle      int64  // the cycle that introduced the node
	CreatedNS  int64  // nanoseconds
	ForeignISO string // created_at_iso of an import where it is not CreatedNS in our format
	Index      int64  // creation_index
	Expiry     int64  // the first cycle that commits without the node, or Never

	Headers []Header // optional headers and custom attributes, sorted by name
	Content Content  // JSON, read when asked for; absent in a group

	// What follows is read out of Headers and Content once, by NewNode.

	Role, Kind, Key   string   // "" if there is none
	Tags, Refs        []string // nil if there is none
	Removable, Pinned bool     // false without the header
	Cad               int64    // cycles after which the key of the node comes again (1.0 03 §3.4), 0 if there is none

	// Bare: it is a node of edition 1.0, whose thread and content hash leave role and kind out,
	// and whose ttl and age count from no cycle before its own. It is given to NewNode.
	Bare bool

	Hash   Digest // content hash (08 §2.1)
	HashOK bool   // false if JSON cannot express the content (08 §8.2)

	digest   Digest // over every header and the content
	rendered int    // bytes in the canonical thread, a missing role counted as "user"
	roleless bool
	level    uint8 // height of the node in a list, see levelOf
}

// NewNode completes a node made of its headers and content: it sorts Headers, reads the
// typed fields out of them and computes content hash and digest. hash is the content hash
// if the caller knows it, as for a loaded node, else nil.
func NewNode(n Node, hash *Digest) *Node {
	slices.SortFunc(n.Headers, func(a, b Header) int { return strings.Compare(a.Name, b.Name) })
	n.Role, n.Kind, n.Key, n.Tags, n.Refs, n.Removable, n.Pinned, n.Cad = "", "", "", nil, nil, false, false, 0
	for _, h := range n.Headers {
		switch h.Name {
		case "role":
			n.Role, _ = h.Value.Text()
		case "kind":
			n.Kind, _ = h.Value.Text()
		case "key":
			n.Key, _ = h.Value.Text()
		case "tags":
			n.Tags = h.Value.Texts()
		case "refs":
			n.Refs = h.Value.Texts()
		case "removable":
			n.Removable = h.Value == canon.True
		case "pinned":
			n.Pinned = h.Value == canon.True
		case "cad":
			if cycles, ok := h.Value.Int64(); ok && n.Bare {
				n.Cad = max(0, cycles)
			}
		}
	}
	if n.ForeignISO != "" && n.ForeignISO == ISO(n.CreatedNS) {
		n.ForeignISO = ""
	}
	n.level = levelOf(n.ID)
	if hash != nil {
		n.Hash, n.HashOK = *hash, true
	} else {
		n.Hash, n.HashOK = n.HashWith(n.Content.value)
	}
	n.rendered, n.roleless = n.measure()
	n.digest = n.sum()
	return &n
}

// rebuiltSameContent completes a copy of a node whose role, kind, attributes and content are
// those of the original, and with them the content hash.
func (n Node) rebuiltSameContent() *Node {
	if n.HashOK {
		return NewNode(n, &n.Hash)
	}
	return NewNode(n, nil)
}

// restamped completes a copy of a node that differs from the original in its
// stamps alone.
func (n Node) restamped() *Node {
	if n.ForeignISO != "" && n.ForeignISO == ISO(n.CreatedNS) {
		n.ForeignISO = ""
	}
	n.digest = n.sum()
	return &n
}

// HashWith is the content hash that the node has with a content, along with its
// role, kind and attributes (08 §2.1), false if JSON cannot express it.
func (n *Node) HashWith(content canon.Value) (Digest, bool) {
	if n.Bare {
		return canon.BareHash(content, n.customs)
	}
	return canon.ContentHash(content, n.Header("role"), n.Header("kind"), n.customs)
}

// customs yields the attributes that may take part in the content hash.
func (n *Node) customs(yield func(string, canon.Value) bool) {
	for _, h := range n.Headers {
		if !yield(h.Name, h.Value) {
			return
		}
	}
}

// ISO returns the instant ns nanoseconds after the epoch in UTC, with nine
// decimals (created_at_iso).
func ISO(ns int64) string {
	return string(AppendISO(nil, ns))
}

// AppendISO appends ISO(ns) to b without allocating a string.
func AppendISO(b []byte, ns int64) []byte {
	return time.Unix(ns/1e9, ns%1e9).UTC().AppendFormat(b, "2006-01-02T15:04:05.000000000Z")
}

// KeyFacet returns the family of a node: the key header, which may be empty, or the id if it
// has none. So a node without a key is a family of one, which #x of edition canonical finds
// (001 §6.2); [key=x] asks for the header alone (04 §3.5).
func (n *Node) KeyFacet() string {
	if n.Key != "" || n.Has("key") {
		return n.Key
	}
	return n.ID
}

// CreatedISO returns created_at_iso: the instant of CreatedNS, or what an
// imported document said instead.
func (n *Node) CreatedISO() string {
	if n.ForeignISO != "" {
		return n.ForeignISO
	}
	return ISO(n.CreatedNS)
}

// TTL returns the remaining cycles at the [Tree.Base] of a tree, never below 0, and false for
// a persistent node (03 §3.1, §3.3).
//
// Specification: 02 §5.1, 03 §3, 03 §3.1, 03 §3.3.
func (n *Node) TTL(cycle int64) (int64, bool) {
	if n.Expiry == Never {
		return 0, false
	}
	return max(0, n.Expiry-n.since(cycle)), true
}

// Age returns how many cycles ago, at the [Tree.Base] of a tree, the node came.
func (n *Node) Age(cycle int64) int64 { return n.since(cycle) - n.Cycle }

// since is the cycle from which the node's ttl and age count in a tree of a cycle.
func (n *Node) since(cycle int64) int64 {
	if n.Bare {
		return max(cycle, n.Cycle)
	}
	return cycle
}

// Has reports whether the node carries the optional header or custom attribute.
func (n *Node) Has(name string) bool { return n.Header(name) != "" }

// Header returns an optional header or a custom attribute, "" if there is none.
// Mandatory headers are fields.
func (n *Node) Header(name string) canon.Value {
	lo, hi := 0, len(n.Headers)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if n.Headers[mid].Name < name {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(n.Headers) && n.Headers[lo].Name == name {
		return n.Headers[lo].Value
	}
	return ""
}

// ContentHash returns the content hash in hexadecimal, "" if JSON cannot express the
// content (08 §8.2).
func (n *Node) ContentHash() string {
	if !n.HashOK {
		return ""
	}
	return n.Hash.String()
}

// String returns the digest in hexadecimal.
func (d Digest) String() string {
	const hex = "0123456789abcdef"
	var b [2 * len(d)]byte
	for i, c := range d {
		b[2*i], b[2*i+1] = hex[c>>4], hex[c&15]
	}
	return string(b[:])
}

// AppendMandatory appends a mandatory header as JSON, or nothing if no mandatory header has the name. A ttl is counted
// from a cycle.
func (n *Node) AppendMandatory(dst []byte, name string, cycle int64) []byte {
	switch name {
	case "id":
		return canon.AppendString(dst, n.ID)
	case "nodeType":
		return canon.AppendString(dst, n.Type)
	case "created_at_iso":
		return canon.AppendString(dst, n.CreatedISO())
	case "ttl":
		ttl, finite := n.TTL(cycle)
		if !finite {
			return append(dst, canon.Null...)
		}
		return strconv.AppendInt(dst, ttl, 10)
	case "offset":
		return strconv.AppendInt(dst, n.Offset, 10)
	case "priority":
		return strconv.AppendInt(dst, n.Priority, 10)
	case "cycle":
		return strconv.AppendInt(dst, n.Cycle, 10)
	case "created_at_ns":
		return strconv.AppendInt(dst, n.CreatedNS, 10)
	case "creation_index":
		return strconv.AppendInt(dst, n.Index, 10)
	}
	return dst
}
