package canon

import (
	"fmt"
	"unicode/utf8"
)

// str reads the string whose opening quote is at hand.
func (p *parser[T]) str() (string, error) {
	p.at++
	run := p.at    // start of the bytes not copied yet
	var out []byte // what came before run, once there was an escape
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case plain[c]:
			p.at = PlainEnd(p.text, p.at)
		case c == 0x7F:
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

// escape reads the escape sequence whose backslash is at hand.
func (p *parser[T]) escape() (rune, error) {
	r, size := escapeAt(p.text[p.at:])
	switch {
	case size > 0:
		p.at += size
		return r, nil
	case p.at+1 == len(p.text):
		p.at++
	case p.text[p.at+1] == 'u':
		return 0, p.bad(`expected four hexadecimal digits after \u`, `write them, such as \u00e9`)
	}
	return 0, p.bad("a string holds an unknown escape sequence", `write \\ for a backslash`)
}
