package selector

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/contexttree/pact/fault"
)

// The limits of one selector or position. Parsing returns E_LIMIT beyond them, so that no
// text can cost much, here or in the evaluator.
const (
	MaxLength   = 64 << 10 // bytes of text
	MaxGroups   = 256      // groups of a selector
	MaxSteps    = 64       // steps of a group
	MaxParts    = 64       // parts of a step; attributes of a search or a hop
	MaxHops     = 64       // hops of a position
	MaxTerms    = 256      // terms of a depth
	MaxValues   = 256      // values of an attribute
	MaxPatterns = 1 << 10  // bytes of all regular expressions together
	MaxStates   = 10_000   // states of all of them, with repetitions written out
)

// Parse reads a selector in edition e (04 §4; 003 and 001 §4). Errors are
// [fault.Error] with offset and token: E_SELECTOR_INVALID,
// E_SNAPSHOT_RANGE_KIND_MISMATCH, E_SNAPSHOT_RANGE_WILDCARD,
// E_SNAPSHOT_NOT_FOUND for an address in the future, and E_LIMIT.
//
// Specification: 04 §3, 04 §4.
func Parse(text string, e Edition) (*Selector, error) {
	p, err := newParser(text, e)
	if err != nil {
		return nil, err
	}
	p.space()
	if p.peek(0) == '@' {
		if err := p.readTime(); err != nil {
			return nil, err
		}
		p.space()
	}
	s := &Selector{Source: text, Edition: e, Time: p.time}
	if s.Groups, err = p.groups(); err != nil {
		return nil, err
	}
	slices.SortFunc(p.controls, func(a, b Control) int { return int(a.Kind - b.Kind) })
	s.Controls, s.Ignored, s.Advice = p.controls, p.ignored, p.advice
	if _, ok := s.Control(ControlLimit); !ok && p.page >= 0 {
		return nil, fault.At(fault.SelectorInvalid, p.page, "@p", "@p stands without @limit, the size of a page",
			"give it with @limit=N")
	}
	return s, nil
}

// MustParse is Parse for texts known to be valid; it panics otherwise.
func MustParse(text string, e Edition) *Selector {
	s, err := Parse(text, e)
	if err != nil {
		panic("selector: " + strconv.Quote(text) + ": " + err.Error())
	}
	return s
}

// parser builds the tree. It reads from left to right, with one method for
// each production of the grammar in the package comment.
type parser struct {
	scanner
	edition   Edition
	traits    Traits
	time      *Time
	controls  []Control
	page      int  // where @p stands, or -1
	inserting bool // the text is an insertion target or a node, the same in every edition
	describes bool // the text describes a node, whose attributes are names and not facets
	parens    int  // how many parentheses around a selector are open
	ignored   []string
	advice    []Advice
	patterns  int // bytes of regular expressions so far
	states    int // about how many states these have
}

// newParser refuses a text that is too long, before any other work, and one that is not
// UTF-8.
func newParser(text string, e Edition) (*parser, error) {
	if len(text) > MaxLength {
		return nil, fault.At(fault.Limit, MaxLength, "",
			fmt.Sprintf("the text has %d bytes, which is more than %d", len(text), MaxLength),
			"ask in several steps")
	}
	if _, err := ParseEdition(string(e)); err != nil {
		return nil, err
	}
	for i, r := range text {
		if r != utf8.RuneError {
			continue
		}
		if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
			return nil, fault.At(fault.SelectorInvalid, i, fmt.Sprintf(`\x%02x`, text[i]),
				"the text is not valid UTF-8", "encode it as UTF-8")
		}
	}
	return &parser{scanner: scanner{text: text}, edition: e, traits: e.Traits(), page: -1}, nil
}

// groups reads the groups of a selector.
func (p *parser) groups() (list []Group, err error) {
	if p.traits.Fragments {
		if list, err = p.fragments(); err == nil && !p.end() {
			err = p.unexpected("a comma or the end", "close what is open, and nothing else")
		}
		return list, err
	}
	for {
		p.space()
		g, err := p.group()
		if err != nil {
			return nil, err
		}
		list = append(list, g)
		if p.end() {
			return list, nil
		}
		comma := p.pos
		p.take(",")
		if len(p.controls) > 0 {
			return nil, p.invalid(comma, "a group follows a control",
				"write the controls once, after the last group")
		}
		if len(list) == MaxGroups {
			return nil, p.tooMany(comma, MaxGroups, "groups")
		}
	}
}

// group reads a chain of steps and the controls behind it, up to a comma or the
// end.
func (p *parser) group() (g Group, err error) {
	cur, err := p.step(&g, None)
	if err == nil {
		err = p.chain(&g, cur)
	}
	return g, err
}

