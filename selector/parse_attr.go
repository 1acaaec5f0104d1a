package selector

import (
	"regexp/syntax"
	"strings"

	"github.com/contexttree/pact/fault"
)

// block reads attributes in brackets, braces or, right behind a type, parentheses, and
// adds them to the step one by one (04 §3.5; 003 §3.5.1; 001 §4). All three forms filter.
func (p *parser) block(cur *step) error {
	switch p.peek(0) {
	case '{':
		cur.filters = true
	case '(':
		last := cur.Parts[len(cur.Parts)-1]
		t, ok := last.(Type)
		anchor, is := last.(Attr)
		if !ok && (!is || anchor.Name != "nodeType" || p.text[p.pos-1] == ']') {
			return p.unexpected("a space, a filter or the end",
				"attributes in parentheses come right after a type; elsewhere write […]")
		}
		if strings.Contains(t.Name, ":") && strings.IndexByte("0123456789-+<>{", p.peek(1)) >= 0 { // .mt:depht(1)
			p.pos += len("(1")
			return p.invalid(p.pos-1, "the type "+t.Name+" takes no argument", "of the pseudo-classes :depth(…) and :nth(N) take one")
		}
	}
	attrs, err := p.attrs(MaxParts - len(cur.Parts))
	for _, a := range attrs {
		cur.add(a)
	}
	return err
}

// attrs reads one block of attributes; most is how many it may have.
func (p *parser) attrs(most int) ([]Attr, error) {
	open := p.pos
	closing := "]"
	switch p.text[open] {
	case '{':
		closing = "}"
		if err := p.need(aBraceBlock, open, "{"); err != nil {
			return nil, err
		}
	case '(':
		closing = ")"
		if err := p.need(aGroup, open, "("); err != nil {
			return nil, err
		}
	}
	p.pos++
	var attrs []Attr
	for {
		p.space()
		if len(attrs) >= most {
			return nil, p.tooMany(p.pos, MaxParts, "attributes in a step")
		}
		start := p.pos
		a, err := p.attr()
		if err != nil {
			return nil, err
		}
		attrs = append(attrs, a)
		if p.traits.NoLegacy {
			attrs = p.inPublished(attrs, start, closing)
		}
		gap := p.space()
		comma := p.pos
		switch {
		case p.take(closing):
			return attrs, nil
		case p.take(","):
			if closing == "]" {
				if err := p.need(anAttrList, comma, ","); err != nil {
					return nil, err
				}
			}
		case closing == ")" && gap:
		default:
			return nil, p.unexpected("a comparison, a comma or "+closing,
				"write an attribute such as role='user' or ttl<=1, with other text in quotes")
		}
	}
}

// attr reads one attribute with or without a comparison (04 §3.5, §5).
//
// Specification: 04 §3.5, 003 §3.5.1.
func (p *parser) attr() (Attr, error) {
	start := p.pos
	name, quoted, err := p.attrName()
	if err != nil {
		return Attr{}, err
	}
	a := Attr{Name: name}
	end := p.pos
	if quoted {
		a.Quoted = isFacet(a.Name)
	} else if err := p.checkFacet(start, a.Name); err != nil {
		return a, err
	} else if a.Name == "type" {
		a.Name = "nodeType"
	}
	if a.Name == "parent_id" && p.traits.ParentIDs && !p.describes {
		return a, p.invalid(start, "parent_id is no attribute to select by", "select the parent and its children: {id='…'} > *")
	}
	p.space()
	operator := p.pos
	a.Op = p.operator()
	ttlWord := !quoted && (a.Name == "ephemeral" || a.Name == "sticky")
	if ttlWord {
		if err := p.need(aTTLWord, start, a.Name); err != nil {
			return a, err
		}
	}
	if a.Op == Match {
		if err := p.need(aMatch, operator, "~"); err != nil {
			return a, err
		}
	}
	if a.Op == Present {
		p.pos = end
		if ttlWord && !p.traits.NoLegacy {
			a = spellOut(a)
		}
		return a, nil
	}
	if ttlWord {
		return a, p.invalid(operator, a.Name+" takes no value", "write ["+a.Name+"], or compare ttl")
	}
	p.space()
	if p.peek(0) == '[' {
		a.Values, err = p.list(a.Op)
	} else {
		var v Literal
		v, err = p.value(a.Op)
		a.Values = []Literal{v}
	}
	return a, err
}

// attrName reads the name of an attribute. In quotes it may have any characters, because imports keep every
// attribute and selectors must be able to ask for it (07 §3.4); it then means that very attribute.
func (p *parser) attrName() (name string, quoted bool, err error) {
	start := p.pos
	switch c := p.peek(0); {
	case isLetter(c):
		return p.attrKey(), false, nil
	case c != '\'' && c != '"' && p.end():
		return "", false, p.unexpected("the name of an attribute", "such as role or ttl")
	case c != '\'' && c != '"':
		return "", false, p.unexpected("the name of an attribute", "such as role or ttl, or any name in quotes")
	}
	if name, err = p.quoted(); err == nil && name == "" {
		err = p.invalid(start, "an attribute has no empty name", "write one such as role or ttl")
	}
	return name, true, err
}

// isFacet reports whether a name means what a node derives, or its tags, though an import may store an
// attribute of that name.
func isFacet(name string) bool {
	switch name {
	case "born_turn", "age", "depth", "sdepth", "tag", "tool", "failed", "bytes", "tokens":
		return true
	}
	return false
}

