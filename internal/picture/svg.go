package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The size of a character cell and the space around the text, in pixels.
const (
	cellWidth  = 8.4
	lineHeight = 18
	margin     = 14
)

// style is how a terminal shows a piece of text.
type style struct {
	bold, faint bool
	colour      int // 0 for that of the terminal, else the code 30–37 or 90–97
}

// class names the CSS classes of a style, "" for plain text.
func (s style) class() string {
	var names []string
	if s.bold {
		names = append(names, "b")
	}
	if s.faint {
		names = append(names, "f")
	}
	if s.colour != 0 {
		names = append(names, "c"+strconv.Itoa(s.colour))
	}
	return strings.Join(names, " ")
}

// css has the sixteen colours that pact uses, readable on light and on dark ground.
const css = `text{font:14px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:#1f2328}
.ground{fill:#f6f8fa}.b{font-weight:700}.f{opacity:.6}
.c31,.c91{fill:#b3261e}.c32,.c92{fill:#1a6f37}.c33,.c93{fill:#875a00}.c34,.c94{fill:#0a58ca}.c35,.c95{fill:#8031a7}.c36,.c96{fill:#0b6a75}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.ground{fill:#0d1117}
.c31,.c91{fill:#ff8a80}.c32,.c92{fill:#7ee787}.c33,.c93{fill:#e3b341}.c34,.c94{fill:#79c0ff}.c35,.c95{fill:#d2a8ff}.c36,.c96{fill:#76e3ea}}`

// draw writes what a terminal of so many columns shows as SVG. Of the escape
// sequences it knows those for bold, faint and colours, and leaves out all others.
func draw(w io.Writer, shown string, columns int) error {
	lines := strings.Split(strings.TrimRight(shown, "\n"), "\n")
	width := float64(columns)*cellWidth + 2*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" role="img">`+"\n",
		width, len(lines)*lineHeight+2*margin)
	fmt.Fprintf(&b, "<style>%s</style>\n<rect class=\"ground\" width=\"100%%\" height=\"100%%\" rx=\"8\"/>\n", css)
	var now style
	for i, line := range lines {
		column := 0
		y := margin + (i+1)*lineHeight - 5
		for len(line) > 0 {
			var text string
			text, line = piece(line)
			if codes, escaped := strings.CutPrefix(text, "\x1b["); escaped {
				now = now.after(codes)
				continue
			}
			if strings.TrimSpace(text) != "" {
				fmt.Fprintf(&b, `<text x="%.1f" y="%d"`, margin+float64(column)*cellWidth, y)
				if c := now.class(); c != "" {
					fmt.Fprintf(&b, ` class="%s"`, c)
				}
				b.WriteString(">")
				if err := xml.EscapeText(&b, []byte(text)); err != nil {
					return err
				}
				b.WriteString("</text>\n")
			}
			column += utf8.RuneCountInString(text)
		}
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// piece cuts the next escape sequence or the text before it off a line.
func piece(line string) (text, rest string) {
	i := strings.Index(line, "\x1b[")
	switch {
	case i < 0:
		return line, ""
	case i > 0:
		return line[:i], line[i:]
	}
	end := strings.IndexFunc(line[2:], func(r rune) bool { return r >= 0x40 && r <= 0x7e })
	if end < 0 {
		return line, ""
	}
	return line[:2+end+1], line[2+end+1:]
}

// after returns the style after an escape sequence, which is given without its
// beginning: 1;31m.
func (s style) after(sequence string) style {
	codes, colours := strings.CutSuffix(sequence, "m")
	if !colours {
		return s
	}
	for code := range strings.SplitSeq(codes, ";") {
		switch n, _ := strconv.Atoi(code); {
		case n == 0:
			s = style{}
		case n == 1:
			s.bold = true
		case n == 2:
			s.faint = true
		case n == 22:
			s.bold, s.faint = false, false
		case n == 39:
			s.colour = 0
		case n >= 30 && n <= 37 || n >= 90 && n <= 97:
			s.colour = n
		}
	}
	return s
}
