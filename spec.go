package pact

import (
	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/selector"
)

// Spec describes a node to be added (02 §3).
type Spec struct {
	ID   string // opaque, at most 1 KiB, new to the whole history; "" for a generated one
	Type string // canonical or namespaced nodeType; "" for a block

	Offset   int64  // <0 before the core, 0 in it, >0 behind it (02 §4.1)
	Priority int64  // siblings of one offset stand in its order (02 §4.3)
	TTL      *int64 // cycles until it expires, see the function TTL; nil for a node that stays (03 §3.1)

	Role, Kind, Key, Provenance, MIME, Encoding string // optional headers, "" for none

	Tags, Refs []string // Refs are ids of nodes that it refers to
	Removable  bool     // it goes when it is empty: groups only (02 §5.3.1)
	Pinned     bool     // pruning leaves it (02 §7)

	Content any            // anything that JSON can express; nil for none
	Attrs   map[string]any // custom attributes: data_*, content_* or a name with a colon (02 §3.5)
}

// TTL returns a pointer to a number of cycles, for Spec.TTL (03 §3.1).
func TTL(cycles int64) *int64 { return &cycles }

// ParseSpec reads the description of a node to add, such as
//
//	block:text {key='hero', ttl=5, content='Hello'} +featured
//
// (001 §6). In editions with a kind facet block:text is a block of kind text,
// in v0.1 a node of the type block:text. Attributes are the headers of a node
// by name; tag and ref are short for tags and refs of one; pinned and removable
// need no value. E_SELECTOR_INVALID, with the token, for a text that describes none.
func ParseSpec(text string, e selector.Edition) (Spec, error) {
	s, err := query.ParseSpec(text, e)
	return Spec(s), err
}
