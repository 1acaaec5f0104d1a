package view

import (
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// Readable returns the text of a content, and whether it is one. A list of parts that are all texts counts as a
// text, and so does reasoning that its provider wraps into an object: so the APIs write the words of a person and
// the output of a tool.
func Readable(v canon.Value) (text string, ok bool) {
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
