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

// Value is a value at its place in a body. The zero Value stands for a missing one.
type Value struct {
	Kind    canon.Kind
	Start   int    // offset of Raw in the body
	Raw     []byte // the bytes of the value, in the memory of the body
	Elems   []Value
	Members []Member
}

// Member is a member of an object.
type Member struct {
	Name  string
	Start int // offset of the name, its quote included
	Value Value
}

// End returns the offset after the value.
func (v Value) End() int { return v.Start + len(v.Raw) }

// Is reports whether the value is there.
func (v Value) Is() bool { return v.Kind != canon.KindAbsent }

// Get follows names of members; it returns a missing Value where one lacks.
func (v Value) Get(path ...string) Value {
	for _, name := range path {
		at := v.index(name)
		if at < 0 {
			return Value{}
		}
		v = v.Members[at].Value
	}
	return v
}

func (v Value) index(name string) int { return indexOf(v.Members, name) }

func indexOf(members []Member, name string) int {
	for i := range members {
		if members[i].Name == name {
			return i
		}
	}
	return -1
}

// Text returns what a string says, "" for every other value. Cost: its length.
func (v Value) Text() string {
	if v.Kind != canon.KindString {
		return ""
	}
	inside := v.Raw[1 : len(v.Raw)-1]
	if bytes.IndexByte(inside, '\\') < 0 {
		return string(inside)
	}
	read, err := canon.ParseAny(v.Raw)
	if err != nil {
		return ""
	}
	return read.Text
}

// True reports whether the value is true.
func (v Value) True() bool { return string(v.Raw) == "true" }

// Canon returns the value without its spelling. Cost: linear in its bytes.
func (v Value) Canon() (canon.Any, error) { return canon.ParseAny(v.Raw) }

// Parse finds the values of a body. It refuses what is not JSON of RFC 8259, two members of
// an object with one name, because readers disagree on which counts, and what exceeds a
// limit. Cost: linear in the body; about 100 bytes for each value.
func Parse(body []byte) (Value, bool) {
	p := parser{body: body}
	p.space()
	v, ok := p.value(0)
	p.space()
	return v, ok && p.at == len(body)
}

type parser struct {
	body    []byte
	at      int
	values  int
	elems   []Value  // of the lists that are being read, the outer ones first
	members []Member // of the objects that are being read, the outer ones first
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
		e, ok := p.value(depth + 1)
		if !ok {
			return false
		}
		p.elems = append(p.elems, e)
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
		var ok bool
		if m.Value, ok = p.value(depth + 1); !ok || twice(p.members[before:], &names, m.Name) {
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

// twice reports whether an object has a member of the name already. Objects of many members
// get a set of their names.
func twice(members []Member, names *map[string]bool, name string) bool {
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
