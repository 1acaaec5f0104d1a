package tree

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
)

// Spec describes a node to add. Everything but Content is optional: the edit supplies the
// id, the stamps and a missing type.
//
// Specification: 07 §4.2.
type Spec struct {
	ID       string // opaque, at most 1 KiB, new to the whole history; "" for a generated one
	NodeType string // canonical or namespaced; "" for a block

	Offset   int64  // below 0 before the core of the parent, 0 in it, above 0 after it (02 §4.1)
	Priority int64  // as [Node.Priority]
	TTL      *int64 // cycles; nil for a persistent node (03 §3.1)
	Cad      *int64 // cycles after which the key comes again (1.0 03 §3.4); nil for never

	Role, Kind, Key, Provenance, MIME, Encoding string
	Tags, Refs                                  []string
	Removable                                   bool // groups only (02 §5.3.1)
	Pinned                                      bool

	Content any            // anything JSON can express; nil for none
	Attrs   map[string]any // custom attributes: data_*, content_* or a name with a colon (02 §3.5)
}

// canonical roles of a block (01 §2).
var roles = []string{"user", "assistant", "tool", "system", "other"}

// encoded has the roles and the kinds that nearly every block has, as JSON.
var encoded = func() map[string]canon.Value {
	list := make(map[string]canon.Value)
	for _, text := range append([]string{"text", "call", "result"}, roles...) {
		list[text] = canon.String(text)
	}
	return list
}()

// headers that no update can set, and the members of a document beside headers. A Spec sets the id, the type and removable.
var fixed = []string{
	"id", "nodeType", "cycle", "created_at_ns", "created_at_iso", "creation_index", "removable",
	"content_hash", "children", "parent",
}

// optional string headers.
var optional = []string{"role", "kind", "key", "provenance", "mime", "encoding"}

// Settable lists the headers that a Spec or an update can set, besides custom attributes.
var Settable = append([]string{"offset", "ttl", "priority", "content", "tags", "refs", "pinned", "cad"}, optional...)

// CanSet reports whether a Spec or an update can set a header or custom attribute of this name.
func CanSet(name string) bool { return slices.Contains(Settable, name) || CustomName(name) }

// isHeader reports whether a name stands for a header or a member of every node's document.
func isHeader(name string) bool {
	return slices.Contains(fixed, name) || slices.Contains(Settable, name)
}

// KindOf returns the kind of value that an optional header has which every edition knows, KindAbsent for any other name.
func KindOf(name string) canon.Kind {
	switch {
	case slices.Contains(optional, name):
		return canon.KindString
	case name == "tags" || name == "refs":
		return canon.KindArray
	case name == "removable" || name == "pinned":
		return canon.KindBool
	}
	return canon.KindAbsent
}

// CustomName reports whether a name is one that a custom attribute may have:
// namespaced and not reserved (02 §3.5).
//
// Specification: 02 §3.5, 07 §3.4.
func CustomName(name string) bool {
	return name != "content_hash" &&
		(strings.HasPrefix(name, "data_") || strings.HasPrefix(name, "content_") || strings.Contains(name, ":"))
}

// notCustom refuses a name that no custom attribute may have.
func notCustom(name string) error {
	if isHeader(name) {
		return invalid(name, "the name is reserved for a header", "name the attribute data_"+name)
	}
	return invalid(name, "the name of a custom attribute has no namespace", "name it data_"+name+", content_"+name+
		" or with a namespace, such as x:"+name)
}

// headers builds the optional headers of a spec.
func (s *Spec) headers() ([]Header, error) {
	var room [8]Header // most nodes have fewer
	hs := room[:0]
	for i, v := range [...]string{s.Role, s.Kind, s.Key, s.Provenance, s.MIME, s.Encoding} {
		if v == "" {
			continue
		}
		value, known := encoded[v]
		if !known {
			var err error
			if value, err = canon.EncodeString(v); err != nil {
				return nil, notJSON(optional[i], err)
			}
		}
		if err := checkRole(optional[i], v); err != nil {
			return nil, err
		}
		hs = append(hs, Header{optional[i], value})
	}
	for i, list := range [...][]string{s.Tags, s.Refs} {
		if len(list) == 0 {
			continue
		}
		h, err := header([...]string{"tags", "refs"}[i], list)
		if err != nil {
			return nil, err
		}
		hs = append(hs, h)
	}
	if s.Removable {
		hs = append(hs, Header{"removable", canon.True})
	}
	if s.Pinned {
		hs = append(hs, Header{"pinned", canon.True})
	}
	if s.Cad != nil {
		h, err := header("cad", *s.Cad)
		if err != nil {
			return nil, err
		}
		hs = append(hs, h)
	}
	var names []string
	if len(s.Attrs) > 0 {
		names = slices.Sorted(maps.Keys(s.Attrs))
	}
	for _, name := range names {
		if !CustomName(name) {
			return nil, notCustom(name)
		}
		h, err := header(name, s.Attrs[name])
		if err != nil {
			return nil, err
		}
		if h.Value != canon.Null {
			hs = append(hs, h)
		}
	}
	return append([]Header(nil), hs...), nil
}

