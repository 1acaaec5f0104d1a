package wire

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/contexttree/pact/internal/canon"
)

// str reads a string or a name, and returns the habits that would write it so.
func (p *parser) str() (string, bool) {
	start := p.at
	fits := all
	odd := false // it has an escape of more than one character
	p.scratch = p.scratch[:0]
	p.at++
	for run := p.at; ; { // text[run:at] is not in scratch yet
		c := p.peek()
		switch {
		case c == '"':
			p.at++
			literal := p.text[start:p.at]
			for i := range habits {
				if fits&(1<<i) == 0 {
					p.spell(i, literal)
				}
			}
			p.scalars++
			switch {
			case p.dry:
				return "", true
			case odd:
				value, err := canon.ParseAny([]byte(literal))
				return value.Text, err == nil
			case len(p.scratch) == 0:
				return literal[1 : len(literal)-1], true
			}
			p.scratch = append(p.scratch, p.text[run:p.at-1]...)
			return string(p.scratch), true
		case c < ' ': // this case also ends the loop at the end of the text
			return "", false
		case c == '\\':
			before := p.at
			writes, ok := p.escape()
			if !ok {
				return "", false
			}
			fits &= writes
			if char := shortEscapes[p.text[before+1]]; char == 0 {
				odd = true
			} else if !p.dry {
				p.scratch = append(append(p.scratch, p.text[run:before]...), char)
				run = p.at
			}
		case c == 0x7F:
			fits &= unescapedBy(rune(c))
			p.at++
		case c < utf8.RuneSelf:
			run := p.text[p.at:canon.PlainEnd(p.text, p.at)]
			if fits&html != 0 && (strings.Contains(run, "<") || strings.Contains(run, ">") || strings.Contains(run, "&")) {
				fits &= unescapedBy('<')
			}
			p.at += len(run)
		default:
			r, size := utf8.DecodeRuneInString(p.text[p.at:])
			if r == utf8.RuneError && size == 1 {
				return "", false
			}
			fits &= unescapedBy(r)
			p.at += size
		}
	}
}

// Sets of habits: one bit for each, in the order of habits.
const (
	none = 1 << iota
	ascii
	html
	all = none | ascii | html
)

// unescapedBy returns the habits that write a character unescaped.
func unescapedBy(r rune) int {
	switch {
	case r == '<' || r == '>' || r == '&':
		return none | ascii
	case r == 0x7F:
		return none | html
	case r < utf8.RuneSelf:
		return all
	case r == '\u2028' || r == '\u2029':
		return none
	}
	return none | html
}

// shortEscapes has the character for which each letter behind a backslash stands, 0 for none.
var shortEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape skips an escape and returns the habits that write it so.
func (p *parser) escape() (int, bool) {
	rest := p.text[p.at:]
	if len(rest) < 2 {
		return 0, false
	}
	if rest[1] != 'u' {
		p.at += 2
		if rest[1] == '/' {
			return 0, true
		}
		return all, shortEscapes[rest[1]] != 0
	}
	unit, lower, ok := unitOf(rest)
	if !ok {
		return 0, false
	}
	p.at += len(`\u0000`)
	writes := escaped(unit)
	if utf16.IsSurrogate(unit) {
		low, lowered, ok := unitOf(p.text[p.at:])
		if ok && utf16.DecodeRune(unit, low) != utf8.RuneError {
			p.at += len(`\u0000`)
			writes, lower = ascii, lower && lowered
		}
	}
	if !lower {
		return 0, true
	}
	return writes, true
}

// escaped returns the habits that write a UTF-16 code unit, possibly a lone
// surrogate, as \uxxxx.
func escaped(unit rune) int {
	switch {
	case slices.Contains([]rune{'\b', '\f', '\n', '\r', '\t'}, unit):
		return 0
	case unit < ' ':
		return all
	case unit == '<' || unit == '>' || unit == '&':
		return html
	case unit < 0x7F:
		return 0
	case unit == '\u2028' || unit == '\u2029':
		return ascii | html
	case utf16.IsSurrogate(unit):
		return none | ascii
	}
	return ascii
}

// unitOf reads \uxxxx. lower reports whether its hexadecimal letters are lower
// case.
func unitOf(text string) (unit rune, lower, ok bool) {
	if len(text) < 6 || text[:2] != `\u` {
		return 0, false, false
	}
	lower = true
	for _, c := range []byte(text[2:6]) {
		switch {
		case '0' <= c && c <= '9':
			unit = unit<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			unit = unit<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			unit, lower = unit<<4|rune(c-'A'+10), false
		default:
			return 0, false, false
		}
	}
	return unit, lower, true
}
