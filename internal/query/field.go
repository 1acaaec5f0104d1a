package query

import (
	"encoding/hex"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// field is an attribute that [tree.Node] holds in a field of its own or that
// follows from the location of the node.
type field uint8

const (
	fieldOffset field = iota
	fieldPriority
	fieldCycle // and born_turn
	fieldCreatedNS
	fieldCreationIndex
	fieldTTL
	fieldAge
	fieldDepth
	fieldSdepth

	fieldID
	fieldNodeType
	fieldCreatedISO
	fieldContentHash
	fieldRole
	fieldKind      // the header alone
	fieldKindFacet // the set of the header and what the type says
	fieldKey       // the header alone
	fieldKeyOrID   // what "#" asks for where it means a key

	fieldTags
	fieldRefs
	fieldContent
	fieldHeader // any other name: an optional header or a custom attribute

	// Facets of calls and sizes (docs/language/reference.md). A header of that name comes
	// first.
	fieldTool
	fieldFailed
	fieldBytes
	fieldTokens
)

func (f field) number() bool { return f <= fieldSdepth }
func (f field) text() bool   { return fieldSdepth < f && f <= fieldKeyOrID }

// derived reports whether the node computes the text instead of holding it.
func (f field) derived() bool { return f == fieldCreatedISO || f == fieldContentHash }

var fields = map[string]field{
	"offset": fieldOffset, "priority": fieldPriority, "cycle": fieldCycle, "born_turn": fieldCycle,
	"created_at_ns": fieldCreatedNS, "creation_index": fieldCreationIndex,
	"ttl": fieldTTL, "age": fieldAge, "depth": fieldDepth, "sdepth": fieldSdepth,
	"id": fieldID, "nodeType": fieldNodeType, "created_at_iso": fieldCreatedISO, "content_hash": fieldContentHash,
	"role": fieldRole, "key": fieldKey,
	"tag": fieldTags, "tags": fieldTags, "refs": fieldRefs, "content": fieldContent,
	"tool": fieldTool, "failed": fieldFailed, "bytes": fieldBytes, "tokens": fieldTokens,
}

// fieldOf returns the field of an attribute in the edition of the plan. A name
// without a field of its own is a header, which is null on a node without it.
func (p *Plan) fieldOf(a selector.Attr) field {
	if a.Name == "kind" {
		if p.traits.KindInType {
			return fieldKindFacet
		}
		return fieldKind
	}
	if f, known := fields[a.Name]; known && !a.Quoted {
		return f
	}
	return fieldHeader
}

// number reads an integer and reports whether the node has it: ttl and depth may
// be null. The derived facets are those of 003, 001 §3.5.3 (docs/decisions.md).
func (r *run) number(f field, n *tree.Node, at location) (int64, bool) {
	switch f {
	case fieldOffset:
		return n.Offset, true
	case fieldPriority:
		return n.Priority, true
	case fieldCycle:
		return n.Cycle, true
	case fieldCreatedNS:
		return n.CreatedNS, true
	case fieldCreationIndex:
		return n.Index, true
	case fieldTTL:
		return n.TTL(r.tree.Base())
	case fieldAge:
		return n.Age(r.tree.Base()), true
	case fieldDepth:
		return at.depth, at.hasDepth
	}
	return int64(at.level), true
}

// text reads a text and reports whether the node has it. Of a kind facet it reads the header,
// else what the type says; see [typeKind] for the other. An elided core has neither id nor key; only blocks and nodes with content have a content hash.
func text(f field, e *tree.Entry) (string, bool) {
	n := e.Node()
	switch f {
	case fieldID:
		return n.ID, n.ID != ""
	case fieldNodeType:
		return n.Type, true
	case fieldCreatedISO:
		return n.CreatedISO(), true
	case fieldContentHash:
		return n.ContentHash(), e.Class() == tree.Block || n.Content.Size() > 0
	case fieldRole:
		return n.Role, n.Role != "" || n.Has("role")
	case fieldKind:
		return n.Kind, n.Kind != "" || n.Has("kind")
	case fieldKindFacet:
		if n.Kind != "" || n.Has("kind") {
			return n.Kind, true
		}
		return typeKind(n)
	case fieldKey:
		return n.Key, n.Key != "" || n.Has("key")
	}
	k := n.KeyFacet()
	return k, k != "" || n.Has("key")
}

// typeKind returns the part of the type after the first colon, and whether there is one. It is a
// kind of the node beside that of the header (003, 001 §3.2, §7.3).
func typeKind(n *tree.Node) (string, bool) {
	_, kind, named := strings.Cut(n.Type, ":")
	return kind, named
}

// otherKind returns the second text of a kind facet, for a node that has the header too.
func otherKind(f field, n *tree.Node) (string, bool) {
	if f != fieldKindFacet || n.Kind == "" && !n.Has("kind") {
		return "", false
	}
	return typeKind(n)
}

// holdsDerived compares a derived text. It builds the text in a buffer on the
// stack, so a scan allocates nothing.
func (t *predicate) holdsDerived(e *tree.Entry) bool {
	n := e.Node()
	var room [64]byte
	b := room[:0]
	switch {
	case t.field == fieldContentHash:
		if e.Class() != tree.Block && n.Content.Size() == 0 {
			return t.op == opText && t.null != t.not
		}
		if n.HashOK {
			b = hex.AppendEncode(b, n.Hash[:])
		}
	case n.ForeignISO != "":
		b = append(b, n.ForeignISO...)
	default:
		b = tree.AppendISO(b, n.CreatedNS)
	}
	for _, want := range t.texts {
		switch {
		case t.op == opText && string(b) == want:
			return !t.not
		case t.op == opText:
		case string(b) < want:
			return t.order&1 != 0
		case string(b) > want:
			return t.order&4 != 0
		default:
			return t.order&2 != 0
		}
	}
	return t.op == opText && t.not
}

// valueComparison compares an attribute of any shape.
type valueComparison struct {
	field   field
	name    string
	compare func(value) bool // nil where pattern is set
	pattern *pattern
}

// value is the value of an attribute at a node: null, an integer, a text, a list
// of texts, or any JSON.
type value struct {
	kind valueKind
	n    int64
	s    string
	list []string
}

type valueKind uint8

const (
	null valueKind = iota
	integer
	word   // a text attribute
	list   // tags, refs
	custom // s is canonical JSON
)

// value reads an attribute of any shape.
func (r *run) value(g *valueComparison, e *tree.Entry, at location) value {
	n := e.Node()
	switch {
	case g.field.number():
		if i, known := r.number(g.field, n, at); known {
			return value{kind: integer, n: i}
		}
		return value{}
	case g.field.text():
		s, known := text(g.field, e)
		if other, too := otherKind(g.field, n); too {
			return texts([]string{s, other})
		} else if known {
			return value{kind: word, s: s}
		}
		return value{}
	case g.field == fieldTags && n.Role != "" && r.plan.traits.TypeFacet: // 1.0 07 §4.1 maps roles to tags
		return texts(append([]string{n.Role}, n.Tags...))
	case g.field == fieldTags:
		return texts(n.Tags)
	case g.field == fieldRefs:
		return texts(n.Refs)
	case g.field == fieldContent:
		v, err := n.Content.Value(r.ctx)
		if err != nil {
			r.fail(err)
		}
		return jsonValue(v)
	}
	if v := jsonValue(n.Header(g.name)); v.kind != null || g.field == fieldHeader {
		return v
	}
	return r.callFacet(g.field, e)
}

func texts(l []string) value {
	if len(l) == 0 {
		return value{}
	}
	return value{kind: list, list: l}
}

func jsonValue(v canon.Value) value {
	switch v.Kind() {
	case canon.KindAbsent, canon.KindNull:
		return value{}
	}
	return value{kind: custom, s: string(v)}
}
