package wire

import (
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/contexttree/pact/internal/canon"
)

// Notes say how a body was written. They have a JSON form. The zero Notes
// describe a body in its canonical form, except that characters beyond ASCII
// are not escaped.
type Notes struct {
	Spaced  bool    `json:"spaced,omitempty"`  // a blank after each comma and colon, as Python writes
	Escapes Escapes `json:"escapes,omitempty"` // which characters the strings escape
	Before  string  `json:"before,omitempty"`  // white space in front of the value
	After   string  `json:"after,omitempty"`   // white space behind the value

	// Order gives the order of members in objects that do not sort them by
	// name. It is a sequence of entries: how many objects to skip, how many
	// members follow, and for each its place in the order by name, all as
	// unsigned varints. Objects count by their opening brace from the front of
	// the body. An entry also applies to every later object with the same
	// names, until another entry replaces it.
	Order []byte `json:"order,omitempty"`
	// Spelled lists the strings, names and numbers that Escapes and package
	// canon would write otherwise.
	Spelled []Spelling `json:"spelled,omitempty"`
	// Raw is the whole body, compressed (RFC 1951), if all the above cannot
	// restore it. No other field is set then.
	Raw []byte `json:"raw,omitempty"`
}

// Spelling gives the written form of one string, name or number.
type Spelling struct {
	Skip    int    `json:"skip,omitempty"` // strings, names and numbers since the previous element of Spelled
	Literal string `json:"as"`             // its bytes in the body
}

// Escapes is a way to escape strings. Every way escapes the quote, the
// backslash and control characters, these as \b \f \n \r \t or \u00xx.
type Escapes string

// The ways that clients use.
const (
	EscapesNone  Escapes = ""      // nothing more: JavaScript, Rust, Python with ensure_ascii=False
	EscapesASCII Escapes = "ascii" // and everything beyond printable ASCII: Python
	EscapesHTML  Escapes = "html"  // and < > & and the separators of lines and paragraphs: Go
)

var habits = [...]Escapes{EscapesNone, EscapesASCII, EscapesHTML}

// object says in which order an object has its members. Objects with the same names in the same order
// share one.
type object struct {
	shape  string // of its names
	places []int  // for each member in body order its place in the order by name; nil if both orders are the same
}

// appendShape appends one more name to the shape of a list of names, which tells the list from all others.
func appendShape(shape []byte, name string) []byte {
	shape = strconv.AppendInt(shape, int64(len(name)), 10)
	return append(append(shape, ':'), name...)
}

// objectOf returns the order of members in the order of the body.
func (p *parser) objectOf(members []canon.Member) *object {
	p.shape = p.shape[:0]
	for i := range members {
		p.shape = appendShape(p.shape, members[i].Name)
	}
	if o := p.known[string(p.shape)]; o != nil {
		return o
	}
	names := make([]string, len(members))
	for i := range members {
		names[i] = members[i].Name
	}
	sorted, o := slices.Sorted(slices.Values(names)), &object{}
	if !slices.Equal(names, sorted) {
		o.places = make([]int, len(names))
		for i, name := range names {
			o.places[i], _ = slices.BinarySearch(sorted, name)
		}
	}
	var shape []byte
	for _, name := range sorted {
		shape = appendShape(shape, name)
	}
	o.shape = string(shape)
	p.known[string(p.shape)] = o
	return o
}

// orderOf encodes the member order of all objects of a body; nil stands for one with fewer than two members.
func orderOf(objects []*object) []byte {
	var order []byte
	known := make(map[string][]int)
	passed := 0
	for _, o := range objects {
		if o == nil || slices.Equal(known[o.shape], o.places) {
			passed++
			continue
		}
		known[o.shape] = o.places
		order = binary.AppendUvarint(order, uint64(passed))
		order = binary.AppendUvarint(order, uint64(len(o.places)))
		for _, place := range o.places {
			order = binary.AppendUvarint(order, uint64(place))
		}
		passed = 0
	}
	return order
}
