package splice

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/contexttree/pact/internal/canon"
)

// Limits of one body; Parse refuses a body beyond one of them.
const (
	maxDepth  = 512
	maxValues = 1 << 21
)

// Parse finds the values of a body. It refuses what is not JSON of RFC 8259, two members of
// an object with one name, because readers disagree on which counts, and what exceeds a
// limit. Cost: linear in the body; about 100 bytes for each value.
func Parse(body []byte) (Value, bool) {
	v, _, ok := ParseNext(body, "", nil)
	return v, ok
}

// ParseNext is Parse for a body of which it is known that some objects stand at their places in it ([Repeats]), if they
// are the first elements of the list that a member has. It returns how many of them are. Each counts as one value.
func ParseNext(body []byte, member string, known []Value) (_ Value, taken int, ok bool) {
	p := parser{body: body, member: member, known: known}
	p.space()
	v, ok := p.value(0)
	p.space()
	return v, p.taken, ok && p.at == len(body)
}

// Repeats counts how many of some objects stand at their places in a body, up to the first that does not.
func Repeats(body []byte, objects []Value) (n int) {
	for n < len(objects) {
		if v := &objects[n]; v.Kind != canon.KindObject || v.Start > len(body) || !bytes.HasPrefix(body[v.Start:], v.Raw) {
			break
		}
		n++
	}
	return n
}

type parser struct {
	body    []byte
	at      int
	values  int
	elems   []Value  // of the lists that are being read, the outer ones first
	members []Member // of the objects that are being read, the outer ones first

	member string // of the body, whose list may begin with known objects
	here   bool   // it is being read
	known  []Value
	taken  int // how many of them the list begins with
}

func (p *parser) space() {
	for p.at < len(p.body) && strings.IndexByte(" \t\r\n", p.body[p.at]) >= 0 {
		p.at++
	}
}

func (p *parser) peek() byte {
	if p.at < len(p.body) {
		return p.body[p.at]
	}
	return 0
}

func (p *parser) skip(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.at++
	return true
}

func (p *parser) value(depth int) (Value, bool) {
	if p.values++; p.values > maxValues || depth > maxDepth {
		return Value{}, false
	}
	v := Value{Start: p.at}
	ok := false
	switch c := p.peek(); {
	case c == '"':
		v.Kind, ok = canon.KindString, p.text()
	case c == '{':
		v.Kind = canon.KindObject
		ok = p.object(&v, depth)
	case c == '[':
		v.Kind = canon.KindArray
		ok = p.list(&v, depth)
	case c == 't':
		v.Kind, ok = canon.KindBool, p.word("true")
	case c == 'f':
		v.Kind, ok = canon.KindBool, p.word("false")
	case c == 'n':
		v.Kind, ok = canon.KindNull, p.word("null")
	default:
		v.Kind, ok = canon.KindNumber, p.number()
	}
	v.Raw = p.body[v.Start:p.at:p.at]
	return v, ok
}

func (p *parser) word(word string) bool {
	if !bytes.HasPrefix(p.body[p.at:], []byte(word)) {
		return false
	}
	p.at += len(word)
	return true
}

func (p *parser) list(v *Value, depth int) bool {
	p.at++
	p.space()
	if p.skip(']') {
		return true
	}
	for before := len(p.elems); ; {
		if depth == 1 && p.here && p.taken < len(p.known) && p.taken == len(p.elems)-before &&
			p.at == p.known[p.taken].Start {
			p.elems = append(p.elems, p.known[p.taken])
			p.at, p.taken = p.known[p.taken].End(), p.taken+1
		} else if e, ok := p.value(depth + 1); ok {
			p.elems = append(p.elems, e)
		} else {
			return false
		}
		p.space()
		if !p.skip(',') {
			v.Elems, p.elems = slices.Clone(p.elems[before:]), p.elems[:before]
			return p.skip(']')
		}
		p.space()
	}
}

func (p *parser) object(v *Value, depth int) bool {
	p.at++
	p.space()
	if p.skip('}') {
		return true
	}
	before, names := len(p.members), map[string]bool(nil)
	for {
		m := Member{Start: p.at}
		if p.peek() != '"' || !p.text() {
			return false
		}
		m.Name = Value{Kind: canon.KindString, Raw: p.body[m.Start:p.at]}.Text()
		p.space()
		if !p.skip(':') {
			return false
		}
		p.space()
		if depth == 0 {
			p.here = m.Name == p.member
		}
		var ok bool
		if m.Value, ok = p.value(depth + 1); !ok || repeatsMember(p.members[before:], &names, m.Name) {
			return false
		}
		p.members = append(p.members, m)
		p.space()
		if !p.skip(',') {
			v.Members, p.members = slices.Clone(p.members[before:]), p.members[:before]
			return p.skip('}')
		}
		p.space()
	}
}

// repeatsMember reports whether an object has a member of the name already. Objects of many members
// get a set of their names.
func repeatsMember(members []Member, names *map[string]bool, name string) bool {
	const few = 16
	if len(members) < few {
		return indexOf(members, name) >= 0
	}
	if *names == nil {
		*names = map[string]bool{}
		for i := range members {
			(*names)[members[i].Name] = true
		}
	}
	there := (*names)[name]
	(*names)[name] = true
	return there
}

// text skips a string and checks its escapes and its UTF-8.
func (p *parser) text() bool {
	start, ascii := p.at, true
	p.at++
	for {
		p.plain()
		switch c := p.peek(); {
		case c == '"':
			p.at++
			return ascii || utf8.Valid(p.body[start:p.at])
		case c == '\\':
			if !p.escape() {
				return false
			}
		case c < ' ': // or the end of the body
			return false
		default:
			ascii = ascii && c < utf8.RuneSelf
			p.at++
		}
	}
}

// plain skips bytes of a string that are ASCII, no quote and no backslash, eight at a time. It may leave up to
// seven of them, and stops before every other byte.
func (p *parser) plain() {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for p.at+8 <= len(p.body) {
		x := binary.LittleEndian.Uint64(p.body[p.at:])
		quote, slash := x^'"'*ones, x^'\\'*ones
		// Only a byte that is found borrows from the one above it, so the lowest one found is right.
		if found := ((x - ' '*ones) | (quote - ones) | (slash - ones) | x) & tops; found != 0 {
			p.at += bits.TrailingZeros64(found) / 8
			return
		}
		p.at += 8
	}
}

func (p *parser) escape() bool {
	p.at++
	switch c := p.peek(); {
	case c == 'u':
		if p.at+5 > len(p.body) {
			return false
		}
		for _, digit := range p.body[p.at+1 : p.at+5] {
			if strings.IndexByte("0123456789abcdefABCDEF", digit) < 0 {
				return false
			}
		}
		p.at += 5
		return true
	case c != 0 && strings.IndexByte(`"\/bfnrt`, c) >= 0:
		p.at++
		return true
	}
	return false
}

func (p *parser) number() bool {
	p.skip('-')
	switch {
	case p.skip('0'):
	case !p.digits():
		return false
	}
	if p.skip('.') && !p.digits() {
		return false
	}
	if p.skip('e') || p.skip('E') {
		if !p.skip('+') {
			p.skip('-')
		}
		return p.digits()
	}
	return true
}

func (p *parser) digits() bool {
	start := p.at
	for c := p.peek(); '0' <= c && c <= '9'; c = p.peek() {
		p.at++
	}
	return p.at > start
}
