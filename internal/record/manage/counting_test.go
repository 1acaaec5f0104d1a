package manage

import (
	"math"
	"testing"
)

// Thirty parts of a prompt have 17,600 tokens where the counter has 14,000, and texts of digits 4,200 where it has 6,000.
// A fifth of such a text counts a fifth of its tokens, within a twentieth: what a fit of both says that each part counts
// besides its content is no such thing.
func TestAPartOfATextCountsInProportion(t *testing.T) {
	c, parts, told := NewCounting(0), []Sized{}, 17_600.0
	for n := range byte(30) {
		parts = append(parts, Sized{Hash: hash{1, n}, Size: 4 * 14_000 / 30})
	}
	c.Learn(parts, told, false)
	for n := range byte(24) {
		digits := Sized{Hash: hash{2, n}, Size: 24_000, Result: true}
		parts, told = append(parts, digits, Sized{Hash: hash{3, n}, Size: 200}), told+4250
		c.Learn(parts, told, false)
		whole := c.TokensOf(digits)
		if got := c.InPlaceOf(digits, 4800, 0); math.Abs(got-whole/5) > whole/100 {
			t.Fatalf("text %d has %.0f tokens, and a fifth of it %.0f", n, whole, got)
		}
	}
}

// A provider counts a token for four bytes of words, two thirds of one for four of numbers, and ten for each part. A note in
// place of numbers counts as the words that it is.
func TestANoteCountsAsWords(t *testing.T) {
	c, parts, told := NewCounting(Each), []Sized{}, 0.0
	answered := func(words, numbers Sized) {
		parts = append(parts, words, numbers)
		told += 10 + float64(words.Size)/4 + 10 + float64(numbers.Size)/6
		c.Learn(parts, told, false)
	}
	answered(Sized{Hash: hash{1}, Size: 40_000}, Sized{Hash: hash{2}, Size: 10, Result: true})
	for n := range byte(24) {
		numbers := Sized{Hash: hash{4, n}, Size: 24_000, Result: true}
		answered(Sized{Hash: hash{3, n}, Size: 100 * int64(1+n%3)}, numbers)
		for _, piece := range []int64{0, 3000} {
			if got := c.InPlaceOf(numbers, piece, 84) - c.InPlaceOf(numbers, piece, 0); math.Abs(got-84/4) > 1 {
				t.Fatalf("text %d: beside %d bytes a note of 84 has %.1f tokens", n, piece, got)
			}
		}
	}
}

// What a long text has more than a token for four bytes is of its bytes: a short one has as many as before, and the few of a part.
// Where parts are many and short, it is of the parts, up to 16 each.
func TestWhatAnAnswerTellsOfTheParts(t *testing.T) {
	for name, x := range map[string]struct {
		parts       int
		size        int64
		told        float64
		least, most float64 // of a part of four bytes
	}{
		"a text with a tenth more":    {1, 40_000, 11_000, 8, 12},
		"a text as it was estimated":  {1, 40_000, 10_008, 8.9, 9.1},
		"parts with twelve each more": {2000, 4, 2000 * (1 + 12), 12, 14},
		"parts with a hundred each":   {2000, 4, 2000 * 101, 17, 100},
	} {
		c, parts := NewCounting(Each), []Sized{}
		for n := range x.parts {
			parts = append(parts, Sized{Hash: hash{5, byte(n), byte(n >> 8)}, Size: x.size})
		}
		c.Learn(parts, x.told, false)
		if got := c.TokensOf(Sized{Hash: hash{6}, Size: 4}); got < x.least || got > x.most {
			t.Errorf("%s: a part of four bytes has %.1f tokens", name, got)
		}
		if got := c.TokensOf(parts[0]); math.Abs(got*float64(x.parts)-x.told) > 1 {
			t.Errorf("%s: what was counted has %.1f tokens each", name, got)
		}
	}
}
