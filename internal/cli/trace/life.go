package trace

import (
	"context"
	"strconv"
	"strings"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"
	"github.com/spf13/cobra"
)

func timelineCommand(a *command.App) *cobra.Command {
	cmd := a.Command("life")
	flags := a.SourceFlags(cmd)
	cmd.RunE = a.Asks(flags, func(ctx context.Context, s *command.Source, rest []string) error {
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
	a.Printf("%s\n%s\n\n", strings.Join(facts, "  "), presence(l))
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
		rows[i] = []string{a.Paint.Name(cycle), eventText(e), a.Paint.Faint(who)}
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
		a.Printf("%s of the thread of @c%d\n", rangeText(l.Range), *l.Last)
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

// presence says where a node is now and how long it stays.
func presence(l *inspect.Timeline) string {
	text := ""
	if l.First != nil {
		text = "in the snapshots @c" + strconv.FormatInt(*l.First, 10) + " to @c" + strconv.FormatInt(*l.Last, 10)
		if *l.First == *l.Last {
			text = "in the snapshot @c" + strconv.FormatInt(*l.First, 10)
		}
	} else {
		text = "in no snapshot"
	}
	switch l.State {
	case inspect.Draft:
		text += ", a draft"
	case inspect.Gone:
		return text + ", gone"
	case inspect.Leaving:
		return text + ", removed since"
	}
	if l.Expiry != nil {
		return text + ", to go at the commit of cycle " + strconv.FormatInt(*l.Expiry, 10)
	}
	return text + ", to stay"
}

// eventText puts an event into words.
func eventText(e inspect.Event) string {
	where := whereText(e)
	node := view.Visible(e.Other)
	switch e.Kind {
	case inspect.EventBorn:
		return bornText(e, where)
	case inspect.EventSealed:
		return "sealed into " + where
	case inspect.EventMoved:
		return "moved into " + where
	case inspect.EventUpdated:
		var list []string
		for _, f := range e.Fields {
			list = append(list, fieldText(f))
		}
		return "updated: " + strings.Join(list, ", ")
	case inspect.EventAttached:
		return node + " came below it"
	case inspect.EventDetached:
		return node + " left it"
	case inspect.EventReferred:
		return node + " refers to it"
	case inspect.EventUnreferred:
		return node + " refers to it no more"
	case inspect.EventRetained:
		return "retained by a holder"
	case inspect.EventHeld:
		return view.Held(e.Reason, e.KeptBy, e.Other)
	case inspect.EventErased:
		return "erased for good, in all snapshots"
	}
	text := view.Deed(*e.Cause, "removed by an edit")
	if e.Cause.Kind == diff.BySeal {
		text = "gave way to the next active head when it was sealed"
	}
	if node != "" {
		text += "; it is probably " + node + " now"
	}
	return text
}

// whereText names the turn or region that a node was put into, and its parent
// if that is another node.
func whereText(e inspect.Event) string {
	where := view.Visible(e.Region)
	switch {
	case e.Turn != "" && e.Turn != e.Parent:
		return "turn " + view.Visible(e.Turn) + ", below " + view.Visible(e.Parent)
	case e.Turn != "":
		return "turn " + view.Visible(e.Turn)
	case where != "" && e.Parent != "" && "^"+e.Parent != e.Region:
		return where + ", below " + view.Visible(e.Parent)
	}
	return where
}

func bornText(e inspect.Event, where string) string {
	text := "born"
	switch {
	case e.Cause != nil && e.Cause.Kind == diff.BySeal:
		text = "made by sealing"
	case e.Cause != nil && e.Cause.Kind == diff.ByPruning:
		text = "left in " + where + " for what was pruned"
	case where != "":
		text += " in " + where
	}
	if e.Other != "" {
		text += "; it was probably " + view.Visible(e.Other) + " before"
	}
	return text
}

func fieldText(f diff.Field) string {
	if f.Name == "content_hash" {
		return "content"
	}
	return view.Visible(f.Name) + " " + valueText(f.Previous) + " → " + valueText(f.New)
}
