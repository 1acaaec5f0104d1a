package cli

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
)

// widest is how many columns a table takes at most, however wide the terminal is.
const widest = 120

// table prints rows under a header. On a terminal it draws borders if they fit,
// else wraps cells by words. Elsewhere each row is one line with all columns: an
// empty cell is - and nothing is cut. align has an l or an r for each column.
func (a *app) table(header []string, rows [][]string, align string) {
	for i := range rows {
		rows[i] = append(rows[i], make([]string, len(header)-len(rows[i]))...)
	}
	if a.form == "id" {
		for _, row := range rows {
			a.printf("%s\n", row[0])
		}
		return
	}
	if !a.outTerminal || a.form == "wide" {
		a.records(append([][]string{header}, rows...), align)
		return
	}
	t := table.New().Headers(header...).Rows(rows...).Border(lipgloss.RoundedBorder()).BorderColumn(false)
	t = t.StyleFunc(func(row, column int) lipgloss.Style {
		s := lipgloss.NewStyle().Padding(0, 1)
		if align[column] == 'r' {
			s = s.Align(lipgloss.Right)
		}
		return s.Bold(row == table.HeaderRow && a.paint.on)
	})
	if a.paint.on {
		t = t.BorderStyle(faintStyle)
	}
	drawn := t.Render()
	if lipgloss.Width(drawn) > min(a.width, widest) {
		a.aligned(append([][]string{header}, rows...), align)
		return
	}
	a.printf("%s\n", drawn)
}

// records prints each row on one line, with - in empty cells but the last one,
// so that a program finds every column in its place.
func (a *app) records(rows [][]string, align string) {
	c := layoutOf(align)
	for n, row := range rows {
		for i := range row[:len(row)-1] {
			if row[i] == "" && n > 0 {
				row[i] = "-"
			}
		}
		c.fit(row)
	}
	for _, row := range rows {
		a.printf("%s\n", c.line(row))
	}
}

// aligned prints rows in columns two spaces apart, and leaves out columns that
// are empty in every row. On a terminal it wraps cells by words.
func (a *app) aligned(rows [][]string, align string) {
	c := layoutOf(align)
	for _, row := range rows {
		c.fit(row)
	}
	if a.outTerminal && a.form != "wide" {
		c.shrink(min(a.width, widest))
	}
	for _, row := range rows {
		for _, line := range c.wrap(row) {
			a.printf("%s\n", c.line(line))
		}
	}
}

// layout holds the column widths that fit the widest cells.
type layout struct {
	align  string // l or r for each
	widths []int
}

func layoutOf(align string) *layout { return &layout{align, make([]int, len(align))} }

func (c *layout) fit(row []string) {
	for i, cell := range row {
		c.widths[i] = max(c.widths[i], lipgloss.Width(cell))
	}
}

// narrowest is the width below which shrink leaves a column alone.
const narrowest = 12

// shrink narrows the widest columns of text until a line fits, if it can.
func (c *layout) shrink(limit int) {
	var texts []int
	for i := range c.align {
		if c.align[i] == 'l' {
			texts = append(texts, i)
		}
	}
	c.narrow(limit, texts...)
}

// narrow narrows the widest of some columns until a line fits, and reports whether it does.
func (c *layout) narrow(limit int, columns ...int) bool {
	total := -2
	for _, w := range c.widths {
		if w > 0 {
			total += w + 2
		}
	}
	for ; total > limit; total-- {
		wide := -1
		for _, i := range columns {
			if w := c.widths[i]; w > narrowest && (wide < 0 || w > c.widths[wide]) {
				wide = i
			}
		}
		if wide < 0 {
			return false
		}
		c.widths[wide]--
	}
	return true
}

// wrap breaks the cells of a row into lines that fit their columns.
func (c *layout) wrap(row []string) [][]string {
	lines := [][]string{}
	for i, cell := range row {
		parts := []string{cell}
		if c.widths[i] > 0 && lipgloss.Width(cell) > c.widths[i] {
			parts = strings.Split(lipgloss.Wrap(cell, c.widths[i], ""), "\n")
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

// line lays out the cells of a row.
func (c *layout) line(row []string) string {
	var line strings.Builder
	for i, cell := range row {
		if c.widths[i] == 0 {
			continue
		}
		gap := strings.Repeat(" ", max(0, c.widths[i]-lipgloss.Width(cell)))
		if c.align[i] == 'r' {
			line.WriteString(gap + cell + "  ")
		} else {
			line.WriteString(cell + gap + "  ")
		}
	}
	return strings.TrimRight(line.String(), " ")
}

// cells makes a row of texts from outside, with invisible characters made
// visible.
func cells(texts ...string) []string {
	row := slices.Clone(texts)
	for i := range row {
		row[i] = visible(row[i])
	}
	return row
}
