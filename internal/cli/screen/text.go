package screen

import (
	"math"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/contexttree/pact/internal/view"
)

// LineWidth is how many columns a sentence may take: those of the terminal, and
// elsewhere as many as it needs.
func (a *Screen) LineWidth() int {
	if !a.OutTerminal {
		return math.MaxInt32
	}
	return min(a.Width, widest)
}

// WrapLine breaks a line into lines of at most width columns. It breaks at blanks
// and, where a word is wider than a line, inside the word. It keeps the blanks
// at the front of the line.
func WrapLine(line string, width int) (list []string) {
	width = max(1, width)
	if lipgloss.Width(line) <= width {
		return []string{line}
	}
	body := strings.TrimLeft(line, " ")
	indent := line[:min(len(line)-len(body), width/2, max(0, width-2))]
	current, used := indent, len(indent)
	empty := true // current has no word
	flush := func() {
		list = append(list, strings.TrimRight(current, " "))
		current, used, empty = indent, len(indent), true
	}
	for word := range strings.SplitSeq(body, " ") {
		w := lipgloss.Width(word)
		gap := 1
		if empty {
			gap = 0
		}
		if !empty && used+gap+w > width {
			flush()
			gap = 0
		}
		if gap == 1 {
			current += " "
			used++
		}
		for used+w > width { // the word alone is too wide
			head := headOf(word, width-used)
			current += head
			word = word[len(head):]
			flush()
			w = lipgloss.Width(word)
		}
		current, used, empty = current+word, used+w, false
	}
	if !empty {
		flush()
	}
	return list
}

// headOf returns the longest beginning of a word that fits into some columns, at
// least one character.
func headOf(word string, columns int) string {
	used := 0
	for i, r := range word {
		w := lipgloss.Width(string(r))
		if i > 0 && used+w > columns {
			return word[:i]
		}
		used += w
	}
	return word
}

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
