package selector

import (
	"slices"
	"strings"

	"github.com/contexttree/pact/fault"
)

const (
	maxNesting   = 64 // parentheses in parentheses
	groupRemedy  = "put each fragment of the list in parentheses: ((d1,0) > .a), (d2)"
	wholeRemedy  = "write the address once, at the very beginning, and the controls at the end"
	elseRemedy   = "write (d1,0) ?? (d2,0): two positions and nothing behind them"
	legacyRemedy = "1.0 04 §4.3 removed it; docs/language/editions.md says what to write"
)

// fragments reads a list of fragments up to the end or to ")": a chain, a position, attributes or
// a selector in parentheses (1.0 04 §4, §5.1). What each gives is a group or more, in their order.
func (p *parser) fragments() ([]Group, error) {
	if p.parens > maxNesting {
		return nil, p.tooMany(p.pos, maxNesting, "parentheses in parentheses")
	}
	var all []Group
	complex, n := -1, 0 // where a fragment stands that a list takes in parentheses alone
	for {
		p.space()
		start := p.pos
		groups, bare, err := p.fragment()
		if err != nil {
			return nil, err
		}
		if !bare && complex < 0 {
			complex = start
		}
		if n++; n > 1 && complex >= 0 {
			at := scanner{text: p.text, pos: complex}
			return nil, fault.At(fault.SelectorAmbiguous, complex, clip(at.token()),
				"a position or a scope in a list stands without parentheses of its own", groupRemedy)
		}
		all = append(all, groups...)
		if len(all) > MaxGroups || n > MaxGroups {
			return nil, fault.At(fault.TooManyFragments, start, "", "the list has more than 256 fragments", "ask in several steps")
		}
		if p.space(); p.peek(0) != ',' {
			return all, nil
		}
		if len(p.controls) > 0 {
			return nil, fault.At(fault.SelectorAmbiguous, p.pos, ",", "a fragment follows a control", wholeRemedy)
		}
		p.take(",")
	}
}

// fragment reads one fragment. bare says that a list can hold it as it stands.
func (p *parser) fragment() (groups []Group, bare bool, err error) {
	start := p.pos
	switch {
	case p.peek(0) == '@':
		return nil, false, p.invalid(p.pos, "an address stands inside the selector", wholeRemedy)
	case p.startsScope():
		groups, err = p.scoped()
	case p.peek(0) == '(' && !p.startsPosition():
		groups, err = p.parenthesised()
		bare = true
	default:
		var g Group
		if g, err = p.group(); err == nil {
			_, position := g.Steps[0].Parts[0].(Position)
			bare = !position || onePosition(g) && len(g.Steps[0].Parts) == 1 && p.text[start] == '('
			groups = coordinates(g)
		}
	}
	for err == nil && p.peek(0) == '?' {
		bare = false
		groups, err = p.otherwise(groups)
	}
	return groups, bare, err
}

// startsScope reports whether a depth and a chain come next: d1..d3 .a.
func (p *parser) startsScope() bool {
	ahead := *p
	if ahead.peek(0) != 'd' || !ahead.startsHop() {
		return false
	}
	if _, _, err := ahead.depthHop(); err != nil || !ahead.space() {
		return false
	}
	return ahead.startsChain()
}

// startsChain reports whether a step that is no filter comes next.
func (p *parser) startsChain() bool {
	c := p.peek(0)
	return c != 0 && strings.IndexByte(".#^:", c) >= 0 || c == '*' && p.peek(1) != ':' && p.peek(1) != '@'
}

// scoped reads a depth and the chain behind it.
func (p *parser) scoped() ([]Group, error) {
	set, _, err := p.depthHop()
	if err != nil {
		return nil, err
	}
	p.take(",")
	p.space()
	g, err := p.group()
	g.Scope = &set
	return []Group{g}, err
}

// coordinates returns a group for each coordinate of (d1,0,d2,0): a depth behind an offset begins
// the next one (1.0 04 §4).
func coordinates(g Group) (list []Group) {
	head, is := g.Steps[0].Parts[0].(Position)
	from := 0
	for i := 1; is && i <= len(head.Hops); i++ {
		if i < len(head.Hops) && (head.Hops[i].Kind != HopDepth || head.Hops[i-1].Kind != HopOffset) {
			continue
		}
		one := Group{Steps: slices.Clone(g.Steps)}
		for k := range one.Steps { // what stands behind parentheses is added to each
			one.Steps[k].Parts = slices.Clone(one.Steps[k].Parts)
		}
		one.Steps[0].Parts[0] = Position{Hops: head.Hops[from:i:i]}
		list, from = append(list, one), i
	}
	if len(list) < 2 {
		return []Group{g}
	}
	return list
}