// header checks and encodes one header. The value null removes the header.
func header(name string, v any) (Header, error) {
	if !canon.ValidText(name) {
		return Header{}, invalid(name, "a name is not valid UTF-8", "write it in UTF-8")
	}
	value, err := encode(name, v)
	if err != nil || value == canon.Null {
		return Header{name, value}, err
	}
	switch {
	case name == ErasedName:
		return Header{}, invalid(name, "this attribute is reserved for erasures", "choose another name")
	case slices.Contains(optional, name):
		t, ok := value.Text()
		if !ok {
			return Header{}, invalid(name, "the header must be a string", "give it in quotes")
		}
		if err := checkRole(name, t); err != nil {
			return Header{}, err
		}
	case name == "tags" || name == "refs":
		if value.Kind() != canon.KindArray || value.Texts() == nil {
			return Header{}, invalid(name, "the header must be a list of strings", `give one, such as ["a"]`)
		}
	case name == "cad":
		if n, ok := value.Int64(); !ok || n < 1 || n > MaxInteger {
			return Header{}, fault.At(fault.PlacementInvalid, fault.NoOffset, string(value),
				"the cad is not an integer from 1 to "+strconv.FormatInt(MaxInteger, 10),
				"write 1 for every cycle, or leave it out")
		}
	case name == "pinned":
		if value.Kind() != canon.KindBool {
			return Header{}, invalid(name, "the header must be true or false", "give one of them, without quotes")
		}
	}
	return Header{name, value}, nil
}

// checkRole refuses an invalid value of the header role. It accepts any other header.
func checkRole(header, text string) error {
	if header != "role" || slices.Contains(roles, text) || strings.Contains(text, ":") {
		return nil
	}
	return invalid(text, "the role is neither canonical nor namespaced", "use "+strings.Join(roles, ", ")+
		", or a name with a colon")
}

// encode returns the canonical form of a value, Null if there is none.
func encode(name string, v any) (canon.Value, error) {
	value, err := canon.Encode(v)
	if err != nil {
		return "", notJSON(name, err)
	}
	if value == "" {
		return canon.Null, nil
	}
	return value, nil
}

// notJSON is the error for a value that has no canonical form.
func notJSON(name string, err error) error {
	if fault.CodeOf(err) == fault.Limit {
		return fault.Wrap(fault.Limit, err, "the value of "+name+" is too large", "shorten it")
	}
	return fault.Wrap(fault.DocumentInvalid, err, "the value of "+name+" is not JSON",
		"give numbers, strings, lists and objects with strings as keys")
}

// encodeContent is encode for content; null means no content.
func encodeContent(v any) (Content, error) {
	value, err := encode("content", v)
	if err != nil || value == canon.Null {
		return Content{}, err
	}
	return InMemory(value), nil
}

func invalid(token, message, remedy string) error {
	return &fault.Error{Code: fault.DocumentInvalid, Token: token, Message: message + ": " + strconv.Quote(token),
		Remedy: remedy, Offset: fault.NoOffset}
}

func checkID(id string) error {
	switch {
	case id == "":
		return invalid(id, "the id is empty", "leave it out to have one generated")
	case len(id) > MaxID:
		return fault.OnNode(fault.Limit, id[:32]+"…", "the id has more than "+strconv.Itoa(MaxID)+" bytes", "shorten it")
	case !canon.ValidText(id):
		return invalid(id, "the id is not valid UTF-8 without lone surrogates", "choose another id or leave it out")
	case id == "." || id == "..":
		return invalid(id, "no path of an address can hold the id", "choose another id or leave it out")
	}
	return nil
}

// checkType accepts canonical and namespaced types other than regions, and in edition 1.0 any other name
// (1.0 01 §2.1).
//
// Specification: 01 §2.1, 02 §3.4, 07 §3, 07 §3.2.
func checkType(nodeType string, anyName bool) error {
	class, named := ClassOfType(nodeType)
	switch {
	case !canon.ValidText(nodeType) || strings.HasSuffix(nodeType, ":"):
		return invalid(nodeType, "the type ends in a colon or is not valid UTF-8", "write one such as app:note")
	case named && class.Region():
		return fault.New(fault.PlacementInvalid, "the context has its only "+nodeType+" already",
			"add to the one that is there")
	case class == Turn:
		return fault.New(fault.PlacementInvalid, "a turn cannot be added: a commit makes it of the active head",
			"add to ^ah and commit")
	case !named && !anyName && !strings.Contains(nodeType, ":"):
		return invalid(nodeType, "the type is neither canonical nor namespaced", "use a name with a colon, such as cb:"+
			nodeType)
	}
	return nil
}
