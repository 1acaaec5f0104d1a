package transcript

import (
	"bytes"

	"github.com/contexttree/pact/internal/canon"
)

// Detect returns the shape of a conversation file, judged by its first value; "" if [Read]
// cannot read it. A PACT document or history is not a conversation. The beginning of a file
// is enough if it holds the names that distinguish the shapes.
func Detect(data []byte) string {
	s := scan{data: data}
	s.space()
	list := s.take('[')
	switch c := s.peek(); {
	case c == '{':
		return shapeOf(s.names())
	case list && (c == '[' || c == ']'):
		return ShapeOpenAI
	}
	return ""
}

// shapeOf recognizes an object by the kinds of its members: a conversation, or
// one message of an OpenAI conversation.
func shapeOf(kinds map[string]canon.Kind) string {
	switch {
	case kinds["root"] != canon.KindAbsent || kinds["pact_history"] != canon.KindAbsent:
		return ""
	case kinds["trajectory"] == canon.KindArray:
		return ShapeSWESmith
	case kinds["traj"] == canon.KindArray:
		return ShapeTauBench
	case kinds["messages"] == canon.KindArray || kinds["role"] == canon.KindString:
		return ShapeOpenAI
	}
	return ""
}

// kindsOf returns the kinds of a parsed object's members, for shapeOf.
func kindsOf(object canon.Any) map[string]canon.Kind {
	kinds := make(map[string]canon.Kind, len(object.Members))
	for _, m := range object.Members {
		kinds[m.Name] = m.Value.Kind
	}
	return kinds
}

// scan skips through JSON text and parses only what it needs. It stops at the
// first byte that is not JSON; Read reports what is wrong there.
type scan struct {
	data []byte
	at   int
}

func (s *scan) peek() byte {
	if s.at < len(s.data) {
		return s.data[s.at]
	}
	return 0
}

func (s *scan) space() {
	for s.at < len(s.data) && bytes.IndexByte([]byte(" \t\r\n"), s.data[s.at]) >= 0 {
		s.at++
	}
}

func (s *scan) take(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.at++
	s.space()
	return true
}

// names returns the member names of the current object and the kinds of their
// values.
func (s *scan) names() map[string]canon.Kind {
	kinds := make(map[string]canon.Kind)
	s.take('{')
	for s.peek() == '"' {
		start := s.at
		s.text()
		name, err := canon.Parse(s.data[start:s.at])
		s.space()
		if err != nil || !s.take(':') || s.peek() == 0 {
			break
		}
		text, _ := name.Text()
		kinds[text] = canon.Value(s.data[s.at : s.at+1]).Kind()
		s.value()
		s.space()
		if !s.take(',') {
			break
		}
	}
	return kinds
}

// text skips a string.
func (s *scan) text() {
	for s.at++; s.at < len(s.data) && s.data[s.at] != '"'; s.at++ {
		if s.data[s.at] == '\\' {
			s.at++
		}
	}
	s.at = min(s.at+1, len(s.data))
}

// value skips a value, up to the comma or bracket after it.
func (s *scan) value() {
	for depth := 0; s.at < len(s.data); {
		switch s.data[s.at] {
		case '"':
			s.text()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 0 {
				return
			}
		}
		if depth < 0 {
			return
		}
		s.at++
	}
}
