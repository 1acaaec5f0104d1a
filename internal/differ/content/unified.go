package content

import (
	"fmt"
	"strings"
)

// line is one line of a unified diff.
type line struct {
	op   op
	text string // with its line feed, which the last line may lack
}

// unified writes the difference of two texts in the unified format. Equal texts
// give "".
func unified(olderLabel, newerLabel, older, newer string, context int) string {
	var lines []line
	for _, e := range edits(strings.SplitAfter(older, "\n"), strings.SplitAfter(newer, "\n")) {
		for _, p := range e.pieces {
			if p != "" { // SplitAfter returns an empty piece after a last line feed
				lines = append(lines, line{e.op, p})
			}
		}
	}
	var b strings.Builder
	context = min(max(context, 0), len(lines))
	olderAt, newerAt := 0, 0 // how many lines come before the hunk
	for begin := 0; ; {
		first, end := group(lines, begin, context)
		if first < 0 {
			return b.String()
		}
		if b.Len() == 0 {
			fmt.Fprintf(&b, "--- %s\n+++ %s\n", oneLine(olderLabel), oneLine(newerLabel))
		}
		olderAt, newerAt = olderAt+first-begin, newerAt+first-begin // the lines between hunks are all kept
		olderIn, newerIn := count(lines[first:end])
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", span(olderAt, olderIn), span(newerAt, newerIn))
		writeLines(&b, lines[first:end])
		olderAt, newerAt, begin = olderAt+olderIn, newerAt+newerIn, end
	}
}

// group returns the next run of lines that belongs into one hunk: changes that
// are no further apart than twice the context, with the context around them.
func group(lines []line, begin, context int) (first, end int) {
	i := begin
	for i < len(lines) && lines[i].op == keep {
		i++
	}
	if i == len(lines) {
		return -1, -1
	}
	last := i // the last change of the group
	for k := i; k < len(lines) && k-last <= 2*context+1; k++ {
		if lines[k].op != keep {
			last = k
		}
	}
	return max(begin, i-context), min(len(lines), last+1+context)
}

func writeLines(b *strings.Builder, lines []line) {
	for _, l := range lines {
		b.WriteByte(byte(l.op))
		b.WriteString(l.text)
		if !strings.HasSuffix(l.text, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// count returns how many lines belong to the older text and to the newer.
func count(lines []line) (older, newer int) {
	for _, l := range lines {
		if l.op != ins {
			older++
		}
		if l.op != del {
			newer++
		}
	}
	return older, newer
}

// span returns the place of a hunk. A hunk without lines names the line before it.
func span(before, in int) string {
	switch in {
	case 0:
		return fmt.Sprintf("%d,0", before)
	case 1:
		return fmt.Sprint(before + 1)
	}
	return fmt.Sprintf("%d,%d", before+1, in)
}

// oneLine keeps a label from breaking the format.
func oneLine(label string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return '\uFFFD'
		}
		return r
	}, label)
}
