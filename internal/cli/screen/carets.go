package screen

import (
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/contexttree/pact/internal/view"
)

// carets shows a place in an input: the line, and carets under the token.
type carets struct {
	Text, Carets string
	Line, Column int // 1-based; columns are runes
}

// caretContext is how many bytes of a long line appear on either side of the
// token.
const caretContext = 60

// CaretsUnder finds the place of a token in a text by its byte offset.
func CaretsUnder(text string, offset int, token string) carets {
	offset = min(offset, len(text))
	begin := strings.LastIndexByte(text[:offset], '\n') + 1
	end := len(text)
	if i := strings.IndexByte(text[offset:], '\n'); i >= 0 {
		end = offset + i
	}
	m := carets{Line: 1 + strings.Count(text[:begin], "\n"), Column: 1 + utf8.RuneCountInString(text[begin:offset])}

	before, at := text[begin:offset], text[offset:end]
	under := at
	if i := strings.IndexByte(token, '\n'); i >= 0 {
		token = token[:i]
	}
	if token == "" || !strings.HasPrefix(at, token) {
		_, size := utf8.DecodeRuneInString(at)
		token = at[:size]
	}
	under, after := under[:len(token)], at[len(token):]
	before, after = view.Visible(clipLeft(before)), view.Visible(ClipRight(after))
	under = view.Visible(under)
	m.Text = before + under + after
	m.Carets = strings.Repeat(" ", lipgloss.Width(before)) + strings.Repeat("^", max(1, lipgloss.Width(under)))
	return m
}

func clipLeft(s string) string {
	if len(s) <= caretContext+3 {
		return s
	}
	i := len(s) - caretContext
	for i < len(s) && !utf8.RuneStart(s[i]) { // the line may be invalid UTF-8
		i++
	}
	return "…" + s[i:]
}

func ClipRight(s string) string {
	if len(s) <= caretContext+3 {
		return s
	}
	i := caretContext
	for i > 0 && !utf8.RuneStart(s[i]) {
		i--
	}
	return s[:i] + "…"
}
