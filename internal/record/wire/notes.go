package wire

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
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

// object holds the member names of an object in the order of the body.
type object []string

// shape identifies a set of sorted names.
func shape(names []string) string {
	var key strings.Builder
	for _, name := range names {
		key.WriteString(strconv.Itoa(len(name)))
		key.WriteByte(':')
		key.WriteString(name)
	}
	return key.String()
}

// places returns for each member in body order its place in the order by name;
// nil if both orders are the same.
func (o object) places(sorted []string) []int {
	if slices.IsSorted(o) {
		return nil
	}
	places := make([]int, len(o))
	for i, name := range o {
		places[i], _ = slices.BinarySearch(sorted, name)
	}
	return places
}

// orderOf encodes the member order of all objects of a body.
func orderOf(objects []object) []byte {
	var order []byte
	known := make(map[string][]int)
	passed := 0
	for _, o := range objects {
		if len(o) < 2 {
			passed++
			continue
		}
		sorted := slices.Sorted(slices.Values(o))
		key, places := shape(sorted), o.places(sorted)
		if slices.Equal(known[key], places) {
			passed++
			continue
		}
		known[key] = places
		order = binary.AppendUvarint(order, uint64(passed))
		order = binary.AppendUvarint(order, uint64(len(places)))
		for _, place := range places {
			order = binary.AppendUvarint(order, uint64(place))
		}
		passed = 0
	}
	return order
}
