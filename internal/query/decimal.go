package query

import (
	"cmp"
	"math"
	"strconv"
	"strings"
)

// decimal is an exact number of any size: 0.digits times ten to the power of exp.
// The digits neither begin nor end with 0; zero has no digits. Reading and
// comparing cost time proportional to the text.
type decimal struct {
	negative bool
	digits   string
	exp      int
}

// parseDecimal reads a number as JSON and selectors write it, with or without an
// exponent, and reports whether s is one.
func parseDecimal(s string) (decimal, bool) {
	var d decimal
	if s != "" && (s[0] == '-' || s[0] == '+') {
		d.negative = s[0] == '-'
		s = s[1:]
	}
	mantissa, exponent := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent = s[:i], s[i+1:]
		unsigned := exponent
		if unsigned != "" && (unsigned[0] == '-' || unsigned[0] == '+') {
			unsigned = unsigned[1:]
		}
		if !allDigits(unsigned) {
			return decimal{}, false
		}
	}
	whole, fraction, point := strings.Cut(mantissa, ".")
	if !allDigits(whole) || point && !allDigits(fraction) {
		return decimal{}, false
	}
	digits := whole + fraction
	d.digits = strings.TrimLeft(digits, "0")
	d.exp = len(whole) - (len(digits) - len(d.digits)) + clampedInt(exponent)
	d.digits = strings.TrimRight(d.digits, "0")
	if d.digits == "" {
		return decimal{}, true
	}
	return d, true
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// clampedInt reads an exponent and limits it to a magnitude that the digits of no
// text can outweigh.
func clampedInt(s string) int {
	const far = 1 << 30 // longer than any text
	n, err := strconv.Atoi(strings.TrimPrefix(s, "+"))
	switch {
	case err != nil && strings.HasPrefix(s, "-"):
		return -far
	case err != nil && s != "":
		return far
	}
	return max(-far, min(far, n))
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// compare orders two numbers.
func (d decimal) compare(o decimal) int {
	if a, b := d.sign(), o.sign(); a != b || a == 0 {
		return cmp.Compare(a, b)
	}
	return d.sign() * cmp.Or(cmp.Compare(d.exp, o.exp), strings.Compare(d.digits, o.digits))
}

// floor returns the greatest whole number that is not above d, and whether d is
// above it. outside is -1 or 1 if d is below or above the range of 64 bits.
func (d decimal) floor() (n int64, above bool, outside int) {
	above = len(d.digits) > max(d.exp, 0)
	var whole string
	switch {
	case d.exp > 19:
		return 0, false, d.sign()
	case d.exp > 0:
		whole = d.digits[:min(d.exp, len(d.digits))]
		whole += strings.Repeat("0", d.exp-len(whole))
	}
	if whole == "" {
		whole = "0"
	}
	if d.negative {
		whole = "-" + whole
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	switch {
	case err != nil:
		return 0, false, d.sign()
	case d.negative && above && n == math.MinInt64:
		return 0, false, -1
	case d.negative && above:
		n--
	}
	return n, above, 0
}
