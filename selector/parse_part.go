package selector

import (
	"math"
	"slices"
	"strings"
)

// part reads one part that is not a head and adds it to the step (04 §3.2 to
// §3.5; 001 §3.10).
func (p *parser) part(cur *step) error {
	if len(cur.Parts) >= MaxParts {
		return p.tooMany(p.pos, MaxParts, "parts in a step")
	}
	switch p.peek(0) {
	case '.', '#':
		return p.nameOf(cur)
	case '[', '{', '(':
		return p.block(cur)
	case ':':
		return p.pseudo(cur)
	case '+':
		return p.tag(cur)
	}
	return p.unexpected("a step", p.inWords(stepRemedy))
}

// add appends filters; no name may follow them.
func (cur *step) add(parts ...Part) {
	cur.Parts = append(cur.Parts, parts...)
	cur.named = false
}

// region reads a root alias (04 §3.1).
//
// Specification: 04 §3.1.
func (p *parser) region() (Part, error) {
	start := p.pos
	p.take("^")
	switch word := p.word(); word {
	case "root", "sys", "seq", "ah":
		return Region{word}, nil
	}
	return nil, p.invalid(start, "there is no such region", "the regions are ^root, ^sys, ^seq and ^ah")
}

// nameOf reads a type or an id (04 §3.2, §3.3).
func (p *parser) nameOf(cur *step) error {
	start := p.pos
	isType := p.take(".")
	if !isType {
		p.take("#")
	}
	var name Part
	if isType {
		if !isLetter(p.peek(0)) {
			return p.unexpected("the name of a type", p.inWords(typeRemedy))
		}
		var err error
		if name, err = p.anchor(start); err != nil {
			return err
		}
	} else {
		id, err := p.hashed()
		if err != nil {
			return err
		}
		name = ID{id}
	}
	if !cur.named {
		return p.invalid(start, "a type or an id follows a filter",
			"the type and the id come first; a new step begins with a space")
	}
	if attr, is := name.(Attr); is { // of edition 1.0; its printed form has a head before the brackets
		if len(cur.Parts) == 0 {
			cur.Parts = append(cur.Parts, Universal{})
		}
		cur.Parts = append(cur.Parts, attr)
		return nil
	}
	for _, part := range cur.Parts {
		_, wasType := part.(Type)
		_, wasID := part.(ID)
		if wasType && isType || wasID && !isType {
			return p.invalid(start, "a step has two types or two ids",
				"separate the steps with a space, or the alternatives with a comma")
		}
	}
	if !isType && len(cur.Parts) == 0 && cur.Comb == None && p.traits.SpacedFilter {
		cur.filters = true
	}
	at := slices.IndexFunc(cur.Parts, func(part Part) bool { _, is := part.(Attr); return is })
	if at < 0 {
		at = len(cur.Parts)
	}
	cur.Parts = slices.Insert(cur.Parts, at, name) // an id stands before the type of edition 1.0
	return nil
}

// anchor reads the name of a type. In edition 1.0 it is an attribute, but for .a.b: a node that is of
// both types, or whose type is a.b.
//
// Specification: 1.0 04 §3.2.
func (p *parser) anchor(start int) (Part, error) {
	name := p.name()
	if !p.traits.TypeFacet {
		return Type{name}, nil
	}
	base, _, namespaced := strings.Cut(name, ":")
	if old := isOldWord(base); namespaced && (old || isWord(base) || strings.HasSuffix(name, ":kind")) {
		return nil, p.removed(start, "a kind behind a type")
	} else if old {
		p.advise(start, true, "write the words .seg, .cont and .block")
	}
	for p.peek(0) == '.' && isLetter(p.peek(1)) {
		p.take(".")
		name += "." + p.name()
	}
	if strings.Contains(name, ".") {
		return Type{name}, nil
	}
	return Attr{Name: "nodeType", Op: Eq, Values: []Literal{{Text, name}}}, nil
}

func isWord(name string) bool    { return name == "seg" || name == "cont" || name == "block" }
func isOldWord(name string) bool { return name == "mt" || name == "mc" || name == "cb" }

// hashed reads what stands behind "#": a name, in quotes only if the edition has them
// (001 §3.10).
//
// Specification: 04 §3.3, 001 §3.3.
func (p *parser) hashed() (string, error) {
	remedy := "write it in quotes: #'…'"
	if !p.traits.Extended {
		remedy = "write it as an attribute: [id='…']"
	}
	if c := p.peek(0); c == '\'' || c == '"' {
		if err := p.need(aQuotedName, p.pos, string(c)); err != nil {
			return "", err
		}
	}
	return p.identifier(p.hashName(), remedy)
}

// identifier reads the name behind "#" or "+", bare or in quotes.
func (p *parser) identifier(expected, remedy string) (string, error) {
	start := p.pos
	switch c := p.peek(0); {
	case c == '\'' || c == '"':
		name, err := p.quoted()
		if err == nil && name == "" {
			return "", p.invalid(start, "the name is empty", remedy)
		}
		return name, err
	case isLetter(c) || isDigit(c):
		return p.name(), nil
	}
	return "", p.unexpected(expected, remedy)
}

// tag reads +x (001 §3.10).
func (p *parser) tag(cur *step) error {
	start := p.pos
	p.take("+")
	if err := p.need(aTag, start, "+"); err != nil {
		return err
	}
	if isDigit(p.peek(0)) {
		return p.unexpected("a tag", "write a tag that begins with a digit in quotes: +'…'")
	}
	name, err := p.identifier("a tag", "write it in quotes: +'…'")
	if err != nil {
		return err
	}
	cur.add(Tag{name})
	cur.filters = cur.filters || p.traits.SpacedFilter
	return nil
}

// pseudo reads a pseudo-class (04 §3.4).
//
// Specification: 04 §3.4, 003 §3.4.
func (p *parser) pseudo(cur *step) error {
	start := p.pos
	p.take(":")
	word := p.word()
	switch word {
	case "pre":
		cur.add(Offset{Pre})
	case "core":
		cur.add(Offset{Core})
	case "post":
		cur.add(Offset{Post})
	case "first":
		cur.add(Pick{Kind: First})
	case "last":
		cur.add(Pick{Kind: Last})
	case "nth":
		return p.nth(cur)
	case "depth":
		set, err := p.depthSet()
		p.advise(start, true, "write a depth before the chain: d1 .block")
		cur.add(DepthIs{set})
		return err
	default:
		return p.invalid(start, "there is no such pseudo-class",
			"there are :pre, :core, :post, :depth(…), :first, :last and :nth(N); a name with such a colon needs quotes")
	}
	if p.peek(0) == '(' {
		return p.unexpected("no parenthesis", ":"+word+" takes no argument")
	}
	return nil
}

// nth reads the argument of :nth, a position from 1.
func (p *parser) nth(cur *step) error {
	const remedy = ":nth(N) takes one whole number, and the first node is 1"
	if !p.take("(") {
		return p.unexpected("(", remedy)
	}
	p.space()
	start := p.pos
	if !p.startsInteger() {
		return p.unexpected("a whole number", remedy)
	}
	n := p.integer()
	if n < 1 {
		return p.invalid(start, "no node has this place", remedy)
	}
	p.space()
	if !p.take(")") {
		return p.unexpected(")", remedy)
	}
	cur.add(Pick{Kind: Nth, N: int(min(n, math.MaxInt32))})
	return nil
}
