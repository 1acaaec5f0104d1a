package cli

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/contexttree/pact/store"
	"github.com/spf13/cobra"
)

// logLimits are the flags of pact log that choose entries and their form.
type logLimits struct {
	newest  int
	since   string
	oneline bool
	sinceNS int64
}

func (l *logLimits) register(cmd *cobra.Command) {
	cmd.Flags().IntVarP(&l.newest, "newest", "n", 0, "list the newest `N` cycles")
	cmd.Flags().StringVar(&l.since, "since", "", "list what was committed from a `TIME` on: 2026-11-01 or "+
		"2026-11-01T10:00:00Z")
	cmd.Flags().BoolVar(&l.oneline, "oneline", false, "list each cycle on one line, also on a terminal")
}

// lowest returns the first cycle that the flags list, and reads --since.
func (l *logLimits) lowest(cmd *cobra.Command, first, last int64) (int64, error) {
	if cmd.Flags().Changed("newest") && l.newest < 1 {
		return 0, usage(cmd, "-n takes a number of 1 or more")
	}
	if l.since != "" {
		at, err := time.Parse(time.RFC3339, l.since)
		if err != nil {
			at, err = time.Parse(time.DateOnly, l.since)
		}
		if err != nil {
			return 0, usage(cmd, "--since %s is not a time: write 2026-11-01 or 2026-11-01T10:00:00Z", l.since)
		}
		l.sinceNS = at.UnixNano()
	}
	if l.newest > 0 {
		return max(first, last-int64(l.newest)+1), nil
	}
	return first, nil
}

// leavesOut reports whether the flags leave out an entry.
func (l *logLimits) leavesOut(e *store.Entry, lowest int64) bool {
	return l.since != "" && e.TimeNS < l.sinceNS || l.newest > 0 && e.Cycle < lowest
}

// logHead names the columns of a log with one line for each entry.
var logHead = []string{"cycle", "time", "model", "took", "bytes", "in", "out", "cached", "added", "removed", "changed",
	"called", "said", "by", "message"}

// The columns of a log that a narrow terminal cuts, and those that it lacks, in the order in
// which they go.
const (
	timeColumn    = 1
	modelColumn   = 2
	tookColumn    = 3
	calledColumn  = 11
	saidColumn    = 12
	byColumn      = 13
	messageColumn = 14
)

var dispensable = [...]int{modelColumn, tookColumn, byColumn, messageColumn, timeColumn, calledColumn, saidColumn,
	10, 9, 8, 7, 6, 5}

// narrowLog makes a line of a log at most limit columns wide, if it can: it cuts the widest
// texts, and leaves out a column rather than show less of it than narrowest columns.
func narrowLog(c *layout, limit int) {
	for _, next := range dispensable {
		if c.narrow(limit, calledColumn, saidColumn, messageColumn) {
			return
		}
		c.widths[next] = 0
	}
}

// cutCell cuts a text that is wider than its column.
func cutCell(text string, width int) string {
	if lipgloss.Width(text) <= width {
		return text
	}
	return strings.TrimRight(lipgloss.NewStyle().MaxWidth(width-1).Render(text), " ") + "…"
}

// drawLog reads the log twice, first to measure the columns, and so keeps none
// of it in memory. A terminal, which cuts what is too wide, gets no column without
// an entry.
func (a *app) drawLog(each func(func(logged) error) error) error {
	if a.form == "id" {
		return each(func(l logged) error { a.printf("%s\n", entryName(l)); return nil })
	}
	c := layoutOf("lllrrrrrrrrllll")
	known := make([]bool, len(logHead))
	err := each(func(l logged) error {
		row := logRow(l)
		for i := range row {
			known[i] = known[i] || row[i] != "-" && row[i] != "" || !a.outTerminal || a.form == "wide"
		}
		c.fit(row)
		return nil
	})
	if err != nil {
		return err
	}
	if !slices.Contains(known, true) {
		return nil // no entry at all
	}
	c.fit(logHead)
	for i := range known {
		if !known[i] {
			c.widths[i] = 0
		}
	}
	narrow := a.width > 0 && a.form != "wide"
	if narrow {
		narrowLog(c, a.width)
	}
	line := func(row []string) string {
		for i := range row {
			switch {
			case c.widths[i] == 0:
				row[i] = ""
			case narrow:
				row[i] = cutCell(row[i], c.widths[i])
			}
		}
		return c.line(row)
	}
	a.printf("%s\n", line(slices.Clone(logHead)))
	return each(func(l logged) error {
		a.printf("%s\n", line(logRow(l)))
		return nil
	})
}

