package postgres

import (
	"bytes"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// mark stands before two hexadecimal digits that are a byte. It is a code point
// that stands for no character.
const mark = "\ufdd0"

// escape writes a text as the database can hold it: without NUL and in UTF-8.
// Different texts come out differently.
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

// unescape is the opposite of escape.
func unescape(data []byte) string {
	before, rest, found := bytes.Cut(data, []byte(mark))
	if !found {
		return string(data)
	}
	b := bytes.Clone(before)
	for found {
		if len(rest) < 2 { // nobody wrote that
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