// chain reads what follows the first part of a group.
func (p *parser) chain(g *Group, cur *step) (err error) {
	for err == nil {
		gap := p.space()
		c := p.peek(0)
		switch {
		case p.end() || c == ',' || c == ')' && p.parens > 0 || c == '?' && p.peek(1) == '?' && p.traits.NoLegacy:
			for i := range g.Steps {
				g.Steps[i].mergeTags()
			}
			return nil
		case c == '?' && p.traits.NoLegacy && onePosition(*g) && !gap:
			return p.unexpected("a step", "(…)? is for changes; leave the ? out of a query")
		case c == '@':
			err = p.control(gap)
			cur.filters = true
		case len(p.controls) > 0 && strings.IndexByte("[{+", c) < 0:
			err = p.unexpected("a control or a filter", "the controls come last")
		case cur.takes(c, gap):
			err = p.part(cur)
		case c == '>':
			p.take(">")
			p.space()
			if p.peek(0) == '?' {
				return p.unexpected("a step",
					"leave out the >; ? goes one level down and ?? every level")
			}
			cur, err = p.step(g, Child)
		case c == '?' && p.peek(1) != '?':
			cur, err = p.step(g, Child)
		case gap || c == '?':
			cur, err = p.step(g, Descendant)
		default:
			err = p.unexpected("a space, a filter or the end", "a new step begins with a space or >")
		}
	}
	return err
}

// step is the step being read, and what decides whether a part may follow.
//
// Specification: 04 §3.6, 001 §3.6.
type step struct {
	*Step
	named   bool // more names may follow: only "*", a region or names so far
	filters bool // "[" after a space filters this step
}

// takes reports whether c begins a part of the step rather than a new step.
func (s step) takes(c byte, gap bool) bool {
	switch c {
	case '{', '+':
		return true
	case '[':
		return !gap || s.filters
	case '(', '#', '.', ':':
		return !gap
	}
	return false
}

// step appends a step to g and reads its first part.
func (p *parser) step(g *Group, comb Combinator) (*step, error) {
	if len(g.Steps) == MaxSteps {
		return nil, p.tooMany(p.pos, MaxSteps, "steps")
	}
	g.Steps = append(g.Steps, Step{Comb: comb})
	cur := &step{Step: &g.Steps[len(g.Steps)-1], named: true, filters: p.traits.Fragments}
	var (
		head Part
		err  error
	)
	switch c := p.peek(0); {
	case comb == None && p.startsHop():
		head, err = p.singleHop()
	case c == '*':
		p.take("*")
		head = Universal{}
	case c == '^':
		head, err = p.region()
	case c == '?' && p.traits.NoLegacy:
		return nil, p.removed(p.pos, "a search with ? or ??")
	case c == '?':
		if comb == Child && afterSearch(g) {
			return nil, p.chained()
		}
		head, err = p.search(nil)
	case c == '(' || isWordByte(c):
		head, err = p.firstHead(comb)
	default:
		return cur, p.part(cur)
	}
	if err != nil {
		return nil, err
	}
	switch head.(type) {
	case Position, Search:
		cur.named, cur.filters = false, true
	case DepthStep:
		cur.named = false
	}
	cur.Parts = append(cur.Parts, head)
	return cur, nil
}

// afterSearch reports whether the step before the last one began with "? {…}".
func afterSearch(g *Group) bool {
	s, ok := g.Steps[len(g.Steps)-2].Parts[0].(Search)
	return ok && !s.Deep
}

// firstHead reads a head that may only begin a group: a position, depth(…) or
// within(…) ??.
func (p *parser) firstHead(comb Combinator) (Part, error) {
	start := p.pos
	word := p.word()
	switch {
	case p.peek(0) == '(' && word == "" || word == "depth" || word == "within":
	case comb != None && p.traits.Extended && isHopWord(word):
		return nil, p.invalid(start, "a hop stands only at the beginning", p.inWords(hopFirstRemedy))
	default:
		p.pos = start
		remedy := beginsRemedy
		if p.traits.Extended {
			remedy += alsoHopRemedy
		}
		return nil, p.unexpected("a step", p.inWords(remedy))
	}
	if comb != None {
		p.pos = start
		return nil, p.unexpected("a type, an id, a filter or a search",
			"a position, depth(…) and within(…) begin a group; attributes in parentheses touch their type")
	}
	switch word {
	case "depth":
		if err := p.need(aDepthStep, start, word); err != nil {
			return nil, err
		}
		set, err := p.depthSet()
		return DepthStep{set}, err
	case "within":
		if p.traits.NoLegacy {
			return nil, p.removed(start, "a search with within")
		}
		return p.within(start)
	}
	return p.position()
}

// isHopWord reports whether a word is a hop that a group can begin with.
func isHopWord(word string) bool {
	p := parser{scanner: scanner{text: word}}
	return p.startsHop()
}

// tooMany returns the error for a limit that the text exceeds at offset.
func (p *parser) tooMany(offset, most int, what string) error {
	there := scanner{text: p.text, pos: offset}
	return fault.At(fault.Limit, offset, clip(there.token()),
		fmt.Sprintf("there are more than %d %s", most, what), "ask in several steps")
}
