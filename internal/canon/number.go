package canon

import (
	"math"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
)

// maxNumber is the length, without sign, of the longest number literal. Python
// refuses to convert longer integers. This package also refuses longer fractions,
// which no float64 needs.
const maxNumber = 4300

// The spellings Python uses for the floats that JSON lacks.
const (
	literalNaN      = "NaN"
	literalInf      = "Infinity"
	literalMinusInf = "-Infinity"
)

// Int returns n as a value.
func Int(n int64) Value { return Value(strconv.FormatInt(n, 10)) }

// Bool returns b as a value.
func Bool(b bool) Value {
	if b {
		return True
	}
	return False
}

// fromFloat returns f as Python's repr prints a float: the shortest digits that
// read back to f, always with a fraction or an exponent.
func fromFloat(f float64) Value {
	var buf [32]byte
	return Value(appendFloat(buf[:0], f))
}

func appendFloat(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, literalNaN...)
	case math.IsInf(f, 1):
		return append(dst, literalInf...)
	case math.IsInf(f, -1):
		return append(dst, literalMinusInf...)
	}
	if size := math.Abs(f); size != 0 && (size < 1e-4 || size >= 1e16) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	if f == math.Trunc(f) {
		dst = append(dst, ".0"...)
	}
	return dst
}

// number reads a number literal and returns it in canonical form.
func (p *parser[T]) number() (string, error) {
	start := p.at
	if p.peek() == '-' {
		p.at++
	}
	first := p.at
	switch {
	case p.peek() == 'I' && p.at > start:
		return literalMinusInf, p.literal(start, literalMinusInf)
	case p.peek() == '0':
		p.at++
		if isDigit(p.peek()) {
			return "", p.bad("a number starts with a superfluous 0", "write numbers without leading zeros")
		}
	default:
		if err := p.digits("a digit"); err != nil {
			return "", err
		}
	}
	float := false
	if p.peek() == '.' {
		float = true
		p.at++
		if err := p.digits("a digit after the decimal point"); err != nil {
			return "", err
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		float = true
		p.at++
		if c := p.peek(); c == '+' || c == '-' {
			p.at++
		}
		if err := p.digits("a digit in the exponent"); err != nil {
			return "", err
		}
	}
	if p.at-first > maxNumber {
		return "", fault.At(fault.Limit, start, string(p.text[start:start+tokenMax])+"…",
			"a number has more than "+strconv.Itoa(maxNumber)+" characters", "write it as a string")
	}
	text := string(p.text[start:p.at])
	if float {
		// ParseFloat returns an infinity with the error of an overflow, and Python
		// reads such a literal as that infinity.
		f, _ := strconv.ParseFloat(text, 64)
		return string(fromFloat(f)), nil
	}
	if text == "-0" {
		return "0", nil // Python's integers have no negative zero
	}
	return text, nil
}

// digits skips one digit or more.
func (p *parser[T]) digits(want string) error {
	if !isDigit(p.peek()) {
		return p.bad("expected "+want, "write it at this place")
	}
	for isDigit(p.peek()) {
		p.at++
	}
	return nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// parseNumber reads a text that must be one number literal and nothing else.
func parseNumber(text string) (string, error) {
	if text == literalNaN || text == literalInf {
		return strings.Clone(text), nil
	}
	p := newParser(text, maxDepth)
	literal, err := p.number()
	if err == nil && p.at < len(text) {
		err = p.bad("expected the end of the number", "write digits alone")
	}
	return literal, err
}
