package screen

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
	"github.com/contexttree/pact/internal/view"
)

// Clip cuts a line that is wider than the terminal.
func (a *Screen) Clip(line string) string { return a.ClipBefore(line, "") }

// ClipBefore cuts a line so that it and what follows it fit the terminal, as far as they can.
func (a *Screen) ClipBefore(line, rest string) string {
	const least = 20 // columns of the line
	if a.Width == 0 || lipgloss.Width(line+rest) <= a.Width {
		return line + rest
	}
	return lipgloss.NewStyle().MaxWidth(max(a.Width-1-lipgloss.Width(rest), least)).Render(line) + "…" + rest
}

// widest is how many columns a table takes at most, however wide the terminal is.
const widest = 120

// Table prints rows under a header. On a terminal it draws borders if they fit,
// else wraps cells by words. Elsewhere each row is one line with all columns: an
// empty cell is - and nothing is cut. A header in front of which stands > aligns its
// column at the right. A column without a value in any row is left out, unless it is the first; of no rows nothing is
// printed.
func (a *Screen) Table(header []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	header, rows, align := columnsOf(header, rows)
	if a.Form == "id" {
		for _, row := range rows {
			a.Printf("%s\n", view.Visible(row[0]))
		}
		return
	}
	if !a.OutTerminal || a.Form == "wide" {
		a.records(append([][]string{header}, rows...), align)
		return
	}
	t := table.New().Headers(header...).Rows(rows...).Border(lipgloss.RoundedBorder()).BorderColumn(false)
	t = t.StyleFunc(func(row, column int) lipgloss.Style {
		s := lipgloss.NewStyle().Padding(0, 1)
		if align[column] == 'r' {
			s = s.Align(lipgloss.Right)
		}
		return s.Bold(row == table.HeaderRow && a.Paint.On)
	})
	if a.Paint.On {
		t = t.BorderStyle(faintStyle)
	}
	drawn := t.Render()
	if lipgloss.Width(drawn) > min(a.Width, widest) {
		a.Aligned(append([][]string{header}, rows...), align)
		return
	}
	a.Printf("%s\n", drawn)
}

// columnsOf reads what stands in front of the headers, pads rows that end early, and leaves out
// the columns that may go. align has an l or an r for each column that stays.
func columnsOf(header []string, rows [][]string) (names []string, kept [][]string, align string) {
	kept = make([][]string, len(rows))
	for i, name := range header {
		cell := func(row []string) string {
			if i < len(row) {
				return row[i]
			}
			return ""
		}
		if i > 0 && !slices.ContainsFunc(rows, func(row []string) bool { return cell(row) != "" }) {
			continue
		}
		name, right := strings.CutPrefix(name, ">")
		names = append(names, name)
		align += map[bool]string{true: "r", false: "l"}[right]
		for n, row := range rows {
			kept[n] = append(kept[n], cell(row))
		}
	}
	return names, kept, align
}

// records prints each row on one line, with - in empty cells but the last one,
// so that a program finds every column in its place.
func (a *Screen) records(rows [][]string, align string) {
	c := LayoutOf(align)
	for n, row := range rows {
		for i := range row[:len(row)-1] {
			if row[i] == "" && n > 0 {
				row[i] = "-"
			}
		}
		c.Fit(row)
	}
	for _, row := range rows {
		a.Printf("%s\n", c.Line(row))
	}
}

// Aligned prints rows in columns two spaces apart, and leaves out columns that
// are empty in every row. On a terminal it wraps cells by words.
func (a *Screen) Aligned(rows [][]string, align string) {
	c := LayoutOf(align)
	for _, row := range rows {
		c.Fit(row)
	}
	if a.OutTerminal && a.Form != "wide" {
		c.shrink(min(a.Width, widest))
	}
	for _, row := range rows {
		for _, line := range c.wrap(row) {
			a.Printf("%s\n", c.Line(line))
		}
	}
}

// Layout holds the column widths that fit the widest cells.
type Layout struct {
	align  string // l or r for each
	Widths []int
}

func LayoutOf(align string) *Layout { return &Layout{align, make([]int, len(align))} }

func (c *Layout) Fit(row []string) {
	for i, cell := range row {
		c.Widths[i] = max(c.Widths[i], lipgloss.Width(cell))
	}
}

// narrowest is the width below which shrink leaves a column alone.
const narrowest = 12

// shrink narrows the widest columns of text until a line fits, if it can.
func (c *Layout) shrink(limit int) {
	var texts []int
	for i := range c.align {
		if c.align[i] == 'l' {
			texts = append(texts, i)
		}
	}
	c.Narrow(limit, texts...)
}

// Narrow narrows the widest of some columns until a line fits, and reports whether it does.
func (c *Layout) Narrow(limit int, columns ...int) bool {
	total := -2
	for _, w := range c.Widths {
		if w > 0 {
			total += w + 2
		}
	}
	for ; total > limit; total-- {
		wide := -1
		for _, i := range columns {
			if w := c.Widths[i]; w > narrowest && (wide < 0 || w > c.Widths[wide]) {
				wide = i
			}
		}
		if wide < 0 {
			return false
		}
		c.Widths[wide]--
	}
	return true
}

// wrap breaks the cells of a row into lines that fit their columns.
func (c *Layout) wrap(row []string) [][]string {
	lines := [][]string{}
	for i, cell := range row {
		parts := []string{cell}
		if c.Widths[i] > 0 && lipgloss.Width(cell) > c.Widths[i] {
			parts = strings.Split(lipgloss.Wrap(cell, c.Widths[i], ""), "\n")
		}
		for n, part := range parts {
			if n == len(lines) {
				lines = append(lines, make([]string, len(row)))
			}
			lines[n][i] = part
		}
	}
	return lines
}

// Line lays out the cells of a row.
func (c *Layout) Line(row []string) string {
	var line strings.Builder
	for i, cell := range row {
		if c.Widths[i] == 0 {
			continue
		}
		gap := strings.Repeat(" ", max(0, c.Widths[i]-lipgloss.Width(cell)))
		if c.align[i] == 'r' {
			line.WriteString(gap + cell + "  ")
		} else {
			line.WriteString(cell + gap + "  ")
		}
	}
	return strings.TrimRight(line.String(), " ")
}
