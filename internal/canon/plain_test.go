package canon

import (
	"math/rand/v2"
	"testing"
)

// PlainEnd finds what a look at each byte finds, wherever the first byte is that is
// not plain and whatever comes after it.
func TestPlainEndAgreesWithModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		text := make([]byte, r.IntN(40))
		for i := range text {
			text[i] = byte(' ' + r.IntN(95))
			if r.IntN(12) == 0 {
				text[i] = byte(r.IntN(256))
			}
		}
		from := r.IntN(len(text) + 1)
		want := from
		for want < len(text) && plain[text[want]] {
			want++
		}
		if got := PlainEnd(text, from); got != want {
			t.Fatalf("in bytes of %q from %d: %d, want %d", text, from, got, want)
		}
		if got := PlainEnd(string(text), from); got != want {
			t.Fatalf("in the string %q from %d: %d, want %d", text, from, got, want)
		}
	}
}

// Every byte is told apart at every place of a word, between the bytes that are next
// to the limits.
func TestNotPlainTellsEveryByteApart(t *testing.T) {
	for place := range 8 {
		for _, around := range []byte{' ', '!', '#', '[', ']', '~', 'a'} {
			for c := range 256 {
				word := uint64(0)
				for i := range 8 {
					b := around
					if i == place {
						b = byte(c)
					}
					word |= uint64(b) << (8 * i)
				}
				if marks := notPlain(word); (marks == 0) != plain[c] {
					t.Fatalf("byte %#x at %d among %q: marks %#x", c, place, around, marks)
				}
			}
		}
	}
}
