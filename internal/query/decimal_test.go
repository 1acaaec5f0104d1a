package query

import (
	"cmp"
	"math"
	"math/big"
	"strings"
	"testing"
)

// Numbers are compared as they are written, of any size, and so is what reads
// as one.
func TestDecimals(t *testing.T) {
	zeros := strings.Repeat("0", 420)
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"1e-07", "0.0000001", 0}, {"1e+23", "100000000000000000000000", 0}, {"1" + zeros, "5", 1}, {"5." + zeros, "5", 0},
		{"1e999", "5", 1}, {"-0", "0", 0}, {"0e5", "-0.0", 0}, {"-1.5", "-1", -1}, {"-1.5", "-2", 1}, {"007", "7", 0},
		{"+7", "7", 0},
		{"1E2", "100", 0}, {"1e99999999999999999999", "1e5", 1}, {"1e-99999999999999999999", "0", 1}, {"12", "120", -1},
		{"9", "10", -1},
	} {
		a, okA := parseDecimal(c.a)
		b, okB := parseDecimal(c.b)
		if !okA || !okB || a.compare(b) != c.want || b.compare(a) != -c.want {
			t.Errorf("%.20s and %.20s: %d", c.a, c.b, a.compare(b))
		}
	}
	for _, s := range []string{"", "-", ".5", "5.", "1e", "e5", "1e+", "0x10", "1_0", "NaN", "Infinity", " 1", "1 ", "--1",
		"1.2.3", "١"} {
		if _, ok := parseDecimal(s); ok {
			t.Errorf("%q reads as a number", s)
		}
	}
	for s, want := range map[string]struct {
		n       int64
		above   bool
		outside int
	}{
		"9223372036854775807": {math.MaxInt64, false, 0}, "9223372036854775808": {0, false, 1},
		"9223372036854775807.5": {math.MaxInt64, true, 0},
		"-9223372036854775808":  {math.MinInt64, false, 0}, "-9223372036854775808.5": {0, false, -1}, "-0.5": {-1, true, 0},
		"0.5":   {0, true, 0},
		"1.5e1": {15, false, 0}, "1.55e1": {15, true, 0}, "-1e300": {0, false, -1}, "0": {0, false, 0},
		"1e-300": {0, true, 0},
	} {
		d, _ := parseDecimal(s)
		if n, above, outside := d.floor(); outside != want.outside || outside == 0 && (n != want.n || above != want.above) {
			t.Errorf("floor of %s: %d, %v, %d", s, n, above, outside)
		}
	}
}

// FuzzDecimals compares with rational numbers where those are not too large.
func FuzzDecimals(f *testing.F) {
	f.Add("1.50", "-2e3")
	f.Add("-0.0", "0e9")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, okX := parseDecimal(a)
		y, okY := parseDecimal(b)
		if !okX || !okY || len(a)+len(b) > 60 || max(x.exp, y.exp, -x.exp, -y.exp) > 300 {
			return
		}
		p, okP := new(big.Rat).SetString(a)
		q, okQ := new(big.Rat).SetString(b)
		if !okP || !okQ || cmp.Compare(p.Cmp(q), 0) != x.compare(y) {
			t.Fatalf("%q and %q compare as %d", a, b, x.compare(y))
		}
	})
}
