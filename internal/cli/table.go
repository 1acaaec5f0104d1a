package cli

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
)

// table prints rows under a header, with borders on a terminal and as aligned
// text elsewhere. align has an l or an r for each column.
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
		a.aligned(append([][]string{header}, rows...), align)
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
	if lipgloss.Width(drawn) > a.width {
		a.aligned(append([][]string{header}, rows...), align)
		return
	}
	a.printf("%s\n", drawn)
}

// aligned prints rows in columns two spaces apart, and leaves out columns that
// are empty in every row.
func (a *app) aligned(rows [][]string, align string) {
	c := layoutOf(align)
	for _, row := range rows {
		c.fit(row)
	}
	for _, row := range rows {
		a.printf("%s\n", c.line(row))
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
