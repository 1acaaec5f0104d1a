package tokens

import (
	"sync"
	"unicode"
)

// class says what the splitter needs to know about a rune. Letters without case and
// modifier letters count as both upper and lower; so do marks, which are not letters.
type class uint8

const (
	space class = 1 << iota
	newline
	number
	letter
	upper
	lower
	end // of the text; no rune has it
)

const (
	capital  = letter | upper
	minor    = letter | lower
	caseless = letter | upper | lower
	mark     = upper | lower
)

// classes holds the class of every rune. It is computed on first use and takes 1.1 MB,
// but nothing touches the pages of unassigned runes.
var classes = sync.OnceValue(func() []class {
	of := make([]class, unicode.MaxRune+1)
	fill := func(t *unicode.RangeTable, c class) {
		for _, r := range t.R16 {
			for i := int(r.Lo); i <= int(r.Hi); i += int(r.Stride) {
				of[i] |= c
			}
		}
		for _, r := range t.R32 {
			for i := int(r.Lo); i <= int(r.Hi); i += int(r.Stride) {
				of[i] |= c
			}
		}
	}
	fill(unicode.White_Space, space)
	fill(unicode.N, number)
	fill(unicode.Lu, capital)
	fill(unicode.Lt, capital)
	fill(unicode.Ll, minor)
	fill(unicode.Lm, caseless)
	fill(unicode.Lo, caseless)
	fill(unicode.M, mark)
	of['\r'] |= newline
	of['\n'] |= newline
	for _, r := range unicode16 {
		for i := r.low; i <= r.high; i++ {
			of[i] = r.class
		}
	}
	return of
})

// unicode16 holds what Unicode 15.1 and 16 added: the tables of the standard library are
// those of 15.0, and the reference tokenizer uses those of 16.
var unicode16 = []struct {
	low, high rune
	class     class
}{
	{0x0897, 0x0897, mark},
	{0x1c89, 0x1c89, capital},
	{0x1c8a, 0x1c8a, minor},
	{0xa7cb, 0xa7cc, capital},
	{0xa7cd, 0xa7cd, minor},
	{0xa7da, 0xa7da, capital},
	{0xa7db, 0xa7db, minor},
	{0xa7dc, 0xa7dc, capital},
	{0x105c0, 0x105f3, caseless},
	{0x10d40, 0x10d49, number},
	{0x10d4a, 0x10d4f, caseless},
	{0x10d50, 0x10d65, capital},
	{0x10d69, 0x10d6d, mark},
	{0x10d6f, 0x10d6f, caseless},
	{0x10d70, 0x10d85, minor},
	{0x10ec2, 0x10ec4, caseless},
	{0x10efc, 0x10efc, mark},
	{0x11380, 0x11389, caseless},
	{0x1138b, 0x1138b, caseless},
	{0x1138e, 0x1138e, caseless},
	{0x11390, 0x113b5, caseless},
	{0x113b7, 0x113b7, caseless},
	{0x113b8, 0x113c0, mark},
	{0x113c2, 0x113c2, mark},
	{0x113c5, 0x113c5, mark},
	{0x113c7, 0x113ca, mark},
	{0x113cc, 0x113d0, mark},
	{0x113d1, 0x113d1, caseless},
	{0x113d2, 0x113d2, mark},
	{0x113d3, 0x113d3, caseless},
	{0x113e1, 0x113e2, mark},
	{0x116d0, 0x116e3, number},
	{0x11bc0, 0x11be0, caseless},
	{0x11bf0, 0x11bf9, number},
	{0x11f5a, 0x11f5a, mark},
	{0x13460, 0x143fa, caseless},
	{0x16100, 0x1611d, caseless},
	{0x1611e, 0x1612f, mark},
	{0x16130, 0x16139, number},
	{0x16d40, 0x16d6c, caseless},
	{0x16d70, 0x16d79, number},
	{0x18cff, 0x18cff, caseless},
	{0x1ccf0, 0x1ccf9, number},
	{0x1e5d0, 0x1e5ed, caseless},
	{0x1e5ee, 0x1e5ef, mark},
	{0x1e5f0, 0x1e5f0, caseless},
	{0x1e5f1, 0x1e5fa, number},
	{0x2ebf0, 0x2ee5d, caseless},
}
