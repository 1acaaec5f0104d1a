package operations

import (
	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

// Set sets a header or a custom attribute of a description to a JSON value; null takes it away. E_DOCUMENT_INVALID
// for a name or a value that does not fit.
func Set(s *pact.Spec, name string, value canon.Value) error {
	if !tree.CanSet(name) {
		return tree.NoHeader(name)
	}
	read := value.Any()
	m := &members{doc: canon.Any{Kind: canon.KindObject, Members: []canon.Member{{Name: name, Value: read}}}, what: "node"}
	none := read.Kind == canon.KindNull
	switch name {
	case "role":
		s.Role = m.text(name)
	case "kind":
		s.Kind = m.text(name)
	case "key":
		s.Key = m.text(name)
	case "provenance":
		s.Provenance = m.text(name)
	case "mime":
		s.MIME = m.text(name)
	case "encoding":
		s.Encoding = m.text(name)
	case "tags":
		s.Tags = m.texts(name)
	case "refs":
		s.Refs = m.texts(name)
	case "priority":
		s.Priority = m.integer(name, 0)
	case "offset":
		s.Offset = m.integer(name, 0)
	case "ttl":
		if s.TTL = nil; !none {
			s.TTL = new(m.integer(name, 0))
		}
	case "cad":
		if s.Cad = nil; !none {
			s.Cad = new(m.integer(name, 0))
		}
	case "pinned":
		s.Pinned = m.flag(name)
	case "content":
		if s.Content = nil; !none {
			s.Content = value
		}
	default:
		if s.Attrs == nil {
			s.Attrs = map[string]any{}
		}
		if s.Attrs[name] = value; none {
			delete(s.Attrs, name)
		}
	}
	return m.err
}
