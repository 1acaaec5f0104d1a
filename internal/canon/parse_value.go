package canon

import (
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
)

func (p *parser[T]) value() (Any, error) {
	start := p.at
	switch c := p.peek(); {
	case c == '"':
		text, err := p.str()
		return Any{Kind: KindString, Text: text}, err
	case c == '-' || isDigit(c):
		literal, err := p.number()
		return Any{Kind: KindNumber, Text: literal}, err
	case c == '{' || c == '[':
		return p.container(c)
	case c == 'n':
		return Any{Kind: KindNull, Text: string(Null)}, p.literal(start, string(Null))
	case c == 't':
		return Any{Kind: KindBool, Text: string(True)}, p.literal(start, string(True))
	case c == 'f':
		return Any{Kind: KindBool, Text: string(False)}, p.literal(start, string(False))
	case c == 'N':
		return Any{Kind: KindNumber, Text: literalNaN}, p.literal(start, literalNaN)
	case c == 'I':
		return Any{Kind: KindNumber, Text: literalInf}, p.literal(start, literalInf)
	}
	return Any{}, p.bad("expected a value", "write one at this place")
}

// literal steps over the word that must be at index start.
func (p *parser[T]) literal(start int, word string) error {
	p.at = start
	if !p.has(word) {
		return p.bad("expected "+word, "write it at this place")
	}
	p.at += len(word)
	return nil
}

func (p *parser[T]) container(open byte) (Any, error) {
	if open == '{' {
		list, err := p.members()
		return Any{Kind: KindObject, Members: list}, err
	}
	list, err := p.elems()
	return Any{Kind: KindArray, Elems: list}, err
}

func (p *parser[T]) elems() (list []Any, err error) {
	err = p.each(']', func() error {
		a, err := p.value()
		list = append(list, a)
		return err
	})
	return list, err
}

// each calls one at each element of the container at hand, or at the name of each member.
func (p *parser[T]) each(end byte, one func() error) error {
	if p.depth == 0 {
		return tooDeep(p.at, string(p.peek()), p.limit)
	}
	p.depth--
	p.skip(p.peek())
	for first := true; !first || p.peek() != end; first = false {
		if end == '}' && p.peek() != '"' {
			return p.bad("expected a member name in quotes", "write it at this place")
		}
		if err := one(); err != nil {
			return err
		}
		if p.space(); p.peek() == end {
			break
		}
		if !p.skip(',') {
			return p.bad("expected , or "+string(end)+" in an "+map[byte]string{']': "array", '}': "object"}[end],
				"write it at this place")
		}
	}
	p.at++
	p.depth++
	return nil
}

// colon steps over what stands between a name and a value.
func (p *parser[T]) colon() error {
	if p.space(); !p.skip(':') {
		return p.bad("expected : after a member name", "write it at this place")
	}
	return nil
}

func tooDeep(offset int, token string, limit int) error {
	return fault.At(fault.Limit, offset, token,
		"containers nest more than "+strconv.Itoa(limit)+" deep", "flatten the value")
}

// mostOpen is how many members of an object wait in parser.open.
const mostOpen = 256

func (p *parser[T]) members() ([]Member, error) {
	base, outermost := len(p.open), p.depth == p.limit
	var list []Member // of an object with many members
	sorted, last := true, ""
	err := p.each('}', func() error {
		name, err := p.name()
		if err == nil {
			err = p.colon()
		}
		if err != nil {
			return err
		}
		a, err := p.member(name)
		if len(p.open)-base == mostOpen {
			list = p.closed(base, outermost)
		}
		sorted, last = sorted && (len(p.open)+len(list) == base || last < name), name
		if list == nil {
			p.open = append(p.open, Member{Name: name, Value: a})
		} else {
			list = append(list, Member{Name: name, Value: a})
		}
		return err
	})
	if err != nil || len(p.open)+len(list) == base {
		return nil, err
	}
	if list == nil {
		list = p.closed(base, outermost)
	}
	if !sorted {
		all := len(list)
		if list = arrange(list); p.unique && len(list) < all {
			return nil, fault.At(fault.DocumentInvalid, p.at-1, "", "the object that ends here has two members of one name",
				"give each name once")
		}
	}
	return list, nil
}

// closed returns the members that wait from index base on, in memory of their size: most
// objects have a dozen, and a list that grows by itself would take three times as much.
func (p *parser[T]) closed(base int, outermost bool) []Member {
	if outermost { // no other object needs the memory
		list := p.open
		p.open = nil
		return list
	}
	list := slices.Clone(p.open[base:])
	clear(p.open[base:])
	p.open = p.open[:base]
	return list
}

// arrange sorts members by name in place and keeps the last of equal names.
// Byte order is code point order in UTF-8 and WTF-8, the order of Python's
// sort_keys.
func arrange(list []Member) []Member {
	slices.SortStableFunc(list, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	kept := list[:0]
	for i, m := range list {
		if i+1 < len(list) && list[i+1].Name == m.Name {
			continue
		}
		kept = append(kept, m)
	}
	clear(list[len(kept):])
	return kept
}
