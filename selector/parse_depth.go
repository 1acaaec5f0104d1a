package selector

import (
	"math"

	"github.com/contexttree/pact/fault"
)

const depthRemedy = "a depth looks like 1, 1,2,5 or 1-3; editions depth and canonical also have 1..3, >0 and {1,2}"

// depthSet reads "(" terms ")" behind :depth or depth (04 §3.4; 003 §3.4).
func (p *parser) depthSet() (DepthSet, error) {
	var set DepthSet
	if !p.take("(") {
		return set, p.unexpected("(", depthRemedy)
	}
	return set, p.depthTerms(&set, ")")
}

// depthTerms reads terms up to closing. A set in braces adds its terms to the
// list it stands in; it holds no further set.
func (p *parser) depthTerms(set *DepthSet, closing string) error {
	for {
		p.space()
		start := p.pos
		var err error
		if closing == ")" && p.take("{") {
			if err = p.need(aDepthExpr, start, "{"); err == nil {
				err = p.depthTerms(set, "}")
			}
		} else {
			err = p.depthTerm(set)
		}
		if err != nil {
			return err
		}
		p.space()
		if p.take(closing) {
			return nil
		}
		if !p.take(",") {
			return p.unexpected("a comma or "+closing, depthRemedy)
		}
	}
}

// depthTerm reads a depth, a run of depths or a comparison.
func (p *parser) depthTerm(set *DepthSet) error {
	if len(set.Terms) == MaxTerms {
		return p.tooMany(p.pos, MaxTerms, "depths")
	}
	if c := p.peek(0); c == '<' || c == '>' {
		term, err := p.depthComparison()
		set.Terms = append(set.Terms, term)
		return err
	}
	start := p.pos
	if !p.startsInteger() {
		return p.unexpected("a depth", depthRemedy)
	}
	term := DepthTerm{Lo: p.integer()}
	term.Hi = term.Lo
	if err := p.checkDepth(start, term); err != nil {
		return err
	}
	end := p.pos
	p.space()
	op := p.pos
	dots := p.take("..")
	switch {
	case dots:
		if err := p.need(aDepthExpr, op, ".."); err != nil {
			return err
		}
	case !p.take("-"):
		p.pos = end
		set.Terms = append(set.Terms, term)
		return nil
	}
	p.space()
	if !p.startsInteger() {
		return p.unexpected("a depth", depthRemedy)
	}
	term.Hi = p.integer()
	if err := p.checkDepth(start, term); err != nil {
		return err
	}
	if term.Hi < term.Lo {
		return p.invalid(start, "the range of depths descends", "write the smaller depth first")
	}
	set.Terms = append(set.Terms, term)
	return nil
}

// checkDepth refuses a depth, from start to the cursor, that edition 1.0 does not have (1.0 06).
func (p *parser) checkDepth(start int, t DepthTerm) error {
	if !p.traits.Fragments {
		return nil
	}
	code, message, remedy := fault.DepthNegative, "there is no depth below -1, the system header", "d0 is the active head, d1 the newest turn"
	switch {
	case p.peek(0) == '.' && isDigit(p.peek(1)):
		p.take(".")
		p.word()
		code, message, remedy = fault.DepthNotInt, "a depth is no whole number", "write d1 or d1..d5"
	case t.Lo >= -1 && t.Hi >= t.Lo:
		return nil
	case t.Lo >= -1:
		code, message, remedy = fault.DepthRangeInvalid, "the range of depths descends", "write the smaller depth first"
	}
	return fault.At(code, start, clip(p.text[start:p.pos]), message, remedy)
}

// depthComparison reads <N, <=N, >N or >=N as a run with one open end.
func (p *parser) depthComparison() (DepthTerm, error) {
	start := p.pos
	less := p.take("<")
	if !less {
		p.take(">")
	}
	equal := p.take("=")
	if err := p.need(aDepthExpr, start, p.text[start:p.pos]); err != nil {
		return DepthTerm{}, err
	}
	p.space()
	if !p.startsInteger() {
		return DepthTerm{}, p.unexpected("a depth", depthRemedy)
	}
	n := p.integer()
	switch {
	case less && equal:
		return DepthTerm{math.MinInt64, n}, nil
	case less:
		return DepthTerm{math.MinInt64, max(n-1, -maxOrdinal)}, nil
	case equal:
		return DepthTerm{n, math.MaxInt64}, nil
	}
	return DepthTerm{min(n+1, maxOrdinal), math.MaxInt64}, nil
}
