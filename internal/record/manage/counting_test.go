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
		parts = append(parts, Sized{hash{1, n}, 4 * 14_000 / 30})
	}
	c.Learn(parts, told, false)
	for n := range byte(24) {
		digits := Sized{hash{2, n}, 24_000}
		parts, told = append(parts, digits, Sized{hash{3, n}, 200}), told+4250
		c.Learn(parts, told, false)
		whole := c.TokensOf(digits)
		if got := c.InPlaceOf(digits, 4800); math.Abs(got-whole/5) > whole/100 {
			t.Fatalf("text %d has %.0f tokens, and a fifth of it %.0f", n, whole, got)
		}
	}
}
