package engine

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/contexttree/pact/internal/canon"
)

// nested is how many levels of JSON inside strings of JSON the search decodes. Each level
// doubles the backslashes that the level inside it needs.
const nested = 16

// decoded yields a text with its JSON escapes decoded, then that result decoded again, level
// after level, until nothing is left to decode. JSON has backslashes only in strings, so the
// whole text can be decoded at once, whatever stands around the JSON in it. Cost: the length of
// the text, once for each level.
func decoded(text string, yield func(string) bool) {
	for range nested {
		inner, changed := unescaped(text)
		if !changed || !yield(inner) {
			return
		}
		text = inner
	}
}

// unescaped decodes every escape sequence of JSON in a text (RFC 8259 §7) and leaves everything
// else as it is, including lone surrogates.
func unescaped(text string) (inner string, changed bool) {
	at := strings.IndexByte(text, '\\')
	if at < 0 {
		return text, false
	}
	out := make([]byte, 0, len(text))
	for at >= 0 {
		out = append(out, text[:at]...)
		r, size := canon.EscapeAt(text[at:])
		if size == 0 || utf16.IsSurrogate(r) {
			out, size = append(out, '\\'), 1
		} else {
			out, changed = utf8.AppendRune(out, r), true
		}
		text = text[at+size:]
		at = strings.IndexByte(text, '\\')
	}
	return string(append(out, text...)), changed
}
