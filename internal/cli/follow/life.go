package follow

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/tree"
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
		return a.Show(l, func() { drawTimeline(a, l) })
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

// blame is the answer of pact life NAME --json.
type blame struct {
	Cycle  int64           `json:"cycle"`
	Blocks []inspect.Blame `json:"blocks"`
}

// blameThread says of each block of a thread which cycle brought it.
func blameThread(ctx context.Context, a *command.App, s *command.Source, address []string) error {
	snapshot, err := s.Argument(ctx, address)
	if err != nil {
		return err
	}
	c, err := s.History(ctx)
	if err != nil {
		return err
	}
	at := pact.Address("latest")
	if len(address) > 0 {
		if at, err = command.ParseAddress(address[0], s.Edition()); err != nil {
			return err
		}
	}
	list, err := c.Blame(ctx, at)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(blame{snapshot.Cycle(), list})
	}
	return drawBlame(ctx, a, snapshot, list)
}

func drawBlame(ctx context.Context, a *command.App, in *pact.Snapshot, list []inspect.Blame) error {
	rows := make([][]string, len(list))
	for i, b := range list {
		cycle, by := view.Cycle(b.Cycle), b.By
		if b.Version != nil {
			cycle, by = cycle+"/@c"+strconv.FormatInt(b.Version.Cycle, 10), b.Version.By
		}
		node, err := tree.Of(in).Node(b.ID)
		if err != nil {
			return err
		}
		content, err := node.Content.Value(ctx)
		if err != nil {
			return err
		}
		rows[i] = screen.Row(cycle, screen.Painted(view.Author(by)), fmt.Sprintf("%d–%d", b.Range.Start, b.Range.End), b.ID,
			screen.Painted(a.Paint.Name(view.Visible(b.Role))), b.Kind, view.FirstWords("", content, 40))
	}
	a.Table([]string{"cycle", "by", ">bytes", "block", "role", "kind", "content"}, rows)
	return nil
}
