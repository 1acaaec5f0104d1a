package wire

import (
	"encoding/binary"
	"strconv"
	"unicode/utf8"

	"github.com/contexttree/pact/internal/canon"
)

// writer writes a value in the way that notes describe.
type writer struct {
	notes        Notes
	comma, colon string
	dst          []byte
	known        map[string][]int // member order, by the shape of the object
	shape        []byte
	order        []byte     // the notes not used yet
	spelled      []Spelling // the notes not used yet
	state
	err     error
	*series // nil for one body alone
}

// state is how much of the notes was used.
type state struct {
	used, spells     int // bytes of the order, elements of the spelled
	objects, scalars nextNoted
}

// nextNoted says which of the next objects or scalars the notes mention: how many to skip, -1 if no other one is
// mentioned, and how many were passed.
type nextNoted struct{ skip, passed int }

// next passes one, and reports whether it is mentioned.
func (d *nextNoted) next() bool {
	d.passed++
	return d.passed-1 == d.skip
}

func newWriter(notes Notes, dst []byte) *writer {
	w := &writer{notes: notes, comma: ",", colon: ":", known: make(map[string][]int)}
	if notes.Spaced {
		w.comma, w.colon = ", ", ": "
	}
	w.order, w.spelled = notes.Order, notes.Spelled
	w.nextObject()
	w.nextScalar()
	w.dst = append(dst, notes.Before...)
	return w
}

func (w *writer) done() ([]byte, error) {
	if w.err == nil && (w.objects.skip >= 0 || w.scalars.skip >= 0) {
		w.fail("they describe more than the body has")
	}
	if w.err != nil {
		return nil, w.err
	}
	w.dst = append(w.dst, w.notes.After...)
	return w.dst, nil
}

func (w *writer) fail(why string) {
	if w.err == nil {
		w.err = foreign(why)
	}
}

func (w *writer) value(v canon.Any) {
	switch v.Kind {
	case canon.KindAbsent:
		w.fail("the body has no value")
	case canon.KindString:
		w.str(v.Text)
	case canon.KindNumber:
		if !w.literal() {
			w.dst = append(w.dst, v.Text...)
		}
	case canon.KindArray:
		w.dst = append(w.dst, '[')
		for i, e := range v.Elems {
			if i > 0 {
				w.dst = append(w.dst, w.comma...)
			}
			w.value(e)
		}
		w.dst = append(w.dst, ']')
	case canon.KindObject:
		w.dst = append(w.dst, '{')
		places, list := w.places(v.Members), w.listName()
		for i := range v.Members {
			if i > 0 {
				w.dst = append(w.dst, w.comma...)
			}
			m := &v.Members[i]
			if places != nil {
				m = &v.Members[places[i]]
			}
			w.str(m.Name)
			w.dst = append(w.dst, w.colon...)
			if list != "" && m.Name == list && m.Value.Kind == canon.KindArray {
				w.elements(m.Value.Elems)
				continue
			}
			w.value(m.Value)
		}
		w.dst = append(w.dst, '}')
	default:
		w.dst = append(w.dst, v.Text...)
	}
}

// literal writes the current scalar from its Spelling, if it has one.
func (w *writer) literal() bool {
	if !w.scalars.next() {
		return false
	}
	w.dst = append(w.dst, w.spelled[0].Literal...)
	w.spelled = w.spelled[1:]
	w.nextScalar()
	return true
}

func (w *writer) nextScalar() {
	w.scalars, w.spells = nextNoted{skip: -1}, len(w.notes.Spelled)-len(w.spelled)
	if len(w.spelled) > 0 {
		w.scalars.skip = max(w.spelled[0].Skip, 0)
	}
}

// places returns the member order of the current object, nil for the order of
// the names.
func (w *writer) places(members []canon.Member) []int {
	mentioned := w.objects.next()
	if len(members) < 2 && !mentioned {
		return nil
	}
	w.shape = w.shape[:0]
	for i := range members {
		w.shape = appendShape(w.shape, members[i].Name)
	}
	if mentioned {
		w.known[string(w.shape)] = w.permutation(len(members))
		w.use()
		w.nextObject()
	}
	return w.known[string(w.shape)]
}

// permutation reads one entry of the order.
func (w *writer) permutation(members int) []int {
	n := w.uvarint()
	if n == 0 {
		return nil
	}
	if n != uint64(members) {
		w.fail("an object has " + strconv.Itoa(members) + " members")
		return nil
	}
	places := make([]int, n)
	seen := make([]bool, n)
	for i := range places {
		place := w.uvarint()
		if place >= n || seen[place] {
			w.fail("members have no order")
			return nil
		}
		places[i], seen[place] = int(place), true
	}
	return places
}

func (w *writer) nextObject() {
	w.objects, w.used = nextNoted{skip: -1}, len(w.notes.Order)-len(w.order)
	if len(w.order) > 0 {
		const most = MaxBody // no body holds more objects
		w.objects.skip = int(min(w.uvarint(), most))
	}
}

func (w *writer) uvarint() uint64 {
	n, size := binary.Uvarint(w.order)
	if size <= 0 {
		w.fail("they end within an entry")
		w.order = nil
		return 0
	}
	w.order = w.order[size:]
	return n
}

// str writes a string or a name.
func (w *writer) str(s string) {
	switch {
	case w.literal():
	case w.notes.Escapes == EscapesASCII:
		w.dst = canon.AppendString(w.dst, s)
	default:
		w.escape(s, w.notes.Escapes == EscapesHTML)
	}
}

// escape writes a string and leaves characters beyond ASCII unescaped.
func (w *writer) escape(s string, html bool) {
	w.dst = append(w.dst, '"')
	run := 0 // start of the text not written yet
	for i := 0; i < len(s); {
		if !html {
			if i = canon.PlainEnd(s, i); i == len(s) {
				break
			}
		}
		c := s[i]
		size := 1
		plain := c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' && !(html && (c == '<' || c == '>' || c == '&'))
		if c >= utf8.RuneSelf {
			var r rune
			r, size = utf8.DecodeRuneInString(s[i:])
			plain = !(html && (r == '\u2028' || r == '\u2029'))
			if r == utf8.RuneError && size == 1 {
				plain, size = false, min(3, len(s)-i) // a lone surrogate, in three bytes
			}
		}
		if !plain {
			w.dst = append(w.dst, s[run:i]...)
			w.dst = w.escaped(s[i : i+size])
			run = i + size
		}
		i += size
	}
	w.dst = append(append(w.dst, s[run:]...), '"')
}

// escaped appends the escape of one character.
func (w *writer) escaped(char string) []byte {
	switch char {
	case "<":
		return append(w.dst, `\u003c`...)
	case ">":
		return append(w.dst, `\u003e`...)
	case "&":
		return append(w.dst, `\u0026`...)
	}
	quoted := canon.AppendString(nil, char)
	return append(w.dst, quoted[1:len(quoted)-1]...)
}
