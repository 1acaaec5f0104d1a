package follow

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/internal/view/story"
	"github.com/contexttree/pact/record"

	"github.com/spf13/cobra"
)

// branchedOff says where a fork began, or what became of the name of a context.
func branchedOff(l logged) []string {
	var list []string
	switch l.Kind {
	case history.Forked:
		if l.Origin != nil {
			list = append(list, "of "+command.OriginText(*l.Origin))
		} else {
			list = append(list, "of a deleted context, "+view.Cycle(l.Cycle))
		}
		if undone := l.Undone(); undone != "" {
			list = append(list, "undid what is now "+undone)
		}
	case history.Erasing:
		if of := l.Erased(); of != nil && len(of.IDs) > 0 {
			list = append(list, view.Plural(len(of.IDs), "node")+" erased")
		} else if of != nil {
			list = append(list, "log entries erased: "+strconv.Itoa(of.Entries))
		}
	case history.Superseded:
		list = append(list, "undone: a fork took over the name")
	}
	return list
}

// logLimits are the flags of pact log that choose entries and their form.
type logLimits struct {
	newest  int
	since   string
	sinceNS int64
}

func (l *logLimits) register(cmd *cobra.Command) {
	cmd.Flags().IntVarP(&l.newest, "newest", "n", 0, "list the newest `N` cycles")
	cmd.Flags().StringVar(&l.since, "since", "", "list what was committed from a `TIME` on: 2026-11-01 or "+
		"2026-11-01T10:00:00Z")
}

// span returns the first and the last cycle that the flags and the addresses list, and reads --since.
func (l *logLimits) span(ctx context.Context, cmd *cobra.Command, c *pact.Context, words []string) (from, to int64, err error) {
	from, to = c.Info().First, c.Info().Cycle
	if cmd.Flags().Changed("newest") && (l.newest < 1 || len(words) > 0) {
		return 0, 0, command.Usage(cmd, "-n takes a number of 1 or more, and no addresses beside it")
	}
	if l.since != "" {
		at, err := time.Parse(time.RFC3339, l.since)
		if err != nil {
			at, err = time.Parse(time.DateOnly, l.since)
		}
		if err != nil {
			return 0, 0, command.Usage(cmd, "--since %s is not a time: write 2026-11-01 or 2026-11-01T10:00:00Z", l.since)
		}
		l.sinceNS = at.UnixNano()
	}
	switch {
	case l.newest > 0:
		from = max(from, to-int64(l.newest)+1)
	case len(words) > 0:
		return cyclesOf(ctx, c, words)
	}
	return from, to, nil
}

// cyclesOf returns the first and the last cycle from one address to another, which may stand in either order.
func cyclesOf(ctx context.Context, c *pact.Context, words []string) (from, to int64, err error) {
	ends := [2]pact.Address{}
	if ends[0], ends[1], err = command.Span(c, words); err != nil {
		return 0, 0, err
	}
	cycles := [2]int64{}
	for i, end := range ends {
		snapshot, err := c.At(ctx, end)
		if err != nil {
			return 0, 0, err
		}
		cycles[i] = snapshot.Cycle()
	}
	if len(words) == 1 && !strings.Contains(words[0], "..") { // that of the working state is behind the latest
		return cycles[0], max(cycles[0], cycles[1]), nil
	}
	return min(cycles[0], cycles[1]), max(cycles[0], cycles[1]), nil
}

// leavesOut reports whether the flags leave out an entry of a cycle that they list.
func (l *logLimits) leavesOut(e *history.Entry) bool { return l.since != "" && e.TimeNS < l.sinceNS }

// column is one of a log with one line for each entry.
type column struct {
	name string
	side string                // r aligns it at the right, l at the left
	goes int                   // a narrow terminal lacks the columns with the lowest numbers, and never those with 0
	cell func(l logged) string // "" for what is not known
}

var columns = []column{
	{"cycle", "l", 0, entryName},
	{"time", "l", 7, timeOf},
	{"model", "l", 3, ofCall(func(c *story.Call) string { return view.Visible(c.Model) })},
	{"took", "r", 4, ofCall(duration)},
	{"bytes", "r", 0, ofCall(func(c *story.Call) string { return number(c.Bytes) })},
	{"in", "r", 15, ofCall(func(c *story.Call) string { return numberOr(c.In) })},
	{"out", "r", 14, ofCall(func(c *story.Call) string { return numberOr(c.Out) })},
	{"cached", "r", 13, ofCall(func(c *story.Call) string { return numberOr(c.Cached) })},
	{"paid", "r", 2, ofCall(func(c *story.Call) string { return cost(c.Cost) })},
	{"window", "r", 1, ofCall(filled)},
	{"added", "r", 12, ofStat("+", func(s *story.Stat) int { return s.Added })},
	{"removed", "r", 11, ofStat("-", func(s *story.Stat) int { return s.Removed })},
	{"changed", "r", 10, ofStat("~", func(s *story.Stat) int { return s.Changed })},
	{"broke", "l", 16, ofCall(brokeText)},
	{"called", "l", 8, ofCall(toolsCalled)},
	{"said", "l", 9, ofCall(wordsOf)},
	{"by", "l", 5, func(l logged) string { return view.Visible(l.Actor) }},
	{"message", "l", 6, func(l logged) string { return view.Visible(why(l)) }},
}

