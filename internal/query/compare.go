package query

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/selector"
)

// operand is the literal of a comparison, parsed once.
type operand struct {
	literal  selector.Literal
	numeric  bool // the text reads as a number
	exact    decimal
	floor    int64 // the greatest integer that is not above the number
	fraction bool  // the number is above floor
	overflow int   // -1 if the number is below the range of int64, 1 if above, else 0
}

func newOperand(l selector.Literal) operand {
	o := operand{literal: l}
	if l.Kind == selector.Null {
		return o
	}
	if o.exact, o.numeric = parseDecimal(l.Text); o.numeric {
		o.floor, o.fraction, o.overflow = o.exact.floor()
	}
	return o
}

// integer compares an integer with the operand.
func (o *operand) integer(n int64) int {
	switch {
	case o.overflow != 0:
		return -o.overflow
	case n == o.floor && o.fraction:
		return -1
	}
	return cmp.Compare(n, o.floor)
}

// interval returns the integers that op holds for, and whether there are any.
func (o *operand) interval(op selector.Op) (interval, bool) {
	s := allIntegers
	switch {
	case !o.numeric:
		return s, false
	case op == selector.Eq || op == selector.Ne:
		s = interval{o.floor, o.floor}
		return s, !o.fraction && o.overflow == 0
	case o.overflow != 0: // every int64 is on the same side of the operand
		return s, (o.overflow > 0) == (op == selector.Lt || op == selector.Le)
	case op == selector.Le || op == selector.Lt && o.fraction:
		s.hi = o.floor
	case op == selector.Gt || op == selector.Ge && o.fraction:
		if o.floor == math.MaxInt64 {
			return s, false
		}
		s.lo = o.floor + 1
	case op == selector.Lt:
		if o.floor == math.MinInt64 {
			return s, false
		}
		s.hi = o.floor - 1
	default:
		s.lo = o.floor
	}
	return s, true
}

// equal is the operator = of 04 §5. It compares integers as integers and texts as
// texts. In an attribute that may have any type, values of two types are never
// equal. Null equals only null.
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

// order compares a value with the operand for <, <=, > and >=: as numbers if
// both are numbers, else as texts by their bytes. Null, lists and objects have
// no order (04 §5.4, §5.5).
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
		if d, ok := parseDecimal(t); ok {
			return d.compare(o.exact), true
		}
	}
	return cmp.Compare(t, o.literal.Text), true
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
