package canon

import "bytes"

// Piece is a part of a damaged line: a value, or bytes that are none.
type Piece struct {
	Text  []byte
	At    int  // its offset in the line
	Value bool // it is an object or a list
}

// mostStarts is how many places in a damaged line Salvage tries, so that its cost stays linear in the line.
const mostStarts = 64

// Salvage divides a line that is not one JSON value into the objects and lists in it and the bytes between them: lines
// that were written into one another, filled with NUL bytes, or cut. An object inside a damaged one counts as part of
// the damage. Cost: at most 64 readings of the line, in practice two.
func Salvage(line []byte) (list []Piece) {
	at, gap := 0, 0
	cut := func(to int) {
		if text := line[gap:to]; len(bytes.TrimSpace(text)) > 0 {
			list = append(list, Piece{Text: text, At: gap})
		}
	}
	for tries := 0; tries < mostStarts; tries++ {
		start := nextStart(line, at)
		if start < 0 {
			break
		}
		s := Scanner{Data: line, At: start}
		value := s.Value()
		if _, err := Parse(value); err != nil {
			at = start + 1
			continue
		}
		cut(start)
		list = append(list, Piece{Text: value, At: start, Value: true})
		at, gap = s.At, s.At
	}
	cut(len(line))
	return list
}

// nextStart returns where the next object or list may begin that stands in no other one, -1 if there is none.
func nextStart(line []byte, from int) int {
	for at := from; at < len(line); at++ {
		if line[at] != '{' && line[at] != '[' {
			continue
		}
		before := bytes.TrimRight(line[:at], " \t\r")
		if len(before) == 0 || isStart(line[at:]) && (bytes.IndexByte([]byte(":[,"), before[len(before)-1]) < 0 || alike(line, line[at:])) {
			return at
		}
	}
	return -1
}

// isStart reports whether a text begins like an object with a member, or like a list of objects.
func isStart(text []byte) bool {
	rest := bytes.TrimLeft(text[1:], " \t")
	return len(rest) > 0 && (text[0] == '{' && rest[0] == '"' || text[0] == '[' && rest[0] == '{')
}

// alike reports whether two objects begin with the same two members, as records of one file do and an object inside of one
// of them does not.
func alike(one, other []byte) bool {
	names := func(text []byte) (list [2]string) {
		s := Scanner{Data: text[:min(len(text), 256)]}
		s.Open('{')
		for i := 0; i < 2 && s.Peek() == '"'; i++ {
			list[i] = string(s.Name())
			s.Value()
			s.Next()
		}
		return list
	}
	first := names(one)
	return first[1] != "" && first == names(other)
}
