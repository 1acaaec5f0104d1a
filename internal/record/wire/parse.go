package wire

import (
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// parser reads a body once, from front to back, as JSON of RFC 8259. It stops
// without an error at what is not JSON, because Read then keeps the body raw.
type parser struct {
	text string
	at   int
	dry  bool // only whether it can be read is asked: values are left empty

	depth   int
	values  int // values and member names so far
	objects []*object
	known   map[string]*object // by the names in the order of the body
	shape   []byte
	scratch []byte
	spelled [len(habits)][]Spelling // for each habit, what it would write otherwise
	last    [len(habits)]int        // for each habit, the number of scalars up to its last Spelling
	scalars int                     // strings, names and numbers so far
	spaced  *bool                   // nil before the first comma or colon
	exact   bool                    // Notes can restore the body
	before  string
	after   string
}

// document reads the body.
func (p *parser) document() (canon.Any, bool) {
	p.exact = true
	p.before = p.space()
	value, ok := p.value()
	p.after = p.space()
	return value, ok && p.at == len(p.text)
}

// notes picks the habit that leaves the fewest spellings to note.
func (p *parser) notes() Notes {
	best := 0
	for i := range habits {
		if len(p.spelled[i]) < len(p.spelled[best]) {
			best = i
		}
	}
	return Notes{
		Spaced: p.spaced != nil && *p.spaced, Escapes: habits[best], Before: p.before, After: p.after,
		Order: orderOf(p.objects), Spelled: p.spelled[best],
	}
}

func (p *parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *parser) space() string {
	start := p.at
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
	return p.text[start:p.at]
}

// tight skips white space where no habit writes any.
func (p *parser) tight() {
	if p.space() != "" {
		p.exact = false
	}
}

// separator skips a comma or colon and the white space around it.
func (p *parser) separator(c byte) bool {
	p.tight()
	if p.peek() != c {
		return false
	}
	p.at++
	space := p.space()
	if p.spaced == nil {
		spaced := space == " "
		p.spaced = &spaced
	}
	if *p.spaced != (space == " ") || !*p.spaced && space != "" {
		p.exact = false
	}
	return true
}

func (p *parser) value() (canon.Any, bool) {
	if p.values++; p.values > maxValues {
		return canon.Any{}, false
	}
	switch c := p.peek(); c {
	case '"':
		text, ok := p.str()
		return canon.Any{Kind: canon.KindString, Text: text}, ok
	case '{', '[':
		if p.depth++; p.depth > maxDepth {
			return canon.Any{}, false
		}
		p.at++
		read := p.elems
		if c == '{' {
			read = p.members
		}
		value, ok := read()
		p.depth--
		return value, ok
	case 'n':
		return p.word(canon.KindNull, "null")
	case 't':
		return p.word(canon.KindBool, "true")
	case 'f':
		return p.word(canon.KindBool, "false")
	}
	return p.number()
}

func (p *parser) word(kind canon.Kind, word string) (canon.Any, bool) {
	ok := strings.HasPrefix(p.text[p.at:], word)
	p.at = min(len(p.text), p.at+len(word))
	return canon.Any{Kind: kind, Text: word}, ok
}

func (p *parser) elems() (canon.Any, bool) {
	list := canon.Any{Kind: canon.KindArray}
	p.tight()
	if p.peek() == ']' {
		p.at++
		return list, true
	}
	for {
		value, ok := p.value()
		if !ok {
			return canon.Any{}, false
		}
		if !p.dry {
			list.Elems = append(list.Elems, value)
		}
		if !p.separator(',') {
			return list, p.close(']')
		}
	}
}

func (p *parser) members() (canon.Any, bool) {
	number := len(p.objects)
	p.objects = append(p.objects, nil)
	var list []canon.Member
	p.tight()
	if p.peek() == '}' {
		p.at++
		return canon.Object(), true
	}
	for {
		if p.values++; p.values > maxValues || p.peek() != '"' {
			return canon.Any{}, false
		}
		name, ok := p.str()
		if !ok || !p.separator(':') {
			return canon.Any{}, false
		}
		value, ok := p.value()
		if !ok {
			return canon.Any{}, false
		}
		if !p.dry {
			list = append(list, canon.Member{Name: name, Value: value})
		}
		if !p.separator(',') {
			if len(list) > 1 {
				p.objects[number] = p.objectOf(list)
			}
			value := canon.Object(list...)
			if len(value.Members) < len(list) {
				p.exact = false // the value keeps only one of two members with one name
			}
			return value, p.close('}')
		}
	}
}

func (p *parser) close(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.at++
	return true
}

func (p *parser) number() (canon.Any, bool) {
	start := p.at
	for p.at < len(p.text) && strings.IndexByte("+-.eE0123456789", p.text[p.at]) >= 0 {
		p.at++
	}
	literal := p.text[start:p.at]
	value, err := canon.Parse([]byte(literal))
	if err != nil || value.Kind() != canon.KindNumber || !value.Expressible() {
		return canon.Any{}, false
	}
	if string(value) != literal {
		for i := range habits {
			p.spell(i, literal)
		}
	}
	p.scalars++
	return canon.Any{Kind: canon.KindNumber, Text: string(value)}, true
}

// spell notes the written form of the current scalar for each habit in the set.
func (p *parser) spell(habit int, literal string) {
	if p.dry {
		return
	}
	p.spelled[habit] = append(p.spelled[habit], Spelling{Skip: p.scalars - p.last[habit], Literal: literal})
	p.last[habit] = p.scalars + 1
}
