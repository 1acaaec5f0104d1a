package selector

import "github.com/contexttree/pact/internal/fault"

// search reads "? {…}" or "?? {…}" (001 §3.6).
func (p *parser) search(within DepthSet) (Part, error) {
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

// within reads the containers of "within(d1,d3) ??", the cursor being behind
// the word (001 §3.6). They are alternatives, so each must say by itself where
// it is.
func (p *parser) within(start int) (Part, error) {
	const remedy = "name containers by their depth: within(d1,d3) ?? {kind=summary}"
	if err := p.need(aSearch, start, "within"); err != nil {
		return nil, err
	}
	if !p.take("(") {
		return nil, p.unexpected("(", remedy)
	}
	var scope DepthSet
	for first := true; first || p.take(","); first = false {
		p.space()
		at := p.pos
		set, ok, err := p.depthHop()
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, p.unexpected("a depth such as d1", remedy)
		}
		scope.Terms = append(scope.Terms, set.Terms...)
		if len(scope.Terms) > MaxTerms {
			return nil, p.tooMany(at, MaxTerms, "depths")
		}
		p.space()
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
