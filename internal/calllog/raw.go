package calllog

import (
	"bytes"

	"github.com/contexttree/pact/internal/canon"
)

// raw is the text of one JSON value as the file has it. Readers cut the body of
// a request out of a larger value with it, because a parsed value no longer
// knows how its text was written. A raw may end early; the functions below then
// return what is there. They never fail: canon checks a text before a reader
// relies on it.
type raw []byte

// kind returns the kind of the value, KindAbsent of an empty raw.
func (r raw) kind() canon.Kind {
	if len(r) == 0 {
		return canon.KindAbsent
	}
	return canon.Value(r[:1]).Kind()
}

// empty reports whether the value is missing, null, or an empty text, list or object.
func (r raw) empty() bool {
	switch string(r) {
	case "", "null", `""`, "[]", "{}":
		return true
	}
	return false
}

// text returns the value if it is a string, else "".
func (r raw) text() string {
	if r.kind() != canon.KindString {
		return ""
	}
	v, err := canon.Parse(r)
	if err != nil {
		return ""
	}
	text, _ := v.Text()
	return text
}

// value parses the value; absent if it is not JSON.
func (r raw) value() canon.Any {
	v, err := canon.ParseAny(r)
	if err != nil {
		return canon.Any{}
	}
	return v
}

// fields are the members of an object. Of equal names the last counts.
type fields map[string]raw

// first returns the first of these members that says something, with its name.
func (f fields) first(names ...string) (raw, string) {
	for _, name := range names {
		if v := f[name]; !v.empty() {
			return v, name
		}
	}
	return nil, ""
}

// text returns the first of these members that is a text with something in it.
func (f fields) text(names ...string) string {
	for _, name := range names {
		if text := f[name].text(); text != "" {
			return text
		}
	}
	return ""
}

// fields returns the members of an object, nil of another value.
func (r raw) fields() fields {
	if r.kind() != canon.KindObject {
		return nil
	}
	all := fields{}
	s := scanner{data: r}
	for s.open('{'); s.peek() == '"'; s.next() {
		start := s.at
		s.text()
		name := raw(s.data[start:s.at]).text()
		s.space()
		if s.peek() != ':' {
			break
		}
		s.at++
		all[name] = s.value()
	}
	return all
}

// elems returns the elements of a list, nil of another value.
func (r raw) elems() []raw {
	if r.kind() != canon.KindArray {
		return nil
	}
	var all []raw
	s := scanner{data: r}
	for s.open('['); s.at < len(s.data) && s.peek() != ']'; s.next() {
		all = append(all, s.value())
	}
	return all
}

// scanner steps through JSON text without checking it.
type scanner struct {
	data []byte
	at   int
}

// peek returns the byte at hand, 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.data) {
		return s.data[s.at]
	}
	return 0
}

func (s *scanner) space() {
	for s.at < len(s.data) && bytes.IndexByte([]byte(" \t\r\n"), s.data[s.at]) >= 0 {
		s.at++
	}
}

// open steps into a list or an object.
func (s *scanner) open(c byte) {
	s.space()
	if s.peek() == c {
		s.at++
	}
	s.space()
}

// next steps over the comma behind an element.
func (s *scanner) next() {
	s.space()
	if s.peek() != ',' {
		s.at = len(s.data)
		return
	}
	s.at++
	s.space()
}

// text steps over a string.
func (s *scanner) text() {
	for s.at++; s.at < len(s.data) && s.data[s.at] != '"'; s.at++ {
		if s.data[s.at] == '\\' {
			s.at++
		}
	}
	s.at = min(s.at+1, len(s.data))
}

// value steps over the value at hand and returns its text.
func (s *scanner) value() raw {
	s.space()
	start := s.at
	for depth := 0; s.at < len(s.data); {
		switch s.data[s.at] {
		case '"':
			s.text()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				s.at++
				return s.since(start)
			}
		case ',':
			if depth == 0 {
				return s.since(start)
			}
		}
		if depth < 0 {
			return s.since(start)
		}
		s.at++
	}
	return s.since(start)
}

func (s *scanner) since(start int) raw { return bytes.TrimRight(s.data[start:s.at], " \t\r\n") }
