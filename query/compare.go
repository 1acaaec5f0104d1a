package query

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/selector"
)

// operand is the literal side of a comparison, prepared once.
type operand struct {
	literal selector.Literal
	numeric bool     // whether the text reads as a number
	n       int64    // its floor, clamped to 64 bits
	rest    bool     // whether the number is above n
	exact   *big.Rat // set where n and rest do not tell all
	outside int      // -1 or 1 for a number below or above 64 bits
}

func newOperand(l selector.Literal) operand {
	o := operand{literal: l}
	if l.Kind == selector.Null {
		return o
	}
	if n, err := strconv.ParseInt(l.Text, 10, 64); err == nil && plainInteger(l.Text) {
		o.numeric, o.n = true, n
		return o
	}
	r, ok := number(l.Text)
	if !ok {
		return o
	}
	o.numeric, o.exact = true, r
	floor := new(big.Int).Div(r.Num(), r.Denom()) // Euclidean, and the denominator is positive
	switch {
	case !floor.IsInt64() && floor.Sign() < 0:
		o.outside, o.n = -1, math.MinInt64
	case !floor.IsInt64():
		o.outside, o.n = 1, math.MaxInt64
	default:
		o.n, o.rest = floor.Int64(), !r.IsInt()
	}
	return o
}

func plainInteger(s string) bool { return s != "" && s[0] != '+' }

// maxNumber bounds how long a text may be to be read as a number, because
// exact arithmetic on longer ones costs more than their size.
const maxNumber = 400

// number reads decimal notation exactly.
func number(s string) (*big.Rat, bool) {
	if s == "" || len(s) > maxNumber {
		return nil, false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && c != '-' && c != '.' {
			f, err := strconv.ParseFloat(s, 64) // an exponent: only floats have one
			if err != nil || c == '_' || c == 'x' || c == 'X' || math.IsInf(f, 0) || math.IsNaN(f) {
				return nil, false
			}
			return new(big.Rat).SetFloat64(f), true
		}
	}
	return new(big.Rat).SetString(s)
}

// integer compares an integer with the operand.
func (o *operand) integer(n int64) int {
	switch {
	case o.outside != 0:
		return -o.outside
	case n == o.n && o.rest:
		return -1
	}
	return cmp.Compare(n, o.n)
}

// span is the integers that op holds for, and whether there are any.
func (o *operand) span(op selector.Op) (interval, bool) {
	s := everywhere
	switch {
	case !o.numeric:
		return s, false
	case op == selector.Eq || op == selector.Ne:
		s = interval{o.n, o.n}
		return s, !o.rest && o.outside == 0
	case o.outside != 0: // every integer is on one side of it
		return s, (o.outside > 0) == (op == selector.Lt || op == selector.Le)
	case op == selector.Le || op == selector.Lt && o.rest:
		s.hi = o.n
	case op == selector.Gt || op == selector.Ge && o.rest:
		if o.n == math.MaxInt64 {
			return s, false
		}
		s.lo = o.n + 1
	case op == selector.Lt:
		if o.n == math.MinInt64 {
			return s, false
		}
		s.hi = o.n - 1
	default:
		s.lo = o.n
	}
	return s, true
}

// equal is the = of 04 §5: integers as integers, texts as texts, type
// preserving where the attribute could be either, null only to null.
func (o *operand) equal(v value) bool {
	if o.literal.Kind == selector.Null {
		return v.kind == null
	}
	switch v.kind {
	case integer:
		return o.numeric && o.integer(v.n) == 0
	case word:
		return v.s == o.literal.Text
	case list:
		return slices.Contains(v.list, o.literal.Text)
	case custom:
		return o.equalJSON(canon.Value(v.s))
	}
	return false
}

func (o *operand) equalJSON(v canon.Value) bool {
	switch v.Kind() {
	case canon.KindString:
		t, _ := v.Text()
		return o.literal.Kind != selector.Number && t == o.literal.Text
	case canon.KindBool:
		return o.literal.Kind != selector.Number && string(v) == o.literal.Text
	case canon.KindNumber:
		if o.literal.Kind != selector.Number {
			return false
		}
		c, ordered := o.order(value{kind: custom, s: string(v)})
		return ordered && c == 0
	}
	return false
}

// order compares a value with the operand for <, <=, > and >=: as numbers
// where both read as numbers, else as texts by their bytes. Null, lists and
// objects have no order (04 §5.4, §5.5).
func (o *operand) order(v value) (int, bool) {
	if o.literal.Kind == selector.Null {
		return 0, false
	}
	switch v.kind {
	case integer:
		return o.integer(v.n), o.numeric
	case word:
		return cmp.Compare(v.s, o.literal.Text), true
	case custom:
	default:
		return 0, false
	}
	t := v.s
	switch canon.Value(v.s).Kind() {
	case canon.KindString:
		t, _ = canon.Value(v.s).Text()
	case canon.KindArray, canon.KindObject:
		return 0, false
	}
	if o.numeric {
		if n, err := strconv.ParseInt(t, 10, 64); err == nil && plainInteger(t) {
			return o.integer(n), true
		}
		if r, ok := number(t); ok {
			return r.Cmp(o.rat()), true
		}
	}
	return cmp.Compare(t, o.literal.Text), true
}

func (o *operand) rat() *big.Rat {
	if o.exact != nil {
		return o.exact
	}
	return new(big.Rat).SetInt64(o.n)
}

// any reports whether f holds for a text of the value.
func (v value) any(f func(string) bool) bool {
	switch v.kind {
	case integer:
		return f(strconv.FormatInt(v.n, 10))
	case word:
		return f(v.s)
	case list:
		return slices.ContainsFunc(v.list, f)
	case custom:
		if t, ok := canon.Value(v.s).Text(); ok {
			return f(t)
		}
		return f(v.s)
	}
	return false
}
