package cli

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/record"
)

// Limits of the report without --all.
const (
	firstCycles   = 5
	lastCycles    = 10
	firstContexts = 10
)

// drawOpenReport prints for a person what open found.
func (a *app) drawOpenReport(f *openReport, all bool) {
	if len(f.Contexts) == 1 {
		a.drawCycles(&f.Contexts[0], all)
	} else {
		a.drawContexts(f.Contexts, all)
	}
	a.printf("\n")
	a.drawTotals(f)
	a.printf("\n%s\n", a.paint.strong("Try next:"))
	for _, command := range f.Next {
		a.printf("  %s\n", command)
	}
}

func (a *app) drawCycles(c *openedContext, all bool) {
	state := "imported"
	if c.Existed {
		state = "was there already, made of the same contents"
		if c.Added > 0 {
			state = "was there already and got " + plural(int(c.Added), "new cycle")
		}
	}
	a.printf("%s %s\n", a.paint.strong(visible(c.Name)), a.paint.faint(state+", edition "+string(c.Edition)+", "+
		plural(len(c.Cycles), "cycle")))
	a.drawSource(c.Source)
	if len(c.Cycles) == 0 {
		a.printf("No model call is in it; what it holds is the working state.\n")
		return
	}
	var rows [][]string
	for i, cycle := range c.Cycles {
		if left := len(c.Cycles) - firstCycles - lastCycles; !all && left > 0 && i >= firstCycles && i < firstCycles+left {
			if i == firstCycles {
				rows = append(rows, []string{"…"})
			}
			continue
		}
		rows = append(rows, a.cycleRow(&cycle))
	}
	a.table([]string{"cycle", "turn", "nodes", "blocks", "bytes", "same", "in bytes", "", "first difference"}, rows,
		"llrrrrrrl")
	if left := len(c.Cycles) - firstCycles - lastCycles; !all && left > 0 {
		a.printf("%s\n", a.paint.faint("… stands for "+plural(left, "cycle")+"; --all lists them"))
	}
}

// exactness says what the words of record.Source mean.
var exactness = map[string]string{
	"wire":     "as they were sent",
	"reported": "as the program that sent them wrote them down",
	"rebuilt":  "made of what the log says",
}

// drawSource says where the requests come from, and ends with an empty line.
func (a *app) drawSource(s *record.Source) {
	if s != nil {
		line := "The requests are " + visible(s.Exact)
		if means := exactness[s.Exact]; means != "" {
			line += ": " + means
		}
		if len(s.Missing) > 0 {
			line += ", without " + strings.Join(cells(s.Missing...), ", ")
		}
		if s.Format != "" {
			line += " (" + visible(s.Format) + ")"
		}
		a.sentence(line + ".")
	}
	a.printf("\n")
}

func (a *app) cycleRow(c *openedCycle) []string {
	row := []string{"@c" + strconv.FormatInt(c.Cycle, 10), visible(c.Turn), strconv.Itoa(c.Nodes), strconv.Itoa(c.Blocks),
		strconv.FormatInt(c.Bytes, 10)}
	p := c.Prefix
	if p == nil {
		return append(row, "", "", "", "")
	}
	where := a.paint.good("complete")
	switch {
	case p.Complete:
	case p.Newer == "":
		where = a.paint.changed(visible(p.Older)) + " is gone"
	case p.Older == p.Newer:
		where = a.paint.changed(visible(p.Newer)) + " has changed"
	default:
		where = a.paint.changed(visible(p.Newer)) + " in the place of " + visible(p.Older)
	}
	return append(row, strconv.Itoa(p.Blocks)+"/"+strconv.Itoa(p.OfBlocks), strconv.FormatInt(p.Bytes, 10),
		percent(p.Share()), where)
}

func (a *app) drawContexts(list []openedContext, all bool) {
	a.printf("%s\n", a.paint.strong(plural(len(list), "context")))
	of := list[0].Source
	another := func(c openedContext) bool { return c.Source == nil || c.Exact != of.Exact }
	if of != nil && slices.ContainsFunc(list, another) {
		of = nil
	}
	a.drawSource(of)
	var rows [][]string
	for i := range list {
		if !all && i == firstContexts {
			break
		}
		c := &list[i]
		breaks, share := c.breaks()
		row := []string{visible(c.Name), strconv.Itoa(len(c.Cycles)), "", "", percent(share), strconv.Itoa(len(breaks))}
		if n := len(c.Cycles); n > 0 {
			last := c.Cycles[n-1]
			row[2], row[3] = strconv.Itoa(last.Blocks), strconv.FormatInt(last.Bytes, 10)
		}
		if c.Existed {
			there := "was there already"
			if c.Added > 0 {
				there += ", " + plural(int(c.Added), "new cycle")
			}
			row = append(row, there)
		} else {
			row = append(row, "")
		}
		rows = append(rows, row)
	}
	a.table([]string{"context", "cycles", "blocks", "bytes", "same prefix", "breaks", ""}, rows, "lrrrrrl")
	if left := len(list) - firstContexts; !all && left > 0 {
		a.printf("%s\n", a.paint.faint(plural(left, "more context")+"; --all lists them"))
	}
}

func (a *app) drawTotals(f *openReport) {
	if main := &f.Contexts[f.main()]; main.Story != nil {
		if len(f.Contexts) > 1 {
			a.sentence("Most was sent in " + a.paint.strong(visible(main.Name)) + ":")
		}
		t := main.Story
		for _, line := range t.lines() {
			for i, part := range wrapLine(line, a.lineWidth()) {
				if i > 0 && line[0] == ' ' {
					part = "    " + strings.TrimLeft(part, " ")
				}
				a.printf("%s\n", part)
			}
		}
	}
	stored, where := f.Store.Bytes, bytesText(f.Store.Bytes)+" in "+f.Store.Path
	if stored == 0 { // a database does not tell the size of a context
		where = "in " + f.Store.Path
	}
	if f.Store.Grew > 0 && f.Store.Grew < f.Store.Bytes {
		stored = f.Store.Grew
		where = bytesText(stored) + " more in " + f.Store.Path + ", " + bytesText(f.Store.Bytes) + " in all"
	}
	a.sentence("Stored: " + where + ".")
	if f.ThreadBytes > 0 && stored > 0 {
		line := "Keeping the message list of every call would take " + bytesText(f.ThreadBytes)
		if ratio := float64(f.ThreadBytes) / float64(stored); ratio >= 1 {
			line += ", " + strconv.FormatFloat(ratio, 'f', 1, 64) + " times as much"
		} else {
			line += ": this is too short for a store to pay off"
		}
		a.sentence(line + ".")
	}
}

// lineWidth is how many columns a sentence may take: those of the terminal, and
// elsewhere as many as it needs.
func (a *app) lineWidth() int {
	if !a.outTerminal {
		return math.MaxInt32
	}
	return min(a.width, widest)
}
