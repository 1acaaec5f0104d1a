package selector

import (
	"math"

	"github.com/contexttree/pact/fault"
)

// ParsePosition reads an insertion target (003, 001 §3.9), such as
// "(d0, mc[offset=0], end)": a position that ends in a comma (before the first
// child), end, +N or -N (after or before child N, from 1). It means the same in
// every edition. Its errors are those of [Parse]: E_SELECTOR_INVALID and E_LIMIT.
func ParsePosition(text string, e Edition) (*Position, error) {
	p, err := newParser(text, e)
	if err != nil {
		return nil, err
	}
	p.inserting = true
	p.space()
	if p.peek(0) == '@' && p.traits.T0Working {
		if err := p.ofWorking(); err != nil {
			return nil, err
		}
	}
	if p.peek(0) != '(' {
		return nil, p.unexpected("(", p.inWords(placeRemedy))
	}
	pos, err := p.position()
	if err != nil {
		return nil, err
	}
	pos.Maybe = p.traits.Fragments && p.take("?")
	p.space()
	if !p.end() {
		return nil, p.unexpected("the end", "a place is one position and nothing else")
	}
	return &pos, nil
}

// ofWorking reads the address before a place, which is that of the working state: snapshots do not
// change (1.0 02 §14).
func (p *parser) ofWorking() error {
	start := p.pos
	if err := p.readTime(); err != nil {
		return err
	}
	if *p.time != (Time{From: Point{Axis: 't'}}) {
		return fault.At(fault.PlacementInvalid, start, p.time.String(), "a snapshot does not change",
			"leave the address out")
	}
	return nil
}

// position reads hops in parentheses (003, 001 §3.8).
//
// Specification: 003 §3.8, 001 §3.8.
func (p *parser) position() (Position, error) {
	var pos Position
	if err := p.need(aPosition, p.pos, "("); err != nil {
		return pos, err
	}
	p.take("(")
	for first := true; first || p.take(","); first = false {
		p.space()
		done, err := p.insertion(&pos)
		if err != nil {
			return pos, err
		}
		if done {
			break
		}
		if len(pos.Hops) == MaxHops {
			return pos, p.tooMany(p.pos, MaxHops, "hops")
		}
		h, err := p.hop()
		if err != nil {
			return pos, err
		}
		pos.Hops = append(pos.Hops, h)
		p.space()
	}
	closing := p.pos
	if !p.take(")") {
		return pos, p.unexpected("a comma or )", p.inWords(hopRemedy))
	}
	if p.inserting && pos.Insert == NoInsertion {
		return pos, p.invalid(closing, "the position does not say where to insert",
			"end it with a comma, end, +N or -N")
	}
	return pos, nil
}

// insertion reads the mark that says where to insert, if one comes next, and reports
// whether one did. In a query signed numbers are offsets, and the other marks are errors
// (docs/decisions.md).
func (p *parser) insertion(pos *Position) (bool, error) {
	start := p.pos
	switch c := p.peek(0); {
	case len(pos.Hops) == 0:
		return false, nil
	case c == ')':
		pos.Insert = AtStart
	case c == 'e':
		if p.word() != "end" {
			p.pos = start
			return false, nil
		}
		pos.Insert = AtEnd
	case p.inserting && (c == '+' || c == '-') && isDigit(p.peek(1)):
		n := p.integer()
		if p.space(); p.peek(0) != ')' {
			p.pos = start
			return false, nil
		}
		pos.Insert = AfterChild
		if c == '-' {
			pos.Insert, n = BeforeChild, -n
		}
		if n == 0 {
			return false, p.invalid(start, "there is no child 0", "the first child is 1")
		}
		pos.N = int(min(n, math.MaxInt32))
	default:
		return false, nil
	}
	if !p.inserting {
		return false, fault.At(fault.SelectorInvalid, start, clip(p.text[start:max(p.pos, start+1)]),
			"the position says where to insert, which a query cannot do", "in a query, end the position with its last hop")
	}
	p.space()
	return true, nil
}

// hop reads one hop and the attributes behind it, and the space behind those.
func (p *parser) hop() (Hop, error) {
	h, err := p.hopHead()
	if err != nil {
		return h, err
	}
	p.space()
	for p.startsBlock() {
		if err := p.hopAttrs(&h); err != nil {
			return h, err
		}
		p.space()
	}
	if len(h.Attrs) == 0 && (h.Kind == HopStep || h.Kind == HopDeep) {
		return h, p.unexpected("a block of attributes", p.inWords(hopRemedy))
	}
	return h, nil
}

func (p *parser) startsBlock() bool {
	c := p.peek(0)
	return c == '[' || c == '{' || c == '('
}

// hopAttrs reads a block of attributes behind a hop.
func (p *parser) hopAttrs(h *Hop) error {
	attrs, err := p.attrs(MaxParts - len(h.Attrs))
	h.Attrs = append(h.Attrs, attrs...)
	return err
}

