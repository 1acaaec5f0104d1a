package canon

import "bytes"

// Scanner steps through JSON text without checking it. It looks at each byte once, and
// stops at the end of the text, whatever stands there.
type Scanner struct {
	Data []byte
	At   int // offset of the byte at hand
}

// Peek returns the byte at hand, 0 at the end.
func (s *Scanner) Peek() byte {
	if s.At < len(s.Data) {
		return s.Data[s.At]
	}
	return 0
}

// Space steps over white space.
func (s *Scanner) Space() {
	for s.At < len(s.Data) && bytes.IndexByte([]byte(" \t\r\n"), s.Data[s.At]) >= 0 {
		s.At++
	}
}

// Open steps into a list or an object.
func (s *Scanner) Open(c byte) {
	s.Space()
	if s.Peek() == c {
		s.At++
	}
	s.Space()
}

// Next steps over the comma behind an element.
func (s *Scanner) Next() {
	s.Space()
	if s.Peek() != ',' {
		s.At = len(s.Data)
		return
	}
	s.At++
	s.Space()
}

// Text steps over a string.
func (s *Scanner) Text() {
	for s.At = PlainEnd(s.Data, s.At+1); s.At < len(s.Data) && s.Data[s.At] != '"'; s.At = PlainEnd(s.Data, s.At+1) {
		if s.Data[s.At] == '\\' {
			s.At++
		}
	}
	s.At = min(s.At+1, len(s.Data))
}

// Name steps over the name of a member and its colon and returns the name as it is written, nil at the end.
func (s *Scanner) Name() []byte {
	start := s.At
	s.Text()
	name := s.Data[start:s.At]
	if s.Space(); s.Peek() != ':' {
		s.At = len(s.Data)
		return nil
	}
	s.At++
	return name
}

// Value steps over the value at hand and returns its text.
func (s *Scanner) Value() []byte {
	s.Space()
	start := s.At
	for depth := 0; s.At < len(s.Data); {
		switch s.Data[s.At] {
		case '"':
			s.Text()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				s.At++
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
		s.At++
	}
	return s.since(start)
}

func (s *Scanner) since(start int) []byte { return bytes.TrimRight(s.Data[start:s.At], " \t\r\n") }

// Weight returns about how many bytes [ParseAny] allocates for a text, without allocating any: a copy
// of the text, and the tree of its values. It counts what begins or follows a value, whether or not
// the text is JSON. Cost: looking at each byte once.
func Weight(data []byte) int64 {
	const value = 160 // of an Any or a Member, and the room that a growing list leaves
	values := int64(1)
	s := Scanner{Data: data}
	for s.At < len(data) {
		switch data[s.At] {
		case '"':
			s.Text()
			continue
		case ',', '[', '{':
			values++
		}
		s.At++
	}
	return int64(len(data)) + values*value
}
