package pact

import (
	"cmp"
	"math"

	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// The regions that take new nodes, as parents of [Batch.Add] (02 §2), and the region of the
// sealed turns, in which a [Hit] can be.
const (
	RegionSys  = "^sys" // the system header
	RegionSeq  = "^seq" // the sealed turns
	RegionHead = "^ah"  // the active head
)

// The canonical roles of a block (01 §2). Any other role needs a namespace, such as x:critic.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
	RoleSystem    = "system"
	RoleOther     = "other"
)

// The kinds of a block that this package gives a meaning. Kinds are free text.
const (
	KindText   = "text"
	KindCall   = "call"   // a call of a tool; Batch.AddResult adds its result
	KindResult = "result" // of a call
)

// Spec describes a node to add (02 §3).
type Spec struct {
	ID       string // any text of at most 1 KiB that is new to the whole history; "" to have one generated
	NodeType string // canonical or namespaced; "" means a block

	Offset   int64 // <0 before the core, 0 in it, >0 after it (02 §4.1)
	Priority int64 // pruning takes low priorities first (02 §7.1)
	TTL      int64 // cycles until it expires, at least 1; 0 if it never does, or [Unsent] (03 §3.1)
	Cad      int64 // cycles after which a new node of its Key comes, at least 1; 0 for none (1.0 03 §3.4)

	Role, Kind, Key, Provenance, MIME, Encoding string // optional headers, "" for none

	Tags, Refs []string // Refs are ids of nodes that it refers to
	Removable  bool     // a group that goes when it is empty (02 §5.3.1)
	Pinned     bool     // pruning leaves it alone, and so the turn around it with its core (02 §7)

	Content any            // any value with a JSON form; nil for none
	Attrs   map[string]any // custom attributes: data_*, content_* or a name with a colon (02 §3.5)
}

// Unsent is the Spec.TTL of a node that expires before the next call, so that it is never
// sent: the ttl 0 of the documents (03 §3.1).
const Unsent = math.MinInt64

// TTL returns the Spec.TTL of a number of cycles as the documents write it: nil for a node
// that never expires, 0 for one that is never sent.
func TTL(cycles *int64) int64 {
	switch {
	case cycles == nil:
		return 0
	case *cycles == 0:
		return Unsent
	}
	return max(*cycles, -1) // which is refused
}

// written returns a number of cycles as the documents write it: nil for 0, 0 for Unsent.
func written(cycles int64) *int64 {
	if cycles == 0 { // as most often: nothing is allocated
		return nil
	}
	n := cycles
	if n == Unsent {
		n = 0
	}
	return &n
}

// tree returns the description in the form that package tree takes.
func (s *Spec) tree() tree.Spec {
	return tree.Spec{ID: s.ID, Cad: written(s.Cad), Type: s.NodeType, Offset: s.Offset, Priority: s.Priority, TTL: written(s.TTL), Role: s.Role, Kind: s.Kind,
		Key: s.Key, Provenance: s.Provenance, MIME: s.MIME, Encoding: s.Encoding, Tags: s.Tags, Refs: s.Refs,
		Removable: s.Removable, Pinned: s.Pinned, Content: s.Content, Attrs: s.Attrs}
}

// ParseSpec reads a description of a node to add (001 §6), such as
//
//	block:text {key='hero', ttl=5, content='Hello'} +featured
//
// In editions with a kind facet block:text is a block of kind text; in v0.1 it is a node of
// the type block:text. Attributes are the headers of a node by name; tag and ref stand for
// tags and refs with one value; pinned and removable need no value. It returns
// E_SELECTOR_INVALID, with the token, for a text that describes no node.
func ParseSpec(text string, e selector.Edition) (Spec, error) {
	s, err := query.ParseSpec(text, e)
	cad := int64(0)
	if s.Cad != nil {
		cad = cmp.Or(*s.Cad, Unsent)
	}
	return Spec{ID: s.ID, Cad: cad, NodeType: s.Type, Offset: s.Offset, Priority: s.Priority, TTL: TTL(s.TTL), Role: s.Role, Kind: s.Kind,
		Key: s.Key, Provenance: s.Provenance, MIME: s.MIME, Encoding: s.Encoding, Tags: s.Tags, Refs: s.Refs,
		Removable: s.Removable, Pinned: s.Pinned, Content: s.Content, Attrs: s.Attrs}, err
}
