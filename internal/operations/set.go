package operations

import (
	"slices"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

// headers are the headers that Set sets, besides custom attributes.
var headers = []string{"content", "encoding", "key", "kind", "mime", "offset", "pinned", "priority", "provenance",
	"refs", "role", "tags", "ttl"}

func settable(name string) bool { return slices.Contains(headers, name) || tree.CustomName(name) }

// Set sets a header or a custom attribute of a description to a JSON value; null takes it away. E_DOCUMENT_INVALID
// for a name or a value that does not fit.
func Set(s *pact.Spec, name string, value canon.Value) error {
	if !settable(name) {
		return tree.NoHeader(name)
	}
	v := setting{name: name, v: value.Any()}
	v.none = v.v.Kind == canon.KindNull
	switch name {
	case "role":
		s.Role = v.text()
	case "kind":
		s.Kind = v.text()
	case "key":
		s.Key = v.text()
	case "provenance":
		s.Provenance = v.text()
	case "mime":
		s.MIME = v.text()
	case "encoding":
		s.Encoding = v.text()
	case "tags":
		s.Tags = v.texts()
	case "refs":
		s.Refs = v.texts()
	case "priority":
		s.Priority = v.integer()
	case "offset":
		s.Offset = v.integer()
	case "ttl":
		if s.TTL = nil; !v.none {
			s.TTL = new(v.integer())
		}
	case "pinned":
		s.Pinned = v.flag()
	case "content":
		if s.Content = nil; !v.none {
			s.Content = value
		}
	default:
		if s.Attrs == nil {
			s.Attrs = map[string]any{}
		}
		if s.Attrs[name] = value; v.none {
			delete(s.Attrs, name)
		}
	}
	return v.err
}

// setting reads the value of a header and remembers that it does not fit.
type setting struct {
	name string
	v    canon.Any
	none bool // null
	err  error
}

func (s *setting) must(be string) {
	s.err = fault.At(fault.DocumentInvalid, fault.NoOffset, s.name, strconv.Quote(s.name)+" must be "+be, "")
}

func (s *setting) text() string {
	if s.none {
		return ""
	}
	if s.v.Kind != canon.KindString {
		s.must("a string")
	}
	return s.v.Text
}

func (s *setting) texts() (list []string) {
	if s.v.Kind != canon.KindArray && !s.none {
		s.must("a list of strings")
	}
	for _, e := range s.v.Elems {
		if e.Kind != canon.KindString {
			s.must("a list of strings")
		}
		list = append(list, e.Text)
	}
	return list
}

func (s *setting) integer() int64 {
	if s.none {
		return 0
	}
	n, ok := s.v.Value().Int64()
	if !ok {
		s.must("an integer of 64 bits")
	}
	return n
}

func (s *setting) flag() bool {
	if s.v.Kind != canon.KindBool && !s.none {
		s.must("true or false")
	}
	return s.v.Text == string(canon.True)
}
