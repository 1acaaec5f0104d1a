package selector

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/contexttree/pact/fault"
)

// scanner is a cursor over the text. The meaning of a byte depends on its
// place (a "-" in a name, a number or a range), so the parser asks for the token it
// expects.
type scanner struct {
	text string
	pos  int
}

// maxOrdinal replaces every larger whole number in an address or a depth. No tree reaches
// it, and it differs from the mark of an open end.
const maxOrdinal = math.MaxInt64 - 1

func (s *scanner) end() bool { return s.pos >= len(s.text) }

// peek returns the byte n places ahead, or 0 behind the end.
func (s *scanner) peek(n int) byte {
	if s.pos+n >= len(s.text) {
		return 0
	}
	return s.text[s.pos+n]
}

// space skips white space and reports whether there was any.
func (s *scanner) space() bool {
	start := s.pos
	for !s.end() && strings.IndexByte(" \t\r\n", s.text[s.pos]) >= 0 {
		s.pos++
	}
	return s.pos > start
}

// take skips token if it comes next.
func (s *scanner) take(token string) bool {
	if !strings.HasPrefix(s.text[s.pos:], token) {
		return false
	}
	s.pos += len(token)
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }

func isWordByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '-' }

// wordEnd returns the end of the run of word bytes that starts at i.
func wordEnd(text string, i int) int {
	for i < len(text) && isWordByte(text[i]) {
		i++
	}
	return i
}

// word reads a run of letters, digits, "_" and "-"; it may be empty.
func (s *scanner) word() string {
	start := s.pos
	s.pos = wordEnd(s.text, s.pos)
	return s.text[start:s.pos]
}

// isPseudo reports whether a word names a pseudo-class (04 §3.4).
func isPseudo(word string) bool {
	switch word {
	case "pre", "core", "post", "depth", "first", "last", "nth":
		return true
	}
	return false
}

// key reads a word and any further words joined to it by ":"; it may be empty.
func (s *scanner) key() string {
	start := s.pos
	s.word()
	for s.pos > start && s.peek(0) == ':' && isWordByte(s.peek(1)) {
		s.pos = wordEnd(s.text, s.pos+1)
	}
	return s.text[start:s.pos]
}

// attrKey reads what key reads, and "." like ":", for names such as acme.org:mood.
func (s *scanner) attrKey() string {
	start := s.pos
	s.word()
	for s.pos > start && (s.peek(0) == ':' || s.peek(0) == '.') && isWordByte(s.peek(1)) {
		s.pos = wordEnd(s.text, s.pos+1)
	}
	return s.text[start:s.pos]
}

// isBareAttr reports whether the name of an attribute means itself without quotes.
func isBareAttr(name string) bool {
	switch name {
	case "", "type", "ephemeral", "sticky":
		return false
	}
	s := scanner{text: name}
	return isLetter(name[0]) && s.attrKey() == name
}

// name reads what key reads, but stops before a word that names a pseudo-class,
// so that .mt:depth(1) is a type and a pseudo-class (docs/decisions.md).
func (s *scanner) name() string {
	start := s.pos
	s.word()
	for s.pos > start && s.peek(0) == ':' {
		next := wordEnd(s.text, s.pos+1)
		if next == s.pos+1 || isPseudo(s.text[s.pos+1:next]) {
			break
		}
		s.pos = next
	}
	return s.text[start:s.pos]
}

// isBareName reports whether name can stand after "#" or "+" without quotes.
func isBareName(name string) bool {
	s := scanner{text: name}
	return name != "" && name[0] != '-' && s.name() == name
}

// digits reads an unsigned whole number; it returns maxOrdinal for a larger one.
func (s *scanner) digits() (n int64, ok bool) {
	for ; isDigit(s.peek(0)); s.pos++ {
		d := int64(s.text[s.pos] - '0')
		if n > (maxOrdinal-d)/10 {
			n = maxOrdinal
		} else {
			n = n*10 + d
		}
		ok = true
	}
	return n, ok
}

// startsInteger reports whether an optional sign and a digit come next.
func (s *scanner) startsInteger() bool {
	c := s.peek(0)
	return isDigit(c) || (c == '+' || c == '-') && isDigit(s.peek(1))
}

// integer reads a whole number with an optional sign. The caller has seen one.
func (s *scanner) integer() int64 {
	negative := s.take("-")
	if !negative {
		s.take("+")
	}
	n, _ := s.digits()
	if negative {
		return -n
	}
	return n
}

// quoted reads a string in quotes of either kind. A backslash escapes a quote
// or a backslash and is itself before anything else (docs/decisions.md).
func (s *scanner) quoted() (string, error) {
	start, quote := s.pos, s.text[s.pos]
	var b strings.Builder
	for i := start + 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == quote:
			s.pos = i + 1
			return b.String(), nil
		case c == '\\' && i+1 < len(s.text) && strings.IndexByte(`'"\`, s.text[i+1]) >= 0:
			i++
			b.WriteByte(s.text[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", fault.At(fault.SelectorInvalid, start, clip(s.text[start:]),
		"the string does not end", "close it with "+string(quote))
}

// token returns the text at the cursor for a message: a run of word bytes, a single
// character, or nothing at the end.
func (s *scanner) token() string {
	if next := wordEnd(s.text, s.pos); next > s.pos {
		return s.text[s.pos:next]
	}
	_, size := utf8.DecodeRuneInString(s.text[s.pos:])
	return s.text[s.pos : s.pos+size]
}

// unexpected returns the error for a text that does not have what is expected at the
// cursor.
func (s *scanner) unexpected(expected, remedy string) error {
	message := expected + " is expected here"
	if s.end() {
		message = "the text ends where " + expected + " is expected"
	}
	return fault.At(fault.SelectorInvalid, s.pos, clip(s.token()), message, remedy)
}

// invalid returns the error for the text from offset to the cursor.
func (s *scanner) invalid(offset int, message, remedy string) error {
	return fault.At(fault.SelectorInvalid, offset, clip(s.text[offset:s.pos]), message, remedy)
}

// clip makes a token short and valid UTF-8, for a message.
func clip(token string) string {
	const most = 64
	if len(token) <= most {
		return strings.ToValidUTF8(token, "\ufffd")
	}
	return strings.ToValidUTF8(token[:most], "") + "…"
}
