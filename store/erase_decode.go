package store

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// nested is how deep JSON in strings in JSON is looked into. Each level doubles
// the backslashes that the one inside it needs.
const nested = 16

// decoded yields a text as it reads when the JSON in it is decoded, and what was
// in that, level after level, as long as there is anything to decode. JSON has
// backslashes in strings alone, so that the whole text can be decoded at once,
// whatever stands around the JSON in it. Cost: the text, once a level.
func decoded(text string, yield func(string) bool) {
	for range nested {
		inner, changed := unescaped(text)
		if !changed || !yield(inner) {
			return
		}
		text = inner
	}
}

// unescaped decodes every escape sequence of JSON in a text (RFC 8259 §7) and
// leaves all else as it is, lone surrogates too.
func unescaped(text string) (inner string, changed bool) {
	at := strings.IndexByte(text, '\\')
	if at < 0 {
		return text, false
	}
	out := make([]byte, 0, len(text))
	for at >= 0 {
		out = append(out, text[:at]...)
		r, size := escapeAt(text[at:])
		if size == 0 {
			out, size = append(out, '\\'), 1
		} else {
			out, changed = utf8.AppendRune(out, r), true
		}
		text = text[at+size:]
		at = strings.IndexByte(text, '\\')
	}
	return string(append(out, text...)), changed
}

// simple are the escape sequences of one letter, each before what it stands for.
const simple = "\"\"\\\\//b\bf\fn\nr\rt\t"

// escapeAt reads the escape sequence that a text begins with; size is 0 where it
// begins with none.
func escapeAt(text string) (r rune, size int) {
	if len(text) < 2 {
		return 0, 0
	}
	for i := 0; i < len(simple); i += 2 {
		if simple[i] == text[1] {
			return rune(simple[i+1]), 2
		}
	}
	high, ok := unitAt(text)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(high) {
		return high, 6
	}
	if low, ok := unitAt(text[6:]); ok {
		if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
			return r, 12
		}
	}
	return 0, 0
}

// unitAt reads a backslash, u and four hexadecimal digits.
func unitAt(text string) (r rune, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	for _, c := range []byte(text[2:6]) {
		switch {
		case '0' <= c && c <= '9':
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
