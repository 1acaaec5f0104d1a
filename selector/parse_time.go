package selector

import (
	"github.com/contexttree/pact/fault"
)

// readTime reads the address at the start of a selector (04 §3.7; 001 §3.7.1).
//
// Specification: 04 §3.7, 001 §3.7.1.
func (p *parser) readTime() error {
	start := p.pos
	t, err := p.address()
	if err != nil {
		return err
	}
	if isWordByte(p.peek(0)) {
		return p.unexpected("a space", "separate the address from the first step")
	}
	p.time = t
	p.space()
	if p.end() {
		return p.unexpected("a step", "to select everything there, write "+p.text[start:p.pos]+" *")
	}
	return nil
}

// Address returns the address of the selector as its text has it, and where it stands
// there. A selector without a text has the canonical one; without an address it is "".
func (s *Selector) Address() (text string, offset int) {
	if s.Time == nil {
		return "", fault.NoOffset
	}
	p := parser{scanner: scanner{text: s.Source}, edition: s.Edition, traits: s.Edition.Traits()}
	p.space()
	start := p.pos
	if t, err := p.address(); s.Source == "" || err != nil || *t != *s.Time {
		return s.Time.String(), fault.NoOffset
	}
	return s.Source[start:p.pos], start
}

// address reads a point, a wildcard, a range or @history.
func (p *parser) address() (*Time, error) {
	start := p.pos
	if p.take("@history") {
		if err := p.need(aHistory, start, "@history"); err != nil {
			return nil, err
		}
		if p.peek(0) == '.' || p.peek(0) == ':' {
			return nil, p.unexpected("a space", "@history is a range by itself: from @t0 to @t-*")
		}
		return &Time{Kind: Range, From: Point{Axis: 't'}, To: Point{Axis: 't', Oldest: true}}, nil
	}
	p.take("@")
	from, err := p.point(start, 0)
	if err != nil {
		return nil, err
	}
	pair := p.traits.T0Working && p.take(",@")
	if pair {
		p.pos--
	}
	if !pair && !p.rangeOperator() {
		switch {
		case from.Axis == '*':
			return &Time{Kind: All}, nil
		case from.Axis == 't' && (from.N > 0 || p.text[start+2] == '+'):
			remedy := "@t0 is the latest, @t-1 the one before"
			if p.traits.T0Working {
				remedy = "@t0 is the working state, @t-1 the latest snapshot"
			}
			return nil, fault.At(fault.SnapshotNotFound, start, clip(p.text[start:p.pos]), "there is no snapshot after @t0", remedy)
		case from.Oldest:
			return nil, p.invalid(start, "@t-* is only the end of a range",
				"write @t0..@t-* for the whole history, or name the oldest snapshot by its cycle")
		}
		return &Time{Kind: Single, From: from}, nil
	}
	if from.Axis == '*' {
		return nil, wildcard(start, "@*")
	}
	second := p.pos
	axis := from.Axis
	if p.take("@") {
		axis = 0
	}
	to, err := p.point(second, axis)
	switch {
	case err != nil:
		return nil, err
	case to.Axis == '*':
		return nil, wildcard(second, p.text[second:p.pos])
	case from.Axis != to.Axis:
		code := fault.RangeKindMismatch
		if p.traits.T0Working {
			code = fault.RangePrefixMismatch
		}
		return nil, fault.At(code, second, clip(p.text[second:p.pos]),
			"the range mixes @t and @c", "write both ends with @t, or both with @c")
	}
	return &Time{Range, from, to, pair}, nil
}

// wildcard returns the error for a range that ends in @* (06 §7).
func wildcard(offset int, token string) error {
	return fault.At(fault.RangeWildcard, offset, token, "@* cannot be the end of a range",
		"write @* alone for every snapshot, or a range from @t0 back to @t-N")
}

// rangeOperator reads ".." or ":". A colon before anything but a second end
// begins a pseudo-class.
func (p *parser) rangeOperator() bool {
	if p.take("..") {
		return true
	}
	if p.peek(0) != ':' {
		return false
	}
	switch c := p.peek(1); {
	case c == '@', c == '*', c == '-', c == '+', isDigit(c):
		p.take(":")
		return true
	}
	return false
}

// point reads what follows the "@" of an end. A second end without "@t" or "@c" takes the
// axis of the first end. The axis of @* is '*'.
func (p *parser) point(start int, axis byte) (Point, error) {
	const remedy = "an address is @t0, @t-1, @c42, @* or a range such as @t-5..@t-1"
	if p.take("*") {
		return Point{Axis: '*'}, nil
	}
	if axis == 0 {
		axis = p.peek(0)
		if axis != 't' && axis != 'c' {
			word := p.word()
			for _, c := range controls {
				if c.name == word {
					return Point{}, p.invalid(start, "a control stands before the steps",
						p.inWords("write it after the last step: .<block> @"+word))
				}
			}
			return Point{}, p.invalid(start, "there is no such address", remedy)
		}
		p.pos++
	}
	sign := p.peek(0)
	if axis == 't' && sign == '-' && p.peek(1) == '*' {
		p.take("-*")
		return Point{Axis: 't', Oldest: true}, p.need(aHistory, start, p.text[start:p.pos])
	}
	if !p.startsInteger() {
		return Point{}, p.unexpected("a number", remedy)
	}
	n := p.integer()
	if axis == 'c' && !isDigit(sign) {
		return Point{}, p.invalid(start, "the cycle has a sign", "count back with @t-1, or write a cycle as @c42")
	}
	return Point{Axis: axis, N: n}, nil
}
