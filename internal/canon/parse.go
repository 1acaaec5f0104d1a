package canon

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/contexttree/pact/fault"
)

const (
	// maxDepth bounds how deep containers nest, so that a hostile text cannot
	// exhaust the stack of whoever walks it.
	maxDepth  = 512
	envelope  = 256 // what a document may nest around a value
	unlimited = math.MaxInt

	// tokenMax bounds what an error quotes of the input, in bytes.
	tokenMax = 20

	byteOrderMark = "\uFEFF"
)

// Parse reads one JSON text and returns its canonical form. It accepts what
// Python accepts: JSON and the literals NaN, Infinity and -Infinity; of equal
// member names the last wins. It fails with E_DOCUMENT_INVALID and the byte where
// reading stopped, also for text that is not UTF-8, and with E_LIMIT if values
// nest too deep.
//
// Memory: twice the canonical form, whatever the text holds.
func Parse(data []byte) (Value, error) {
	dst, err := newParser(data, maxDepth).rewritten()
	return Value(dst), err
}

// Canonical reports whether v is what Parse would make of it. What Parse would
// make is compared piece by piece, so that a long value is not copied.
func (v Value) Canonical() bool {
	p := newParser(string(v), maxDepth)
	p.compare = true
	err := p.whole(func() error {
		dst, err := p.rewrite(nil)
		if err == nil {
			p.settle(dst)
		}
		return err
	})
	return err == nil && !p.differs && p.settled == len(v)
}

// ParseAny is Parse for a value to walk. Its strings share one copy of data;
// clone the few that are to outlive a large document. Its errors are those of
// [Parse].
func ParseAny(data []byte) (Any, error) { return parse(string(data), maxDepth) }

// ParseDocument is ParseAny for a document that holds values deep inside: what
// nests as deep as a value may can still be written into it and read back. Its
// errors are those of [Parse].
func ParseDocument(data []byte) (Any, error) { return parse(string(data), maxDepth+envelope) }

// Outline says how a document is read of which the structure is to be walked
// and the values are not: members named in Walk are read as ParseAny does, with
// what they hold; of all others containers, and whatever is named in Hold, keep
// only Kind and their canonical form, which Value returns.
// With Names set, what would be kept is not: only Kind is there.
type Outline struct {
	Walk, Hold []string // names of members
	Names      bool     // keep no values
}

// Parse is ParseDocument by an outline, with its errors. Nothing of it shares data. Memory: what
// is walked, the canonical form of everything else, and the longest of that
// once more.
func (o *Outline) Parse(data []byte) (Any, error) {
	p := newParser(data, maxDepth+envelope)
	p.outline, p.names = o, map[string]string{}
	return p.any()
}

func parse(text string, depth int) (Any, error) { return newParser(text, depth).any() }

func newParser[T string | []byte](text T, depth int) *parser[T] {
	return &parser[T]{text: text, depth: depth, limit: depth}
}

func (p *parser[T]) any() (a Any, err error) {
	err = p.whole(func() (err error) {
		a, err = p.value()
		return err
	})
	if err != nil {
		return Any{}, err
	}
	return a, nil
}

// whole reads a text that is one value and nothing else.
func (p *parser[T]) whole(value func() error) error {
	if p.has(byteOrderMark) {
		return p.bad("the text starts with a byte order mark", "save it as UTF-8 without a byte order mark")
	}
	p.space()
	if err := value(); err != nil {
		return err
	}
	p.space()
	if p.at < len(p.text) {
		return p.bad("expected the end after the value", "give one JSON value only")
	}
	return nil
}

// parser reads a text once from front to back.
type parser[T string | []byte] struct {
	text  T
	at    int
	limit int // how many containers may open inside one another
	depth int // how many more containers may open inside one another

	outline *Outline // nil to read everything to be walked
	names   map[string]string
	scratch []byte
	dry     bool // rewrite only checks
	compare bool // rewrite only compares what it would write with the text
	settled int  // how much of the text was compared
	differs bool // from what it would write
}

// has reports whether prefix is at hand.
func (p *parser[T]) has(prefix string) bool {
	end := p.at + len(prefix)
	return end <= len(p.text) && string(p.text[p.at:end]) == prefix
}

