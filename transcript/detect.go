package transcript

import (
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// maxDamaged is how many lines Detect looks at if the first ones are damaged.
const maxDamaged = 8

// Detect returns the shape of a conversation file, judged by its first value; "" if [Read]
// cannot read it. A PACT document or history is not a conversation. The beginning of a file
// is enough if it holds the names that distinguish the shapes. Damaged lines at the beginning are passed over.
func Detect(data []byte) string {
	shape, at, number := detect(data), 0, 0
	switch {
	case shape == shapeDocument:
		return ""
	case shape != "" || !canon.InLines(data):
		return shape
	}
	if _, err := canon.Parse(data); err == nil {
		return ""
	}
	for range maxDamaged {
		var text []byte
		if text, number, at = canon.NextLine(data, at, number); text == nil {
			break
		}
		for _, p := range canon.Salvage(text) {
			if p.Value {
				return strings.TrimSuffix(detect(p.Text), shapeDocument)
			}
		}
	}
	return shape
}

// detect returns the shape of the value with which a text begins.
func detect(data []byte) string {
	s := &canon.Scanner{Data: data}
	s.Space()
	list := s.Peek() == '['
	if list {
		s.Open('[')
	}
	switch c := s.Peek(); {
	case c == '{':
		return shapeOf(namesOf(s))
	case list && (c == '[' || c == ']'):
		return ShapeOpenAI
	}
	return ""
}

// shapeDocument is the shape of what Read cannot read, because it is a PACT document, history or flat log.
const shapeDocument = "document"

// shapeOf recognizes an object by the kinds of its members: a conversation, or
// one message of an OpenAI conversation.
func shapeOf(kinds map[string]canon.Kind) string {
	switch {
	case kinds["root"] != canon.KindAbsent || kinds["pact_history"] != canon.KindAbsent || kinds["flat_log"] == canon.KindArray:
		return shapeDocument
	case kinds["trajectory"] == canon.KindArray, kinds["history"] == canon.KindArray && len(kinds) == 1:
		return ShapeSWESmith // a demonstration of SWE-agent has its history alone
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

// namesOf returns the member names of an object and the kinds of their values. It stops at the first byte that is
// not JSON; Read reports the error there.
func namesOf(s *canon.Scanner) map[string]canon.Kind {
	kinds := make(map[string]canon.Kind)
	for s.Open('{'); s.Peek() == '"'; s.Next() {
		start := s.At
		s.Text()
		name, err := canon.Parse(s.Data[start:s.At])
		s.Space()
		if err != nil || s.Peek() != ':' {
			break
		}
		s.At++
		s.Space()
		if s.Peek() == 0 {
			break
		}
		text, _ := name.Text()
		kinds[text] = canon.Value(s.Data[s.At : s.At+1]).Kind()
		s.Value()
	}
	return kinds
}
