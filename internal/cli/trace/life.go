package trace

import (
	"context"
	"strconv"
	"strings"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"
	"github.com/spf13/cobra"
)

func lifeCommand(a *command.App) *cobra.Command {
	cmd := a.Command("life")
	flags := a.SourceFlags(cmd)
	cmd.RunE = a.Asks(flags, func(ctx context.Context, s *command.Source, rest []string) error {
		if len(rest) == 0 || view.IsAddress(rest[0]) {
			return blameThread(ctx, a, s, rest)
		}
		c, err := s.History(ctx)
		if err != nil {
			return err
		}
		l, err := c.Timeline(ctx, rest[0])
		if err != nil {
			return err
		}
		if a.JSON {
			return a.PrintJSON(l)
		}
		drawTimeline(a, l)
		return nil
	})
	return cmd
}

func drawTimeline(a *command.App, l *inspect.Timeline) {
	facts := []string{a.Paint.Strong(view.Visible(l.ID))}
	for _, fact := range []string{l.Type, l.Role, l.Kind} {
		if fact != "" {
			facts = append(facts, view.Visible(fact))
		}
	}
	if l.Key != "" {
		facts = append(facts, "#"+view.Visible(l.Key))
	}
	a.Printf("%s\n%s\n\n", strings.Join(facts, "  "), view.Presence(l))
	rows := make([][]string, len(l.Events))
	for i, e := range l.Events {
		cycle := view.Cycle(e.Cycle)
		if e.Until > 0 {
			cycle += "–@c" + strconv.FormatInt(e.Until, 10)
		}
		if e.Draft {
			cycle = "draft"
		}
		who := ""
		if e.Cause != nil {
			who = view.Author(e.Cause.Author)
		}
		rows[i] = []string{a.Paint.Name(cycle), view.EventInWords(e), a.Paint.Faint(who)}
	}
	a.Aligned(rows, "lll")
	a.Printf("\n")
	if l.Turn != "" {
		a.Printf("in turn %s, below %s\n", view.Visible(l.Turn), view.Visible(l.Parent))
	} else if l.Parent != "" {
		a.Printf("below %s\n", view.Visible(l.Parent))
	}
	drawIDs(a, "refers to", l.Refs)
	drawIDs(a, "referred to by", l.ReferredBy)
	drawIDs(a, "children", l.Children)
	if l.Range != nil {
		a.Printf("%s of the thread of @c%d\n", view.RangeInWords(l.Range), *l.Last)
	}
}

// drawIDs prints a list of ids; of a long list, only the first few.
func drawIDs(a *command.App, what string, ids []string) {
	const most = 12
	if len(ids) == 0 {
		return
	}
	more := ""
	if len(ids) > most {
		more = " and " + strconv.Itoa(len(ids)-most) + " more"
		ids = ids[:most]
	}
	a.Printf("%s: %s%s\n", what, strings.Join(screen.Cells(ids...), ", "), more)
}