// checkFacet refuses a facet that only a snapshot has, if the selector names no snapshot
// (003, 001 §3.5.3).
//
// Specification: 003 §3.5.3.
func (p *parser) checkFacet(offset int, name string) error {
	switch name {
	case "born_turn", "age", "depth", "sdepth":
		if err := p.need(aFacet, offset, name); err != nil {
			return err
		}
		if p.time == nil && !p.describes {
			return p.invalid(offset, name+" is known only in a snapshot",
				"only a selector that begins with an address, such as @t-1, can ask for it")
		}
	}
	return nil
}

// spellOut replaces the two words that stand for a comparison (001 §4).
func spellOut(a Attr) Attr {
	switch a.Name {
	case "ephemeral":
		return Attr{Name: "ttl", Op: Eq, Values: []Literal{{Number, "0"}}}
	case "sticky":
		return Attr{Name: "ttl", Op: Eq, Values: []Literal{{Null, "null"}}}
	}
	return a
}

// inPublished reads the last of some attributes as edition 1.0 does: it spells out its two words, and
// says where a ttl belongs (1.0 04 §4, §10).
func (p *parser) inPublished(attrs []Attr, start int, closing string) []Attr {
	last := &attrs[len(attrs)-1]
	once := []Literal{{Number, "1"}}
	switch {
	case last.Op == Present && p.text[start] == 'e' && last.Name == "ephemeral":
		*last = Attr{Name: "ttl", Op: Eq, Values: once}
	case last.Op == Present && p.text[start] == 's' && last.Name == "sticky":
		*last = Attr{Name: "ttl", Op: Eq, Values: once}
		attrs = append(attrs, Attr{Name: "cad", Op: Eq, Values: once})
	case closing == "}" && (last.Name == "ttl" || last.Name == "cad"):
		p.advise(start, false, "move "+last.Name+" to [ ]")
	}
	return attrs
}

// operators are tried in this order, so that <= is not read as <.
var operators = []struct {
	token string
	op    Op
}{{"!=", Ne}, {"<=", Le}, {">=", Ge}, {"=", Eq}, {"<", Lt}, {">", Gt}, {"~", Match}}

// operator reads a comparison operator, or none.
func (p *parser) operator() Op {
	for _, o := range operators {
		if p.take(o.token) {
			return o.op
		}
	}
	return Present
}

// list reads the values of k=[a,b]: any of them (001 §4).
func (p *parser) list(op Op) ([]Literal, error) {
	if op != Eq {
		return nil, p.unexpected("a single value", "only = takes a list of values")
	}
	if err := p.need(aValueList, p.pos, "["); err != nil {
		return nil, err
	}
	p.take("[")
	var values []Literal
	for {
		p.space()
		if len(values) == MaxValues {
			return nil, p.tooMany(p.pos, MaxValues, "values")
		}
		v, err := p.value(op)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
		p.space()
		if p.take("]") {
			return values, nil
		}
		if !p.take(",") {
			return nil, p.unexpected("a comma or ]", "write text that is not a word in quotes")
		}
	}
}

// value reads a literal and checks that op can compare with it (04 §5.5).
func (p *parser) value(op Op) (Literal, error) {
	start := p.pos
	v, err := p.literal()
	if err != nil {
		return v, err
	}
	if v.Kind == Null && op != Eq && op != Ne {
		return v, p.invalid(start, "null has no order and matches no pattern", "compare null with = or !=")
	}
	if op == Match {
		return v, p.checkPattern(start, v.Text)
	}
	return v, nil
}

// literal reads a number, a string or a word (04 §4).
func (p *parser) literal() (Literal, error) {
	const remedy = "a value is a number, a word or text in quotes"
	start := p.pos
	switch c := p.peek(0); {
	case c == '\'' || c == '"':
		text, err := p.quoted()
		return Literal{Text, text}, err
	case p.startsInteger():
		if p.take("+") {
			start++
		} else {
			p.take("-")
		}
		p.digits()
		if p.peek(0) == '.' && isDigit(p.peek(1)) {
			p.take(".")
			p.digits()
		}
		number := p.text[start:p.pos]
		if p.word() != "" {
			return Literal{}, p.invalid(start, "this is neither a number nor a word", "write it in quotes")
		}
		return Literal{Number, number}, nil
	case isLetter(c):
		word := p.key()
		if word == "null" || word == "None" {
			return Literal{Null, "null"}, nil
		}
		return Literal{Word, word}, nil
	}
	return Literal{}, p.unexpected("a value", remedy)
}

// checkPattern refuses a pattern that [regexp.Compile] would refuse or that would cost
// much to match. It does not build the automaton, because the evaluator does that once.
func (p *parser) checkPattern(offset int, pattern string) error {
	if p.patterns += len(pattern); p.patterns > MaxPatterns {
		return p.tooMany(offset, MaxPatterns, "bytes of regular expressions")
	}
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		e := fault.Wrap(fault.SelectorInvalid, err,
			"this is not a regular expression", "the syntax is RE2; a backslash stays itself in quotes")
		e.Offset, e.Token = offset, clip(p.text[offset:p.pos])
		return e
	}
	if p.states += states(re); p.states > MaxStates {
		return p.tooMany(offset, MaxStates, "states in the regular expressions")
	}
	return nil
}

// states estimates the size of the automaton of re. The parser bounds the
// product of nested repetitions, so the sum cannot overflow.
func states(re *syntax.Regexp) int {
	n := 1
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		n += states(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return n
}
