package trace

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/contexttree/pact/internal/view"
)

// sidePair is a pair of lines side by side. A side without a line is empty.
type sidePair struct {
	older, newer string
	same         bool
	head         string // the header of a hunk, instead of a pair
}

// sidePairs arranges the lines of a unified diff side by side, each deleted
// line beside the line inserted in its place.
func sidePairs(lines []string) []sidePair {
	var list []sidePair
	var gone, come []string
	flush := func() {
		for i := range max(len(gone), len(come)) {
			var r sidePair
			if i < len(gone) {
				r.older = gone[i]
			}
			if i < len(come) {
				r.newer = come[i]
			}
			list = append(list, r)
		}
		gone, come = nil, nil
	}
	for _, line := range lines {
		line = strings.TrimSuffix(line, "\n")
		text := view.Visible(line[min(1, len(line)):])
		switch {
		case strings.HasPrefix(line, "-"):
			if len(come) > 0 {
				flush()
			}
			gone = append(gone, text)
		case strings.HasPrefix(line, "+"):
			come = append(come, text)
		case strings.HasPrefix(line, `\`): // the marker for a missing line end, which readers can ignore
		case strings.HasPrefix(line, "@"):
			flush()
			list = append(list, sidePair{head: view.Visible(line)})
		default:
			flush()
			list = append(list, sidePair{older: text, newer: text, same: true})
		}
	}
	flush()
	return list
}

// sideBySide draws the pairs in two columns.
func (d *richDrawing) sideBySide(list []sidePair) {
	indent := strings.Repeat(" ", contentSpace)
	column := (d.Width - contentSpace - 3) / 2
	for _, r := range list {
		if r.head != "" {
			d.Printf("%s%s\n", indent, d.Paint.Faint(r.head))
			continue
		}
		left, right := fromDifference(r.older, r.newer, column)
		older, newer := fit(left, column), strings.TrimRight(fit(right, column), " ")
		if r.same {
			older, newer = d.Paint.Faint(older), d.Paint.Faint(newer)
		} else {
			older, newer = d.Paint.Bad(older), d.Paint.Good(newer)
		}
		d.Printf("%s%s %s %s\n", indent, older, d.Paint.Faint("│"), newer)
	}
}

// fromDifference removes a long common beginning from two lines that would
// otherwise be cut off before they differ.
func fromDifference(older, newer string, column int) (string, string) {
	const around = 12 // runes kept in front of the difference
	a, b := []rune(older), []rune(newer)
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	if older == newer || len(a) == 0 || len(b) == 0 || same < column-around {
		return older, newer
	}
	return "…" + string(a[same-around:]), "…" + string(b[same-around:])
}

// fit cuts or pads a text to a width.
func fit(text string, width int) string {
	if w := lipgloss.Width(text); w <= width {
		return text + strings.Repeat(" ", width-w)
	}
	cut := lipgloss.NewStyle().MaxWidth(width-1).Render(text) + "…"
	return cut + strings.Repeat(" ", max(0, width-lipgloss.Width(cut)))
}
