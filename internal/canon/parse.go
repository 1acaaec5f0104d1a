package canon

import (
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/contexttree/pact/fault"
)

const (
	// maxDepth bounds how deep containers nest, so that a hostile text cannot
	// exhaust the stack of a caller that walks it.
	maxDepth  = 512
	envelope  = 256 // how many more containers a document may nest around a value
	unlimited = math.MaxInt

	// tokenMax bounds how much of the input an error quotes, in bytes.
	tokenMax = 20

	byteOrderMark = "\uFEFF"
)

// Parse reads one JSON text and returns its canonical form. It accepts what
// Python accepts: JSON and the literals NaN, Infinity and -Infinity; of members
// with equal names the last wins. It fails with E_DOCUMENT_INVALID and the byte
// where reading stopped if the text is not JSON or not UTF-8, and with E_LIMIT if
// values nest too deep.
//
// Memory: twice the canonical form, whatever the text holds.
func Parse(data []byte) (Value, error) {
	dst, err := newParser(data, maxDepth).rewritten()
	return Value(dst), err
}

// Canonical reports whether Parse would return v unchanged.
func (v Value) Canonical() bool {
	dst, err := newParser(string(v), maxDepth).rewritten()
	return err == nil && string(dst) == string(v)
}

// ParseAny is Parse for a value to walk. The strings of the result share one copy
// of data: clone the few that must outlive a large document. Its errors are those
// of [Parse].
func ParseAny(data []byte) (Any, error) { return parse(string(data), maxDepth) }

// ParseDocument is ParseAny for a document that holds values deep inside. It
// accepts deeper nesting, so a document may hold a value that nests as deep as
// Parse allows. Its errors are those of [Parse].
func ParseDocument(data []byte) (Any, error) { return parse(string(data), maxDepth+envelope) }

// ParseRequest is ParseDocument for a text whose sender can be told to write it otherwise: it
// refuses an object that has two members of one name, because two readers of such a text may
// understand two different things.
func ParseRequest(data []byte) (Any, error) {
	p := newParser(string(data), maxDepth+envelope)
	p.unique = true
	return p.any()
}

func parse(text string, depth int) (Any, error) { return newParser(text, depth).any() }

func newParser[T string | []byte](text T, depth int) *parser[T] {
	return &parser[T]{text: text, depth: depth, limit: depth}
}

func (p *parser[T]) any() (a Any, err error) {
	err = p.single(func() (err error) {
		a, err = p.value()
		return err
	})
	if err != nil {
		return Any{}, err
	}
	return a, nil
}

// single reads a text that is one value and nothing else.
func (p *parser[T]) single(value func() error) error {
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

	unique  bool     // refuse an object that has two members of one name
	outline *Outline // nil to read everything as a value to walk
	names   map[string]string
	scratch []byte
	open    []Member // members of the objects that are being read, the outer ones first
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

// peek returns the byte at hand, or 0 at the end. The grammar allows no byte 0 in
// a text, so a caller need not tell the two apart.
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