// startsPosition reports whether the parentheses that come next hold hops, and not a selector.
func (p *parser) startsPosition() bool {
	ahead := *p
	ahead.take("(")
	ahead.space()
	if ahead.peek(0) == 'c' && ahead.peek(1) == '@' || strings.HasPrefix(ahead.text[ahead.pos:], "*@") {
		return true // which hopHead refuses by its name
	}
	if !ahead.startsHop() && !strings.HasPrefix(ahead.text[ahead.pos:], "depth(") {
		return false
	}
	if _, err := ahead.hop(); err != nil {
		return true
	}
	if ahead.take(",") {
		ahead.space()
		return !ahead.startsChain() && strings.IndexByte("+[{", ahead.peek(0)) < 0 // else a scope
	}
	return ahead.peek(0) == ')' || ahead.end()
}

// parenthesised reads "(" selector ")" and what follows it, which applies to each of its groups.
func (p *parser) parenthesised() ([]Group, error) {
	start := p.pos
	p.take("(")
	p.parens++
	groups, err := p.inside()
	if err != nil {
		return nil, err
	}
	p.parens--
	switch {
	case len(p.controls)+len(p.ignored) > 0:
		return nil, p.invalid(start, "a control stands inside parentheses", wholeRemedy)
	case !p.take(")"):
		return nil, p.unexpected("a comma or )", "close the parentheses")
	}
	mark := p.pos
	rest := Group{Steps: []Step{{Parts: []Part{Universal{}}}}}
	if err := p.chain(&rest, &step{Step: &rest.Steps[0], filters: true}); err != nil {
		return nil, err
	}
	more := rest.Steps[0].Parts[1:]
	if len(more)+len(rest.Steps) == 1 {
		return groups, nil
	}
	for i := range groups {
		g := &groups[i]
		if g.Else || i+1 < len(groups) && groups[i+1].Else {
			return nil, p.invalid(mark, "something follows ?? in parentheses", elseRemedy)
		}
		last := &g.Steps[len(g.Steps)-1]
		if len(last.Parts)+len(more) > MaxParts {
			return nil, p.tooMany(mark, MaxParts, "parts in a step")
		}
		if len(g.Steps)+len(rest.Steps)-1 > MaxSteps {
			return nil, p.tooMany(mark, MaxSteps, "steps")
		}
		last.Parts = append(last.Parts, more...)
		last.mergeTags()
		for _, s := range rest.Steps[1:] {
			s.Parts = slices.Clone(s.Parts)
			g.Steps = append(g.Steps, s)
		}
	}
	return groups, nil
}

// inside reads what stands in parentheses: (d1, .a) is the scope d1 .a.
func (p *parser) inside() ([]Group, error) {
	p.space()
	ahead := *p
	if _, depth, err := ahead.depthHop(); err == nil && depth {
		if ahead.space(); ahead.take(",") {
			return p.scoped()
		}
	}
	return p.fragments()
}

// otherwise reads ?? and the position behind it (1.0 04 §3.6).
func (p *parser) otherwise(before []Group) ([]Group, error) {
	start, last := p.pos, before[len(before)-1]
	p.take("??")
	p.space()
	ahead := *p
	_, bare, _ := ahead.depthHop() // d2, a position without parentheses
	if p.peek(0) != '(' && !bare {
		return nil, p.removed(start, "a search with ??")
	}
	whole := onePosition(last) && (len(before) == 1 || last.Else) && (bare || p.startsPosition())
	g, err := p.group()
	if err != nil {
		return nil, err
	}
	if !whole || !onePosition(g) || len(coordinates(g)) > 1 {
		return nil, p.invalid(start, "?? stands between whole positions", elseRemedy)
	}
	g.Else = true
	return append(before, g), nil
}

// onePosition reports whether a group is a position with no step behind it.
func onePosition(g Group) bool {
	_, is := g.Steps[0].Parts[0].(Position)
	return is && len(g.Steps) == 1 && g.Scope == nil
}

// removed returns the error for a form that edition 1.0 removed.
func (p *parser) removed(offset int, what string) error {
	there := scanner{text: p.text, pos: offset}
	return fault.At(fault.SelectorLegacy, offset, clip(there.token()), what+" is not part of edition "+string(p.edition), legacyRemedy)
}

// advise notes a form that is read, from offset to the cursor.
func (p *parser) advise(offset int, legacy bool, message string) {
	if p.traits.NoLegacy && !p.inserting {
		p.advice = append(p.advice, Advice{offset, clip(p.text[offset:p.pos]), message, legacy})
	}
}
