package canon

import (
	"unicode/utf16"
	"unicode/utf8"
)

// String returns s as a value. AppendString says what becomes of invalid UTF-8.
func String(s string) Value {
	if PlainEnd(s, 0) < len(s) {
		return Value(AppendString(make([]byte, 0, len(s)+len(s)/4+16), s))
	}
	return Value(`"` + s + `"`)
}

// Strings returns the array of the strings of list; a nil list gives the empty
// array.
func Strings(list []string) Value {
	size := 2
	for _, s := range list {
		size += len(s) + 3
	}
	dst := append(make([]byte, 0, size), '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, s)
	}
	return Value(append(dst, ']'))
}

const hexDigits = "0123456789abcdef"

// AppendString appends s to dst quoted and escaped as Python does under
// ensure_ascii. A lone surrogate held as WTF-8 becomes its \ud800 form again;
// any other byte that is not UTF-8 becomes \ufffd. A caller that must not lose a
// byte calls ValidText first.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		if plain[s[i]] {
			end := PlainEnd(s, i)
			dst = append(dst, s[i:end]...)
			i = end
			continue
		}
		r, size := decodeRune(s[i:])
		dst = appendEscaped(dst, r)
		i += size
	}
	return append(dst, '"')
}

// appendEscaped appends one code point as it stands in a canonical string.
func appendEscaped(dst []byte, r rune) []byte {
	if r < utf8.RuneSelf {
		if plain[r] {
			return append(dst, byte(r))
		}
		return appendASCII(dst, byte(r))
	}
	if r <= 0xFFFF { // one unit, which most scripts need no more than
		return appendUnit(dst, r)
	}
	hi, lo := utf16.EncodeRune(r)
	return appendUnit(appendUnit(dst, hi), lo)
}

// appendASCII appends the escape of an ASCII byte that is not plain.
func appendASCII(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return appendUnit(dst, rune(c))
}

// appendUnit appends the \u escape of one UTF-16 code unit.
func appendUnit(dst []byte, u rune) []byte {
	return append(dst, '\\', 'u',
		hexDigits[u>>12&15], hexDigits[u>>8&15], hexDigits[u>>4&15], hexDigits[u&15])
}

// ValidText reports whether s is valid UTF-8, which excludes lone surrogates in
// WTF-8 form.
func ValidText(s string) bool { return utf8.ValidString(s) }

// badByte returns the index of the first byte of s at which it stops being a
// stored text, or -1.
func badByte(s string) int {
	if utf8.ValidString(s) {
		return -1
	}
	var last rune
	for i := 0; i < len(s); {
		r, size := decodeRune(s[i:])
		if r == utf8.RuneError && size == 1 || utf16.DecodeRune(last, r) != utf8.RuneError {
			return i
		}
		last = r
		i += size
	}
	return -1
}

// decodeRune is utf8.DecodeRuneInString that also reads surrogates in WTF-8 form.
func decodeRune(s string) (rune, int) {
	r, size := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && size == 1 && len(s) >= 3 &&
		s[0] == 0xED && s[1]&0xE0 == 0xA0 && s[2]&0xC0 == 0x80 {
		return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), 3
	}
	return r, size
}

// appendRune is utf8.AppendRune that also writes surrogates, in WTF-8 form.
func appendRune(dst []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0xBF, 0x80|byte(r)&0xBF)
	}
	return utf8.AppendRune(dst, r)
}

// settled returns s as a parser would read it back from its canonical form, with
// adjacent surrogate halves joined and bad bytes replaced. Member names go
// through it because the written names must be sorted and unique.
func settled(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		r, size := decodeRune(s[i:])
		i += size
		if utf16.IsSurrogate(r) {
			next, n := decodeRune(s[i:])
			if joined := utf16.DecodeRune(r, next); joined != utf8.RuneError {
				r = joined
				i += n
			}
		}
		out = appendRune(out, r)
	}
	return string(out)
}
