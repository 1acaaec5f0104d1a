package tokens

import "unicode/utf8"

// splitter cuts a text into the pieces that are encoded one by one. Its methods match
// what the regular expressions of the encodings match. Each takes time linear in what it
// looks at, and they look at no rune more than a few times.
type splitter struct {
	text    string
	classes []class
	steps   int // runes looked at, for the tests of cost
}

func newSplitter(text string) *splitter { return &splitter{text: text, classes: classes()} }

// at returns the class and the size of the rune at i. A byte that is not UTF-8 counts as
// a rune of one byte without a class.
func (s *splitter) at(i int) (class, int) {
	if i >= len(s.text) {
		return end, 0
	}
	s.steps++
	if c := s.text[i]; c < utf8.RuneSelf {
		return s.classes[c], 1
	}
	r, size := utf8.DecodeRuneInString(s.text[i:])
	return s.classes[r], size
}

// run returns the end of the runes from i on that have one of the classes in of.
func (s *splitter) run(i int, of class) int {
	for {
		c, size := s.at(i)
		if c&of == 0 {
			return i
		}
		i += size
	}
}

// cl100k returns the end of the piece that begins at i: a contraction, letters with one
// rune before them, up to three numbers, other runes, or space.
func (s *splitter) cl100k(i int) int {
	if n := contraction(s.text[i:]); n > 0 {
		return i + n
	}
	first, size := s.at(i)
	from := i
	if first&(letter|number|newline) == 0 {
		from += size
	}
	if to := s.run(from, letter); to > from {
		return to
	}
	if first&number != 0 {
		return s.numbers(i)
	}
	if to := s.others(i); to > i {
		return s.run(to, newline)
	}
	if to := s.run(i, space); to == len(s.text) {
		return to
	}
	return s.spaces(i)
}

// o200k returns the end of the piece that begins at i: a word with one rune before it and
// a contraction behind it, up to three numbers, other runes, or space.
func (s *splitter) o200k(i int) int {
	if to := s.word(i); to > i {
		return to + contraction(s.text[to:])
	}
	if first, _ := s.at(i); first&number != 0 {
		return s.numbers(i)
	}
	if to := s.others(i); to > i {
		for to < len(s.text) && (s.text[to] == '/' || s.text[to] == '\r' || s.text[to] == '\n') {
			s.steps++
			to++
		}
		return to
	}
	return s.spaces(i)
}

// word returns the end of the word that begins at i, or i if there is none. One rune that
// is neither letter nor number nor newline may stand before its letters. A word that ends
// in small letters has precedence over one of capitals alone: first with that rune before
// its letters, then, if the rune is a mark, with the mark as its first letter.
func (s *splitter) word(i int) int {
	first, size := s.at(i)
	if first&(number|newline) != 0 {
		return i
	}
	if first&letter != 0 {
		to, _ := s.letters(i)
		return to
	}
	to, small := s.letters(i + size)
	if !small && first&lower != 0 {
		to, small = s.letters(i)
	}
	if !small && to == i+size {
		return i
	}
	return to
}

// letters returns the end of the letters and marks that begin at i: capitals, then small
// letters; letters without case and marks count as both. If no small letters follow the
// capitals, it ends after the last of these that counts as both. small is false if there
// is none of either; then these are capitals alone, or nothing.
func (s *splitter) letters(i int) (to int, small bool) {
	for {
		c, size := s.at(i)
		if c&upper == 0 {
			if c&lower != 0 {
				return s.run(i, lower), true
			}
			break
		}
		i += size
		if c&lower != 0 {
			to, small = i, true
		}
	}
	if small {
		return to, true
	}
	return i, false
}

// numbers returns the end of up to three numbers that begin at i.
func (s *splitter) numbers(i int) int {
	for range 3 {
		c, size := s.at(i)
		if c&number == 0 {
			break
		}
		i += size
	}
	return i
}

// others returns the end of the runes that are neither space nor letter nor number and
// begin at i or behind a blank at i. It returns i if there are none.
func (s *splitter) others(i int) int {
	from := i
	if s.text[i] == ' ' {
		from++
	}
	to := from
	for {
		c, size := s.at(to)
		if c&(space|letter|number|end) != 0 {
			break
		}
		to += size
	}
	if to == from {
		return i
	}
	return to
}

// spaces returns the end of the piece of space that begins at i: behind the last newline
// or, without one, before the last of several spaces if text follows, because that space
// belongs to the text.
func (s *splitter) spaces(i int) int {
	line, last, to := i, i, i
	for {
		c, size := s.at(to)
		if c&space == 0 {
			break
		}
		last, to = to, to+size
		if c&newline != 0 {
			line = to
		}
	}
	switch {
	case line > i:
		return line
	case to < len(s.text) && last > i:
		return last
	}
	return to
}

// contraction returns the length of the English contraction that text begins
// with, in small letters or capitals, or 0.
func contraction(text string) int {
	if len(text) < 2 || text[0] != '\'' {
		return 0
	}
	switch text[1] | 0x20 {
	case 's', 't', 'm', 'd':
		return 2
	case 'l', 'v', 'r':
		if len(text) < 3 {
			return 0
		}
		switch string([]byte{text[1] | 0x20, text[2] | 0x20}) {
		case "ll", "ve", "re":
			return 3
		}
	}
	if r, size := utf8.DecodeRuneInString(text[1:]); r == 'ſ' { // a small s of another form
		return 1 + size
	}
	return 0
}
