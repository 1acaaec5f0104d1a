package canon

import (
	"unicode/utf16"
	"unicode/utf8"
)

// EscapeAt reads the JSON escape sequence (RFC 8259 §7) at the beginning of a
// text, which need not be JSON itself. size is the length of the sequence in
// bytes, 0 if the text begins with none. Two adjacent escaped surrogate halves
// make one code point; a lone half comes back as the surrogate r.
func EscapeAt(text string) (r rune, size int) { return escapeAt(text) }

func escapeAt[T string | []byte](text T) (r rune, size int) {
	if len(text) < 2 || text[0] != '\\' {
		return 0, 0
	}
	switch c := text[1]; c {
	case '"', '\\', '/':
		return rune(c), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	}
	r, ok := unitAt(text, 0)
	if !ok {
		return 0, 0
	}
	if utf16.IsSurrogate(r) {
		if low, ok := unitAt(text, 6); ok {
			if joined := utf16.DecodeRune(r, low); joined != utf8.RuneError {
				return joined, 12
			}
		}
	}
	return r, 6
}

// unitAt reads a backslash, u and four hexadecimal digits at index i.
func unitAt[T string | []byte](text T, i int) (r rune, ok bool) {
	if len(text)-i < 6 || text[i] != '\\' || text[i+1] != 'u' {
		return 0, false
	}
	for k := i + 2; k < i+6; k++ {
		c := text[k]
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
