package canon

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads the string whose opening quote is at hand.
func (p *parser[T]) str() (string, error) {
	p.at++
	run := p.at    // start of the bytes not copied yet
	var out []byte // what came before run, once there was an escape
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case plain[c] || c == 0x7F:
			p.at++
		case c == '"':
			tail := string(p.text[run:p.at])
			p.at++
			if out == nil {
				return tail, nil
			}
			return string(append(out, tail...)), nil
		case c == '\\':
			out = append(out, p.text[run:p.at]...)
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			out = appendRune(out, r)
			run = p.at
		case c < ' ':
			return "", p.controlInString(c)
		default:
			r, size := p.rune()
			if r == utf8.RuneError && size == 1 {
				return "", p.notUTF8()
			}
			p.at += size
		}
	}
	return "", p.endsInString()
}

func (p *parser[T]) controlInString(c byte) error {
	return p.bad("a string holds a raw control character", fmt.Sprintf(`write it as \u%04x`, c))
}

func (p *parser[T]) notUTF8() error {
	return p.bad("a string is not valid UTF-8", "save the text as UTF-8")
}

func (p *parser[T]) endsInString() error {
	return p.bad("the text ends inside a string", "close the string with a quote")
}

// escape reads the escape sequence whose backslash is at hand. Escaped
// surrogate halves side by side make one code point, a lone one stays.
func (p *parser[T]) escape() (rune, error) {
	p.at++
	c := p.peek()
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		r, ok := p.unit(p.at + 1)
		if !ok {
			p.at--
			return 0, p.bad(`expected four hexadecimal digits after \u`, "")
		}
		p.at += 5
		if utf16.IsSurrogate(r) && p.has(`\u`) {
			if low, ok := p.unit(p.at + 2); ok {
				if joined := utf16.DecodeRune(r, low); joined != utf8.RuneError {
					p.at += 6
					return joined, nil
				}
			}
		}
		return r, nil
	default:
		if p.at < len(p.text) {
			p.at--
		}
		return 0, p.bad("a string holds an unknown escape sequence", `write \\ for a backslash`)
	}
	p.at++
	return rune(c), nil
}

// unit reads the four hexadecimal digits at index i.
func (p *parser[T]) unit(i int) (rune, bool) {
	if len(p.text)-i < 4 {
		return 0, false
	}
	var r rune
	for k := i; k < i+4; k++ {
		c := p.text[k]
		switch {
		case isDigit(c):
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = (c | 0x20) - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
