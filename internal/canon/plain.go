package canon

import "math/bits"

// plain marks the bytes that a canonical string holds unescaped: printable ASCII
// except the quote and the backslash. DEL is not among them, because Python
// escapes it.
var plain = func() (table [256]bool) {
	for c := ' '; c <= '~'; c++ {
		table[c] = c != '"' && c != '\\'
	}
	return table
}()

// PlainEnd returns the index of the first byte of s, from index i on, that a canonical
// string escapes: anything but printable ASCII, and the quote and the backslash. It
// returns the length of s if there is none. It looks at eight bytes at a time, because
// nearly everything that is read, compared or written is text.
func PlainEnd[T ~string | ~[]byte](s T, i int) int {
	for len(s)-i >= 8 {
		b := s[i : i+8]
		word := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		if marks := notPlain(word); marks != 0 {
			return i + bits.TrailingZeros64(marks)/8
		}
		i += 8
	}
	for i < len(s) && plain[s[i]] {
		i++
	}
	return i
}

// notPlain returns 0 if all eight bytes of a word are plain. Otherwise the lowest
// bit that is set is the highest bit of the lowest byte that is not.
//
// Taking n from each byte sets the highest bit of the bytes below n, and may borrow
// from the bytes above one of those, which the lowest bit does not show. A byte that
// must not be c is compared with c by exclusive or, and must not be below 1.
func notPlain(word uint64) uint64 {
	const each, highest = 0x0101010101010101, 0x8080808080808080
	quote, slash, del := word^'"'*each, word^'\\'*each, word^0x7f*each
	return highest & (word | (word - ' '*each) | (quote - each) | (slash - each) | (del - each))
}