// rune returns the code point at hand.
func (p *parser[T]) rune() (rune, int) {
	return utf8.DecodeRuneInString(string(p.text[p.at:min(len(p.text), p.at+utf8.UTFMax)]))
}

// name reads the name of a member. Where the text is not to be shared, names that
// come again share one copy.
func (p *parser[T]) name() (string, error) {
	const most = 1 << 10
	end := p.plainEnd()
	if p.names == nil || end < 0 {
		return p.str()
	}
	raw := p.text[p.at+1 : end]
	p.at = end + 1
	if name, known := p.names[string(raw)]; known {
		return name, nil
	}
	name := string(raw)
	if len(p.names) < most {
		p.names[name] = name
	}
	return name, nil
}

// plainEnd returns the index of the quote that closes the string at hand, or -1
// where something in it does not stand for itself.
func (p *parser[T]) plainEnd() int {
	i := p.at + 1
	for i < len(p.text) && plain[p.text[i]] {
		i++
	}
	if i < len(p.text) && p.text[i] == '"' {
		return i
	}
	return -1
}

// member reads the value of a member.
func (p *parser[T]) member(name string) (Any, error) {
	if p.outline == nil || slices.Contains(p.outline.Walk, name) {
		return p.value()
	}
	if c := p.peek(); c != '{' && c != '[' && !slices.Contains(p.outline.Hold, name) {
		return p.value()
	}
	if p.outline.Names {
		return p.skimmed()
	}
	if end := p.plainEnd(); p.peek() == '"' && end >= 0 {
		text := string(p.text[p.at : end+1])
		p.at = end + 1
		return Any{Kind: KindString, held: true, Text: text}, nil
	}
	if p.scratch == nil {
		p.scratch = make([]byte, 0, len(p.text)-p.at) // at once: growing it would leave as much behind again
	}
	var err error
	if p.scratch, err = p.rewrite(p.scratch[:0]); err != nil {
		return Any{}, err
	}
	text := string(p.scratch)
	return Any{Kind: Value(text).Kind(), held: true, Text: text}, nil
}

// skimmed reads a value and keeps nothing of it.
func (p *parser[T]) skimmed() (Any, error) {
	kind := Value(p.text[p.at:min(len(p.text), p.at+1)]).Kind()
	p.dry = true
	_, err := p.rewrite(nil)
	p.dry = false
	return Any{Kind: kind, held: true}, err
}

// peek returns the byte at hand, or 0 at the end; a 0 in the text fits no rule
// of the grammar either.
func (p *parser[T]) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *parser[T]) space() {
	for {
		switch p.peek() {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// skip steps over c and the white space after it, if c is at hand.
func (p *parser[T]) skip(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.at++
	p.space()
	return true
}

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

// literal steps over the word that is to stand at index start.
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

func (p *parser[T]) members() ([]Member, error) {
	var list []Member
	sorted := true
	for first := true; ; first = false {
		if first && p.peek() == '}' {
			p.at++
			return list, nil
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
		sorted = sorted && (first || list[len(list)-1].Name < name)
		list = append(list, Member{Name: name, Value: a})
		p.space()
		if p.peek() == '}' {
			p.at++
			if !sorted {
				list = arrange(list)
			}
			return list, nil
		}
		if !p.skip(',') {
			return nil, p.bad("expected , or } in an object", "")
		}
	}
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

// bad returns the syntax error at hand. It quotes the escape sequence, the word
// or the single character found there.
func (p *parser[T]) bad(message, remedy string) error {
	rest := string(p.text[p.at:min(len(p.text), p.at+tokenMax)])
	if rest == "" {
		return fault.At(fault.DocumentInvalid, p.at, "", message+", found the end of the text", remedy)
	}
	r, size := utf8.DecodeRuneInString(rest)
	token := rest[:size]
	switch {
	case r == utf8.RuneError && size == 1:
		token = fmt.Sprintf("0x%02X", rest[0])
	case rest[0] == '\\':
		token = rest[:min(len(rest), 2)]
	case isLetter(rest[0]):
		n := 1
		for n < len(rest) && n < tokenMax && isLetter(rest[n]) {
			n++
		}
		token = rest[:n]
	}
	return fault.At(fault.DocumentInvalid, p.at, token, message+fmt.Sprintf(", found %q", token), remedy)
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
