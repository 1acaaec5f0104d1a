package view

import (
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// Text is a text that JSON has whole: half a surrogate pair too, which is no character.
type Text string

// MarshalJSON implements json.Marshaler.
func (t Text) MarshalJSON() ([]byte, error) { return canon.AppendString(nil, string(t)), nil }

// characters returns a text with U+FFFD, which has as many bytes, in place of each half of a
// surrogate pair. People read this in every view.
func characters(text string) string {
	if canon.ValidText(text) {
		return text
	}
	whole := []byte(text)
	for i := 0; i+2 < len(whole); i++ {
		if whole[i] == 0xed && whole[i+1] >= 0xa0 {
			copy(whole[i:], "\ufffd")
		}
	}
	return string(whole)
}

// Readable returns the text of a content, and whether it is one. A list of parts that are all texts counts as a
// text, and so does reasoning that its provider wraps into an object: so the APIs write the words of a person and
// the output of a tool.
func Readable(v canon.Value) (text string, ok bool) {
	defer func() { text = characters(text) }()
	switch v.Kind() {
	case canon.KindString:
		return v.Text()
	case canon.KindArray:
		var texts []string
		for _, part := range v.Any().Elems {
			text, ok := part.Get("text")
			kind, typed := part.Get("type")
			if !ok || text.Kind != canon.KindString || typed && !strings.HasSuffix(kind.Text, "text") {
				return "", false
			}
			texts = append(texts, strings.TrimSuffix(text.Text, "\n"))
		}
		return strings.Join(texts, "\n"), len(texts) > 0
	case canon.KindObject:
		thinking, ok := v.Any().Get("thinking")
		return thinking.Text, ok && thinking.Kind == canon.KindString && thinking.Text != ""
	}
	return "", false
}
