package postgres

import (
	"bytes"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// mark precedes two hexadecimal digits that stand for a byte. It is a code point that stands
// for no character.
const mark = "\ufdd0"

// escape writes a text in a form that the database can store: without NUL and in UTF-8.
// Different texts have different forms.
func escape(s string) []byte {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 && !strings.Contains(s, mark) {
		return []byte(s)
	}
	var b []byte
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == 0 || r == utf8.RuneError && n == 1 || s[:n] == mark {
			for i := range n {
				b = hex.AppendEncode(append(b, mark...), []byte{s[i]})
			}
		} else {
			b = append(b, s[:n]...)
		}
		s = s[n:]
	}
	return b
}

// unescape is the inverse of escape.
func unescape(data []byte) string {
	before, rest, found := bytes.Cut(data, []byte(mark))
	if !found {
		return string(data)
	}
	b := bytes.Clone(before)
	for found {
		if len(rest) < 2 { // escape never writes that
			return string(data)
		}
		var err error
		if b, err = hex.AppendDecode(b, rest[:2]); err != nil {
			return string(data)
		}
		before, rest, found = bytes.Cut(rest[2:], []byte(mark))
		b = append(b, before...)
	}
	return string(b)
}
