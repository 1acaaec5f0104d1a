package screen

import (
	"math"
	"strings"

	"charm.land/lipgloss/v2"
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
