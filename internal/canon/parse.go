package canon

import (
	"fmt"
	"math"
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
	err := p.single(func() error {
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
