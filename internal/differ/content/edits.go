package content

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contexttree/pact/diff"
	"github.com/sergi/go-diff/diffmatchpatch"
)

// op says what an edit does with its pieces.
type op byte

const (
	keep op = ' '
	del  op = '-'
	ins  op = '+'
)

// edit keeps, deletes or inserts a run of pieces.
type edit struct {
	op     op
	pieces []string
}

// maxPieces bounds how many pieces are compared one by one, because two texts
// with nothing in common cost the product of their lengths.
const maxPieces = 8_000

// edits finds the edits that lead from one list of pieces to another. If more than
// maxPieces pieces differ, it aligns the lists at the pieces that each list has
// once, and compares the parts between these until it has compared maxPieces. It
// replaces the other parts as a whole.
func edits(older, newer []string) []edit {
	d := differ{left: maxPieces}
	d.compare(older, newer, true)
	return d.list
}

// differ collects edits.
type differ struct {
	list []edit
	left int // how many pieces may still be compared
}

// add appends an edit. Kept pieces come from the older list in order, so a run of
// them grows in place.
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

// compare sets equal beginnings and ends aside and compares the middle. parts
// allows it to align the middle at anchors.
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

// between compares pieces with the library, which compares runes: it stands for
// each distinct piece by a rune.
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
	library.DiffTimeout = 0 // with a timeout the diff would depend on the speed of the machine
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
// single other characters. Joined, the words give the text again.
func words(s string) []string {
	var list []string
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 && len(s) >= 3 {
			n = 3 // a lone surrogate: a content holds no other bytes that are not UTF-8
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
