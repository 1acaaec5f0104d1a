package bring

import (
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/internal/view/opened"
	"github.com/contexttree/pact/record"
)

// Limits of the report without --all.
const (
	firstCycles   = 5
	lastCycles    = 10
	firstContexts = 10
)

// drawOpenReport prints for a person what open found.
func drawOpenReport(a *command.App, f *opened.Report, all bool) {
	drawFound(a, f.Sessions, f.File)
	if len(f.Contexts) == 1 {
		drawCycles(a, f.File, &f.Contexts[0], all)
	} else {
		drawContexts(a, f.Contexts, all)
	}
	a.Printf("\n")
	drawTotals(a, f)
	a.Printf("\n%s\n", a.Paint.Strong("Try next:"))
	for _, command := range f.Next {
		a.Printf("  %s\n", command)
	}
}

// drawCycles draws the one context that was imported from a file, or was stored if there is no file.
func drawCycles(a *command.App, file string, c *opened.Context, all bool) {
	state := "imported"
	switch {
	case file == "":
		state = "stored"
	case c.Existed:
		state = "was there already, made of the same contents"
		if c.Added > 0 {
			state = "was there already and got " + view.Plural(int(c.Added), "new cycle")
		}
	}
	a.Printf("%s %s\n", a.Paint.Strong(view.Visible(c.Name)), a.Paint.Faint(state+", edition "+string(c.Edition)+", "+
		view.Plural(len(c.Cycles), "cycle")))
	drawSource(a, c.Source)
	if len(c.Cycles) == 0 {
		if c.Unanswered != "" {
			a.Printf("It holds no call that was answered.\n")
		} else {
			a.Printf("It holds no call of a model, only a working state.\n")
		}
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
		row := screen.Row(view.Cycle(cycle.Cycle), cycle.Turn, cycle.Nodes, cycle.Blocks, cycle.Bytes)
		rows = append(rows, append(row, a.Repeats(cycle.Step)...))
	}
	a.Table([]string{"cycle", "turn", ">nodes", ">blocks", ">bytes", ">same", ">in bytes", ">", "first difference"}, rows)
	if left := len(c.Cycles) - firstCycles - lastCycles; !all && left > 0 {
		a.Printf("%s\n", a.Paint.Faint("… stands for "+view.Plural(left, "cycle")+"; --all lists them"))
	}
}

// exactness explains the words of record.Source.
var exactness = map[string]string{
	"byte-exact": "as they were sent",
	"reported":   "as the program that sent them wrote them down",
	"rebuilt":    "made of what the log says",
}

// drawSource says where the requests come from, and ends with an empty line.
func drawSource(a *command.App, s *record.Source) {
	if s != nil {
		line := "The requests are " + view.Visible(s.Exact)
		if means := exactness[s.Exact]; means != "" {
			line += ": " + means
		}
		if len(s.Missing) > 0 {
			line += ", without " + strings.Join(screen.Cells(s.Missing...), ", ")
		}
		if s.Format != "" {
			line += " (" + view.Visible(s.Format) + ")"
		}
		a.Sentence(line + ".")
	}
	a.Printf("\n")
}

func drawContexts(a *command.App, list []opened.Context, all bool) {
	a.Printf("%s\n", a.Paint.Strong(view.Plural(len(list), "context")))
	of := list[0].Source
	another := func(c opened.Context) bool { return c.Source == nil || c.Exact != of.Exact }
	if of != nil && slices.ContainsFunc(list, another) {
		of = nil
	}
	drawSource(a, of)
	var rows [][]string
	for i := range list {
		if !all && i == firstContexts {
			break
		}
		c := &list[i]
		share, broke := c.Walked()
		var blocks, bytes any
		if n := len(c.Cycles); n > 0 {
			blocks, bytes = c.Cycles[n-1].Blocks, c.Cycles[n-1].Bytes
		}
		there := ""
		if c.Existed {
			there = "was there already"
			if c.Added > 0 {
				there += ", " + view.Plural(int(c.Added), "new cycle")
			}
		}
		rows = append(rows, screen.Row(c.Name, len(c.Cycles), blocks, bytes, view.Percent(share), broke, there))
	}
	a.Table([]string{"context", ">cycles", ">blocks", ">bytes", ">same prefix", ">breaks", ""}, rows)
	if left := len(list) - firstContexts; !all && left > 0 {
		a.Printf("%s\n", a.Paint.Faint(view.Plural(left, "more context")+"; --all lists them"))
	}
}

func drawTotals(a *command.App, f *opened.Report) {
	main := &f.Contexts[f.Main()]
	if main.Unanswered != "" {
		a.Sentence("The last call, " + main.Unanswered + ".")
	}
	if main.Story != nil {
		if len(f.Contexts) > 1 {
			a.Sentence("Most was sent in " + a.Paint.Strong(view.Visible(main.Name)) + ":")
		}
		for _, sentence := range main.Sentences {
			a.Sentence(sentence)
		}
		if text := main.InWords(); text != "" {
			a.Sentence("Sums: " + text + ".")
		}
		a.Printf("\n")
		t := main.Story
		for _, line := range opened.Lines(t, "pact log --prefix") {
			for i, part := range screen.WrapLine(line, a.LineWidth()) {
				if i > 0 && line[0] == ' ' {
					part = "    " + strings.TrimLeft(part, " ")
				}
				a.Printf("%s\n", part)
			}
		}
	}
	stored, where := f.Store.Bytes, view.Size(f.Store.Bytes)+" in "+f.Store.Path
	if stored == 0 { // a database does not tell the size of a context
		where = "in " + f.Store.Path
	}
	if f.Store.Grew > 0 && f.Store.Grew < f.Store.Bytes {
		stored = f.Store.Grew
		where = view.Size(stored) + " more in " + f.Store.Path + ", " + view.Size(f.Store.Bytes) + " in all"
	}
	a.Sentence("Stored: " + where + ".")
	if f.ThreadBytes > 0 && stored > 0 {
		line := "Keeping the message list of every call would take " + view.Size(f.ThreadBytes)
		if ratio := float64(f.ThreadBytes) / float64(stored); ratio >= 1 {
			line += ", " + strconv.FormatFloat(ratio, 'f', 1, 64) + " times as much"
		} else {
			line += ": this is too short for a store to pay off"
		}
		a.Sentence(line + ".")
	}
}