// cutColumns are the texts that a narrow terminal cuts before it lacks a column.
var cutColumns = []int{columnOf("broke"), columnOf("called"), columnOf("said"), columnOf("message")}

// timeOf returns when an entry was made, "" if that is not known.
func timeOf(l logged) string {
	if l.Time == "" {
		return ""
	}
	return view.Time(l.TimeNS)
}

func columnOf(name string) int {
	return slices.IndexFunc(columns, func(c column) bool { return c.name == name })
}

func ofCall(cell func(*story.Call) string) func(logged) string {
	return func(l logged) string {
		if l.Call == nil {
			return ""
		}
		return cell(l.Call)
	}
}

func ofStat(sign string, count func(*story.Stat) int) func(logged) string {
	return func(l logged) string {
		if l.Stat == nil {
			return ""
		}
		return sign + strconv.Itoa(count(l.Stat))
	}
}

// drawLog prints a line for each entry. It reads the log twice, first to measure the columns, and so keeps none of it in
// memory. On a narrow terminal it cuts the widest texts, and leaves out a column rather than show less of it than
// screen.Layout does.
func drawLog(a *command.App, each func(func(logged) error) error) error {
	onTerminal := a.Width > 0 && a.Form != "wide"
	head, align := make([]string, len(columns)), ""
	for i, column := range columns {
		head[i], align = column.name, align+column.side
	}
	c, last := screen.LayoutOf(align), 0
	eachRow := func(do func(row []string)) error {
		rules := rulesOnce{}
		return each(func(l logged) error {
			l = rules.onceOf(l)
			if onTerminal && l.Call != nil { // the words are worth more than the call that they belong to
				call := *l.Call
				call.Earlier, l.Call = "", &call
			}
			row := make([]string, len(columns))
			for i, column := range columns {
				row[i] = column.cell(l)
			}
			do(row)
			return nil
		})
	}
	if a.Form == "id" {
		return eachRow(func(row []string) { a.Printf("%s\n", row[0]) })
	}
	if err := eachRow(c.Fit); err != nil || c.Widths[0] == 0 {
		return err
	}
	for i := range head {
		if c.Widths[i] > 0 { // a column without a value is left out
			c.Widths[i], last = max(c.Widths[i], len(head[i])), i
		}
	}
	for goes := 1; onTerminal && !c.Narrow(a.Width, cutColumns...); goes++ {
		next := slices.IndexFunc(columns, func(c column) bool { return c.goes == goes })
		if next < 0 {
			break
		}
		c.Widths[next] = 0
	}
	a.Printf("%s\n", c.Line(head))
	return eachRow(func(row []string) {
		for i, cell := range row {
			switch {
			case onTerminal:
				row[i] = cutCell(cell, c.Widths[i])
			case cell == "" && i < last: // so that a program finds every column in its place
				row[i] = "-"
			}
		}
		a.Printf("%s\n", c.Line(row))
	})
}

// cutCell cuts a text that is wider than its column.
func cutCell(text string, width int) string {
	if width == 0 || lipgloss.Width(text) <= width {
		return text
	}
	return strings.TrimRight(lipgloss.NewStyle().MaxWidth(width-1).Render(text), " ") + "…"
}

// rulesOnce takes the rule by which a recorder chose the line of a call out of the entries that
// have the same rule as the entry before, but for its numbers.
type rulesOnce struct{ last string }

func (r *rulesOnce) onceOf(l logged) logged {
	if !strings.HasPrefix(l.Message, record.RulePrefix) {
		return l
	}
	rule := strings.TrimRight(l.Message, "0123456789")
	if rule == r.last {
		l.Message = ""
	}
	r.last = rule
	return l
}

// entryName returns the cycle that an entry published, else what it did.
func entryName(l logged) string {
	switch {
	case l.Kind == history.Edit || l.Kind == history.Forked || l.Kind == history.Superseded || l.Kind == history.Erasing:
		return string(l.Kind)
	case l.Kind == history.Create && l.Cycle == 0:
		return "new"
	}
	return view.Cycle(l.Cycle)
}

// why returns the message of an entry and what it removed.
func why(l logged) string {
	parts := append(append(view.Words(l.Message), branchedOff(l)...), story.Reported(l.Report)...)
	if l.Call != nil && l.Call.Ended != "" {
		parts = append(parts, "managing ended: "+l.Call.Ended)
	}
	if l.Call != nil && l.Call.Failed > 0 {
		parts = append(parts, "no answer: "+view.Plural(l.Call.Failed, "attempt")+" failed")
	}
	return strings.Join(parts, "; ")
}
