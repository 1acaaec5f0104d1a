package content

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contexttree/pact/diff"
	"github.com/sergi/go-diff/diffmatchpatch"
)

// op is what becomes of a piece of the older text.
type op byte

const (
	keep op = ' '
	del  op = '-'
	ins  op = '+'
)

// edit is a run of pieces that are kept, deleted or inserted.
type edit struct {
	op     op
	pieces []string
}

// maxPieces bounds what is compared piece by piece, because two texts with
// nothing in common cost the product of their lengths.
const maxPieces = 8_000

// edits finds what leads from one list of pieces to another. Where what differs
// has more than maxPieces, pieces that both lists have once hold them together,
// and what lies between these is compared until maxPieces are; what is left is
// replaced as a whole.
func edits(older, newer []string) []edit {
	d := differ{left: maxPieces}
	d.compare(older, newer, true)
	return d.list
}

// differ puts edits together.
type differ struct {
	list []edit
	left int // how many pieces may still be compared
}

// add appends an edit. Pieces that are kept come from the older list, one behind
// the other, so that a run of them grows in place.
func (d *differ) add(o op, pieces []string) {
	if len(pieces) == 0 {
		return
	}
	if last := len(d.list) - 1; o == keep && last >= 0 && d.list[last].op == keep {
		d.list[last].pieces = d.list[last].pieces[:len(d.list[last].pieces)+len(pieces)]
		return
	}
	d.list = append(d.list, edit{o, pieces})
}

// compare takes equal ends off and compares the middle, in parts if it may.
func (d *differ) compare(older, newer []string, parts bool) {
	head := 0
	for head < len(older) && head < len(newer) && older[head] == newer[head] {
		head++
	}
	tail := 0
	for tail < len(older)-head && tail < len(newer)-head && older[len(older)-1-tail] == newer[len(newer)-1-tail] {
		tail++
	}
	d.add(keep, older[:head])
	a, b := older[head:len(older)-tail], newer[head:len(newer)-tail]
	switch n := len(a) + len(b); {
	case n <= d.left:
		d.left -= n
		for _, e := range between(a, b) {
			d.add(e.op, e.pieces)
		}
	case parts:
		atA, atB := 0, 0
		for _, m := range anchors(a, b) {
			d.compare(a[atA:m.a], b[atB:m.b], false)
			d.add(keep, a[m.a:m.a+1])
			atA, atB = m.a+1, m.b+1
		}
		d.compare(a[atA:], b[atB:], false)
	default:
		d.add(del, a)
		d.add(ins, b)
	}
	d.add(keep, older[len(older)-tail:])
}

// between compares pieces with the library, which compares runes: every
// distinct piece becomes one.
func between(a, b []string) []edit {
	code := make(map[string]rune)
	encode := func(pieces []string) []rune {
		runes := make([]rune, len(pieces))
		for i, p := range pieces {
			if _, known := code[p]; !known {
				code[p] = rune(len(code) + 1) // far below the surrogates: there are at most maxPieces
			}
			runes[i] = code[p]
		}
		return runes
	}
	library := diffmatchpatch.New()
	library.DiffTimeout = 0 // its default depends on the time that passes
	var list []edit
	for _, d := range library.DiffMainRunes(encode(a), encode(b), false) {
		n := utf8.RuneCountInString(d.Text)
		switch d.Type {
		case diffmatchpatch.DiffEqual:
			list = append(list, edit{keep, a[:n]})
			a, b = a[n:], b[n:]
		case diffmatchpatch.DiffDelete:
			list = append(list, edit{del, a[:n]})
			a = a[n:]
		case diffmatchpatch.DiffInsert:
			list = append(list, edit{ins, b[:n]})
			b = b[n:]
		}
	}
	return list
}

// words splits a text into runs of letters and digits, runs of space, and
// single other characters. Joined they are the text again.
func words(s string) []string {
	var list []string
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 && len(s) >= 3 {
			n = 3 // a lone surrogate, which is all that is not UTF-8 in a content
		}
		if class := classOf(r); class != other {
			for n < len(s) {
				r, size := utf8.DecodeRuneInString(s[n:])
				if classOf(r) != class {
					break
				}
				n += size
			}
		}
		list = append(list, s[:n])
		s = s[n:]
	}
	return list
}

type class byte

const (
	other class = iota
	word
	space
)

func classOf(r rune) class {
	switch {
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '_':
		return word
	case unicode.IsSpace(r):
		return space
	}
	return other
}

func hunks(older, newer string) []diff.Hunk {
	names := map[op]string{keep: "keep", del: "del", ins: "ins"}
	list := []diff.Hunk{}
	for _, e := range edits(words(older), words(newer)) {
		list = append(list, diff.Hunk{Op: names[e.op], Text: strings.Join(e.pieces, "")})
	}
	return list
}
