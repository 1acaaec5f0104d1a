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
	return Any{}, p.bad("expected a value", "")
}

// literal steps over the word that must be at index start.
func (p *parser[T]) literal(start int, word string) error {
	p.at = start
	if !p.has(word) {
		return p.bad("expected "+word, "")
	}
	p.at += len(word)
	return nil
}

func (p *parser[T]) container(open byte) (Any, error) {
	if p.depth == 0 {
		return Any{}, tooDeep(p.at, string(open), p.limit)
	}
	p.depth--
	p.skip(open)
	var a Any
	var err error
	if open == '{' {
		a.Kind = KindObject
		a.Members, err = p.members()
	} else {
		a.Kind = KindArray
		a.Elems, err = p.elems()
	}
	p.depth++
	return a, err
}

func tooDeep(offset int, token string, limit int) error {
	return fault.At(fault.Limit, offset, token,
		"containers nest more than "+strconv.Itoa(limit)+" deep", "flatten the value")
}

func (p *parser[T]) elems() ([]Any, error) {
	var list []Any
	for first := true; ; first = false {
		if first && p.peek() == ']' {
			p.at++
			return list, nil
		}
		a, err := p.value()
		if err != nil {
			return nil, err
		}
		list = append(list, a)
		p.space()
		if p.peek() == ']' {
			p.at++
			return list, nil
		}
		if !p.skip(',') {
			return nil, p.bad("expected , or ] in an array", "")
		}
	}
}

// mostOpen is how many members of an object wait in parser.open.
const mostOpen = 256

func (p *parser[T]) members() ([]Member, error) {
	base := len(p.open)
	var list []Member // of an object with many members
	sorted, last := true, ""
	for first := true; ; first = false {
		if first && p.peek() == '}' {
			p.at++
			return nil, nil
		}
		if p.peek() != '"' {
			return nil, p.bad("expected a member name in quotes", "")
		}
		name, err := p.name()
		if err != nil {
			return nil, err
		}
		p.space()
		if !p.skip(':') {
			return nil, p.bad("expected : after a member name", "")
		}
		a, err := p.member(name)
		if err != nil {
			return nil, err
		}
		sorted, last = sorted && (first || last < name), name
		if len(p.open)-base == mostOpen {
			list = p.closed(base)
		}
		if list == nil {
			p.open = append(p.open, Member{Name: name, Value: a})
		} else {
			list = append(list, Member{Name: name, Value: a})
		}
		p.space()
		if p.peek() == '}' {
			p.at++
			if list == nil {
				list = p.closed(base)
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
		if !p.skip(',') {
			return nil, p.bad("expected , or } in an object", "")
		}
	}
}

// closed returns the members that wait from index base on, in memory of their size: most
// objects have a dozen, and a list that grows by itself would take three times as much.
func (p *parser[T]) closed(base int) []Member {
	if p.depth == p.limit-1 { // the outermost object: no other needs the memory
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
