package operations

import (
	"errors"
	"slices"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/nearest"
	"github.com/contexttree/pact/internal/tree"
)

// members reads the members of an object one at a time and remembers the first
// error. end returns that error, or one for a member that was not read.
type members struct {
	doc   canon.Any
	what  string // names the object in errors
	taken []string
	err   error
}

// pop returns a member, which end then does not report as unknown.
func (m *members) pop(name string) (canon.Any, bool) {
	m.taken = append(m.taken, name)
	return m.doc.Get(name)
}

func (m *members) bad(name, is, remedy string) {
	if m.err == nil {
		m.err = fault.At(fault.DocumentInvalid, fault.NoOffset, name, strconv.Quote(name)+" of the "+m.what+" "+is, remedy)
	}
}

// missing notes that a member is not there, and whether one stands there that may be meant.
func (m *members) missing(name string) {
	m.bad(name, "is missing", "add it")
	for _, other := range m.doc.Members {
		if bad := (*fault.Error)(nil); errors.As(m.err, &bad) && nearest.Word(other.Name, []string{name}) != "" {
			bad.Remedy = strconv.Quote(other.Name) + " is none of its members; did you mean " + name + "?"
		}
	}
}

func (m *members) end() error {
	if m.err != nil {
		return m.err
	}
	if m.doc.Kind != canon.KindObject {
		return fault.New(fault.DocumentInvalid, "the "+m.what+" is not a JSON object",
			`write it in braces, as {"name":value}`)
	}
next:
	for _, member := range m.doc.Members {
		for _, name := range m.taken {
			if member.Name == name {
				continue next
			}
		}
		return fault.At(fault.DocumentInvalid, fault.NoOffset, member.Name, "the "+m.what+" cannot have "+
			strconv.Quote(member.Name),
			nearest.Remedy(member.Name, m.taken, "docs/formats.md lists what it can have"))
	}
	return nil
}

// optional returns a text that may be missing or null.
func (m *members) optional(name string) (string, bool) {
	v, ok := m.pop(name)
	if !ok || v.Kind == canon.KindNull {
		return "", false
	}
	if v.Kind != canon.KindString {
		m.bad(name, "must be a string", "write it in quotes")
	}
	return v.Text, true
}

func (m *members) text(name string) string {
	s, _ := m.optional(name)
	return s
}

// need returns a text that must be there.
func (m *members) need(name string) string {
	s, ok := m.optional(name)
	if !ok || s == "" {
		m.missing(name)
	}
	return s
}

func (m *members) object(name string) canon.Any {
	v, ok := m.pop(name)
	if !ok {
		m.missing(name)
	} else if v.Kind != canon.KindObject {
		m.bad(name, "must be an object", "write it in braces")
	}
	return v
}

func (m *members) integer(name string, fallback int64) int64 {
	v, ok := m.pop(name)
	if !ok || v.Kind == canon.KindNull {
		return fallback
	}
	n, fits := v.Value().Int64()
	if !fits {
		m.bad(name, "must be an integer of 64 bits", "write one, such as 1")
	}
	return n
}

func (m *members) flag(name string) bool {
	v, ok := m.pop(name)
	if ok && v.Kind != canon.KindBool && v.Kind != canon.KindNull {
		m.bad(name, "must be true or false", "write one of them, without quotes")
	}
	return v.Text == string(canon.True) && v.Kind == canon.KindBool
}

func (m *members) texts(name string) (list []string) {
	v, ok := m.pop(name)
	if !ok || v.Kind == canon.KindNull {
		return nil
	}
	if v.Kind != canon.KindArray {
		m.bad(name, "must be a list of strings", `write one, such as ["a"]`)
	}
	for _, e := range v.Elems {
		if e.Kind != canon.KindString {
			m.bad(name, "must be a list of strings", `write one, such as ["a"]`)
		}
		list = append(list, e.Text)
	}
	return list
}

// specOf reads the description of a new node from an operation. It keeps
// contents and custom attributes as written, including numbers of any size.
func specOf(doc canon.Any) (s pact.Spec, err error) {
	m := &members{doc: doc, what: "node"}
	if id, ok := doc.Get("id"); ok && id.Kind == canon.KindString && id.Text == "" {
		m.bad("id", "must be at least one byte", "give one, or leave it out")
	}
	s = pact.Spec{ID: m.text("id"), NodeType: m.text("nodeType"), Removable: m.flag("removable")}
	for _, member := range doc.Members {
		name := member.Name
		if slices.Contains(m.taken, name) {
			continue
		}
		if !tree.CanSet(name) {
			return s, fault.At(fault.DocumentInvalid, fault.NoOffset, name, "the node cannot have "+strconv.Quote(name),
				stampOr(name))
		}
		if err := Set(&s, name, member.Value.Value()); err != nil {
			return s, err
		}
	}
	if doc.Kind != canon.KindObject {
		return s, fault.New(fault.DocumentInvalid, "the node is not a JSON object",
			`write it in braces, as {"name":value}`)
	}
	return s, m.err
}

// stampOr returns the remedy for a member that a new node cannot have.
func stampOr(name string) string {
	switch name {
	case "cycle", "created_at_ns", "created_at_iso", "creation_index", "content_hash":
		return "leave it out: it is given when the node is made"
	case "children", "parent", "parent_id":
		return `add each node with its own operation and "into"`
	}
	return nearest.Remedy(name, slices.Concat(tree.Settable, []string{"id", "nodeType", "removable"}),
		"name it data_"+name+", content_"+name+" or with a namespace, such as x:"+name)
}