// startsHop reports whether a hop without parentheses comes next: an offset, a
// depth, the name of a class, or *:block (001 §2.5; docs/decisions.md).
func (p *parser) startsHop() bool {
	ahead := p.scanner
	if ahead.take("*:") {
		word := ahead.word()
		return word == "block" || word == "cb"
	}
	if ahead.take("d"); p.peek(0) != '+' && ahead.startsInteger() { // "+" begins a tag
		return true
	}
	ahead.pos = p.pos
	switch ahead.word() {
	case "seg", "mt", "cont", "mc", "block", "cb":
		return true
	}
	return false
}

// singleHop reads a hop that is a position by itself. Only blocks of attributes that
// touch the hop belong to it.
func (p *parser) singleHop() (Part, error) {
	start := p.pos
	h, err := p.hopHead()
	if err != nil {
		return nil, err
	}
	if err := p.need(aHop, start, p.text[start:p.pos]); err != nil {
		return nil, err
	}
	for p.startsBlock() {
		if err := p.hopAttrs(&h); err != nil {
			return nil, err
		}
	}
	return Position{Hops: []Hop{h}}, nil
}

// hopHead reads a hop without its attributes.
func (p *parser) hopHead() (Hop, error) {
	start := p.pos
	switch c := p.peek(0); {
	case c == '?':
		deep, err := p.questionMarks()
		if deep {
			return Hop{Kind: HopDeep}, err
		}
		return Hop{Kind: HopStep}, err
	case p.traits.NoLegacy && (c == 'c' && p.peek(1) == '@' || c == '*' && p.peek(1) == '@'):
		p.pos += 2
		return Hop{}, p.removed(start, "a hop with @")
	case c == '*':
		p.take("*")
		return p.blocks(Hop{Kind: HopBlock, Any: true})
	case p.startsInteger():
		h := Hop{Kind: HopOffset, Offset: p.integer()}
		if p.peek(0) == ':' && !isPseudo(p.text[p.pos+1:wordEnd(p.text, p.pos+1)]) {
			h.Kind = HopBlock
			return p.blocks(h)
		}
		return h, nil
	}
	if set, ok, err := p.depthHop(); ok {
		return Hop{Kind: HopDepth, Depth: set}, err
	}
	switch word := p.word(); word {
	case "seg", "mt":
		p.adviseHop(start)
		return Hop{Kind: HopTurn, Name: word}, nil
	case "cont", "mc":
		p.adviseHop(start)
		return Hop{Kind: HopContainer, Name: word}, nil
	case "block", "cb":
		p.adviseHop(start)
		return p.blockKind(Hop{Kind: HopBlock, Name: word, Any: true})
	}
	p.pos = start
	return Hop{}, p.unexpected("a hop", p.inWords(hopRemedy))
}

// depthHop reads dN or depth(…), if one of them comes next.
func (p *parser) depthHop() (DepthSet, bool, error) {
	if p.take("depth") {
		set, err := p.depthSet()
		return set, true, err
	}
	start := p.pos
	if p.take("d") && p.startsInteger() {
		t := DepthTerm{Lo: p.integer()}
		t.Hi = t.Lo
		err := p.checkDepth(start, t)
		if dots := p.pos; err == nil && p.traits.Fragments && p.take("..") {
			p.take("d")
			if !p.startsInteger() {
				return DepthSet{}, true, fault.At(fault.SelectorInvalid, dots, "..", "a depth is expected behind the points",
					"write d1..d3")
			}
			t.Hi = p.integer()
			err = p.checkDepth(start, t)
		}
		return DepthSet{[]DepthTerm{t}}, true, err
	}
	p.pos = start
	return DepthSet{}, false, nil
}

// blocks reads ":block" or ":cb" with what may follow it.
func (p *parser) blocks(h Hop) (Hop, error) {
	if !p.take(":") {
		return h, p.unexpected(":", p.inWords(hopRemedy))
	}
	start := p.pos
	if h.Name = p.word(); h.Name != "block" && h.Name != "cb" {
		p.pos = start
		return h, p.unexpected("block or cb", p.inWords(hopRemedy))
	}
	p.adviseHop(start)
	return p.blockKind(h)
}

// adviseHop notes a hop that names a class (1.0 04 §4.3 against §3.8).
func (p *parser) adviseHop(start int) {
	p.advise(start, true, "write an offset, or a chain: (d1,0) > .block")
}

// blockKind reads ".k" behind a block: kind k (001 §4; docs/decisions.md).
func (p *parser) blockKind(h Hop) (Hop, error) {
	if !p.take(".") {
		return h, nil
	}
	if !isLetter(p.peek(0)) {
		return h, p.unexpected("a kind", "write *:"+h.Name+".summary, or *:"+h.Name+"[kind='…']")
	}
	h.Attrs = []Attr{{Name: "kind", Op: Eq, Values: []Literal{{Text, p.word()}}}}
	return h, nil
}
