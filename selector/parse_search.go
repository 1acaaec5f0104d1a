package selector

import "github.com/contexttree/pact/fault"

// search reads "? {…}" or "?? {…}" (001 §3.6).
func (p *parser) search(within []Hop) (Part, error) {
	if err := p.need(aSearch, p.pos, "?"); err != nil {
		return nil, err
	}
	deep, err := p.questionMarks()
	if err != nil {
		return nil, err
	}
	p.space()
	if p.peek(0) != '{' {
		return nil, p.unexpected("{", "a search says what to look for: ?? {kind=summary}")
	}
	attrs, err := p.attrs(MaxParts)
	return Search{deep, within, attrs}, err
}

// questionMarks reads the operator of a search and reports whether it goes all
// the way down.
func (p *parser) questionMarks() (deep bool, err error) {
	p.take("?")
	if p.take("?") {
		return true, nil
	}
	p.space()
	if p.peek(0) == '?' {
		return false, p.chained()
	}
	return false, nil
}

// chained refuses one "?" after another (001 §7).
func (p *parser) chained() error {
	return fault.At(fault.SelectorInvalid, p.pos, "?", "a single ? follows another",
		"write ?? to look on every level, or hops in parentheses to go down step by step")
}

// within reads the hops of "within(d1,d3) ??"; the cursor is behind the word (001 §3.6,
// §4). The hops are alternatives: one node cannot be at two depths.
func (p *parser) within(start int) (Part, error) {
	const remedy = "say where to look, and then what for: within(d1,d3) ?? {kind=summary}"
	if err := p.need(aSearch, start, "within"); err != nil {
		return nil, err
	}
	if !p.take("(") {
		return nil, p.unexpected("(", remedy)
	}
	var scope []Hop
	terms := 0
	for first := true; first || p.take(","); first = false {
		p.space()
		at := p.pos
		h, err := p.hop()
		if err != nil {
			return nil, err
		}
		scope = append(scope, h)
		if terms += max(len(h.Depth.Terms), 1); terms > MaxTerms {
			return nil, p.tooMany(at, MaxTerms, "depths and hops")
		}
	}
	if !p.take(")") {
		return nil, p.unexpected("a comma or )", remedy)
	}
	p.space()
	if p.peek(0) != '?' || p.peek(1) != '?' {
		return nil, p.unexpected("??", remedy)
	}
	return p.search(scope)
}