// logRow returns the cells of an entry; what is not known is -.
func logRow(l logged) []string {
	row := append([]string{entryName(l), shortTime(l.TimeNS)}, slices.Repeat([]string{"-"}, byColumn-timeColumn-1)...)
	if c := l.Call; c != nil {
		if c.Model != "" {
			row[modelColumn] = visible(c.Model)
		}
		if c.Took != nil {
			row[tookColumn] = c.took()
		}
		row[4] = strconv.FormatInt(c.Bytes, 10)
		row[5], row[6], row[7] = countOr(c.In), countOr(c.Out), countOr(c.Cached)
		if len(c.Tools) > 0 {
			row[calledColumn] = toolsText(c.Tools)
		}
		if c.Said != "" {
			row[saidColumn] = c.Said
		}
	}
	if s := l.Stat; s != nil {
		row[8], row[9], row[10] = "+"+strconv.Itoa(s.Added), "-"+strconv.Itoa(s.Removed), "~"+strconv.Itoa(s.Changed)
	}
	by := l.Actor
	if by == "" {
		by = "-"
	}
	return append(row, cells(by, why(l))...)
}

func countOr(n *int64) string {
	if n == nil {
		return "-"
	}
	return strconv.FormatInt(*n, 10)
}

// entryName returns the cycle that an entry published, else what it did.
func entryName(l logged) string {
	switch {
	case l.Kind == store.Edit || l.Kind == store.Forked || l.Kind == store.Superseded || l.Kind == store.Erasing:
		return string(l.Kind)
	case l.Kind == store.Create && l.Cycle == 0:
		return "new"
	}
	return "@c" + strconv.FormatInt(l.Cycle, 10)
}

// why returns the message of an entry and what it removed.
func why(l logged) string {
	return strings.Join(append(append(said(l.Message), branchedOff(l)...), reported(l.Report)...), "; ")
}

// drawEntry prints an entry for a person, as git does a commit.
func (a *app) drawEntry(l logged) {
	head := []string{entryName(l)}
	if at := shortTime(l.TimeNS); at != "-" {
		head = append(head, at)
	}
	c := l.Call
	if c != nil {
		head = append(head, words(visible(c.Model))...)
		head = append(head, bytesText(c.Bytes))
		if c.In != nil {
			text := "in " + strconv.FormatInt(*c.In, 10)
			if c.Cached != nil {
				text += " (" + strconv.FormatInt(*c.Cached, 10) + " cached)"
			}
			head = append(head, text)
		}
		if c.Out != nil {
			head = append(head, "out "+strconv.FormatInt(*c.Out, 10))
		}
		if c.Took != nil {
			head = append(head, c.took())
		}
	}
	if s := l.Stat; s != nil {
		head = append(head, "+"+strconv.Itoa(s.Added), "-"+strconv.Itoa(s.Removed), "~"+strconv.Itoa(s.Changed))
	}
	for i, part := range wrapLine(strings.Join(append(head, words(visible(l.Actor))...), "  "), max(20, a.width-4)) {
		if rest, ok := strings.CutPrefix(part, head[0]); ok && i == 0 {
			a.printf("%s%s\n", a.paint.changed(head[0]), rest)
			continue
		}
		a.printf("    %s\n", strings.TrimLeft(part, " "))
	}
	var lines []string
	if c != nil && len(c.Tools) > 0 {
		lines = append(lines, "called "+strings.ReplaceAll(toolsText(c.Tools), ",", ", "))
	}
	if c != nil && c.Said != "" {
		lines = append(lines, "“"+c.Said+"”")
	}
	if text := visible(why(l)); text != "" {
		lines = append(lines, text)
	}
	for _, line := range lines {
		for _, part := range wrapLine(line, max(20, a.width-4)) {
			a.printf("    %s\n", part)
		}
	}
}

// shortTime returns a time to the second, and - if nobody told the time: then the
// clock counted from 0.
func shortTime(ns int64) string {
	if ns < int64(24*time.Hour) {
		return "-"
	}
	return time.Unix(0, ns).UTC().Format(time.RFC3339)
}
