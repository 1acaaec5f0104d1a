package calllog

import (
	"github.com/contexttree/pact/internal/canon"
)

// The shapes of files with messages.
const (
	ShapeOpenAI   = "openai"
	ShapeTauBench = "tau-bench"
	ShapeSWESmith = "swe-smith"
)

// messageFormats are tried when no other format fits a line of a file: almost any message of another API is one of
// chat completions, too.
var messageFormats = []format{
	{"a run of SWE-agent", isShape(ShapeSWESmith), readMessages, noMessage, "", lacksTools, countMessages},
	{"a tau-bench result", isShape(ShapeTauBench), readMessages, noMessage, "", lacksTools, countMessages},
	{"a list of chat messages", isShape(ShapeOpenAI), readMessages, noMessage, "", lacksTools, countMessages},
}

// messageFormatOf returns the format of a file of messages, nil for none. Damaged lines at its beginning are passed over.
func messageFormatOf(data []byte) (f *format, byLine bool) {
	s := canon.Scanner{Data: data}
	first := raw(s.Value())
	f = formatOfValue(messageFormats, first)
	if first.kind() == canon.KindObject && isDocument(first.fields()) || !canon.InLines(data) {
		return f, false
	}
	if _, err := canon.Parse(data); err == nil || f != nil {
		return f, err != nil
	}
	at, number := 0, 0
	for range maxForeignLines {
		var text []byte
		if text, number, at = canon.NextLine(data, at, number); text == nil {
			break
		}
		for _, p := range canon.Salvage(text) {
			if p.Value {
				return formatOfValue(messageFormats, p.Text), true
			}
		}
	}
	return nil, false
}

// isShape returns what recognizes a value of a shape: a conversation, a message, or a list of them.
func isShape(shape string) func(first raw) bool {
	return func(first raw) bool {
		if first.kind() == canon.KindArray {
			list := canon.Scanner{Data: first}
			list.Open('[')
			if c := list.Peek(); c == '[' || c == ']' {
				return shape == ShapeOpenAI
			}
			first = list.Value()
		}
		return shapeOf(first.fields()) == shape
	}
}

// isDocument recognizes a document, a history and a flat log of PACT.
func isDocument(f fields) bool {
	return f["root"] != nil || f["pact_history"] != nil || f["flat_log"].kind() == canon.KindArray
}

// shapeOf recognizes an object by its members: a conversation, or one chat message. It is "" for any other object, and
// for a document, a history and a flat log of PACT.
func shapeOf(f fields) string {
	switch {
	case isDocument(f):
		return ""
	case f["trajectory"].kind() == canon.KindArray, f["history"].kind() == canon.KindArray && len(f) == 1:
		return ShapeSWESmith // a demonstration of SWE-agent has its history alone
	case f["traj"].kind() == canon.KindArray:
		return ShapeTauBench
	case f["messages"].kind() == canon.KindArray || f["role"].kind() == canon.KindString:
		return ShapeOpenAI
	}
	return ""
}

// isMessage reports whether a value is one chat message, not a conversation.
func isMessage(f fields) bool {
	return f["messages"].kind() != canon.KindArray && shapeOf(f) == ShapeOpenAI
}
