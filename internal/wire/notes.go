package wire

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
)

// Notes say how a body was written. They have a JSON form; the zero Notes are
// those of a body that is its own canonical form, except for characters beyond
// ASCII, which stand for themselves.
type Notes struct {
	Spaced  bool    `json:"spaced,omitempty"`  // a blank after each comma and colon, as Python writes
	Escapes Escapes `json:"escapes,omitempty"` // which characters of strings are escaped
	Before  string  `json:"before,omitempty"`  // white space before the value
	After   string  `json:"after,omitempty"`   // white space after it

	// Order says in which order members stood where that is not by name. It is a
	// row of entries: how many objects to pass over, how many members, and the
	// place of each in the order by name, all as unsigned varints. Objects count
	// from the front of the body by their opening brace. An entry holds for every
	// later object with the same names until another entry says otherwise.
	Order []byte `json:"order,omitempty"`
	// Spelled are the strings, names and numbers that are not written as Escapes
	// and package canon would write them.
	Spelled []Spelling `json:"spelled,omitempty"`
	// Raw is the whole body, compressed (RFC 1951), where all the above would not
	// give it back. Nothing else is set then.
	Raw []byte `json:"raw,omitempty"`
}

// Spelling is how one string, name or number was written.
type Spelling struct {
	Skip    int    `json:"skip,omitempty"` // strings, names and numbers between it and the one before in Spelled
	Literal string `json:"as"`             // the bytes that stood there
}

// Escapes is a habit of writing strings. All habits escape the quote, the
// backslash and control characters, these as \b \f \n \r \t or \u00xx.
type Escapes string

// The habits that clients have.
const (
	EscapesNone  Escapes = ""      // nothing more: JavaScript, Rust, Python with ensure_ascii=False
	EscapesASCII Escapes = "ascii" // all beyond printable ASCII: Python
	EscapesHTML  Escapes = "html"  // < > & and the separators of lines and paragraphs: Go
)

var habits = [...]Escapes{EscapesNone, EscapesASCII, EscapesHTML}

// object is an object that was read: the names of its members as they stood.
type object []string

// shape names the set of names, which are sorted.
func shape(names []string) string {
	var key strings.Builder
	for _, name := range names {
		key.WriteString(strconv.Itoa(len(name)))
		key.WriteByte(':')
		key.WriteString(name)
	}
	return key.String()
}

// places says for each member as it stood which place it has by name; nil where
// each has its own.
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

// orderOf writes the order of members of all objects of a body.
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
