package ask

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
	"github.com/spf13/cobra"
)

func grepCommand(a *command.App) *cobra.Command {
	cmd := a.Command("grep")
	flags := a.SourceFlags(cmd)
	fold := cmd.Flags().BoolP("ignore-case", "i", false, "take upper and lower case as the same")
	fixed := cmd.Flags().BoolP("fixed", "F", false, "the pattern is a plain text")
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		everywhere := flags.File == "" && len(args) == 1
		text := args[0]
		if flags.File == "" && !everywhere {
			text = args[1]
		}
		pattern, err := view.Pattern(text, *fixed, *fold)
		if err != nil {
			return command.Advise(err, ", with --fixed")
		}
		if everywhere {
			return grepAll(ctx, a, pattern)
		}
		s, rest, err := a.Source(ctx, cmd, flags, args)
		if err != nil {
			return err
		}
		defer s.Close()
		c, err := s.History(ctx)
		if err != nil {
			return err
		}
		list, err := occurrences(ctx, a, c, rest[1:], pattern)
		if err != nil {
			return err
		}
		if a.Failed = len(list) == 0; a.Failed {
			a.FoundNothing("nothing in %s matches %s", spanText(c, rest[1:]), view.Visible(text))
		}
		return printOccurrences(a, "", list)
	})
	return cmd
}

// grepAll searches every context of the store and prints what it finds in each.
func grepAll(ctx context.Context, a *command.App, pattern *regexp.Regexp) error {
	s, err := a.ExistingStore(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	contexts, err := pact.List(ctx, s)
	if err != nil {
		return err
	}
	a.Failed = true
	for _, i := range contexts {
		c, err := pact.Open(ctx, s, i.Name, nil)
		switch {
		case fault.CodeOf(err) == fault.ContextNotFound: // it was deleted meanwhile
			continue
		case err != nil:
			return err
		}
		var ends []string
		if first, last := c.Info().First, c.Info().Cycle; last < first {
			ends = []string{"working"}
		}
		list, err := occurrences(ctx, a, c, ends, pattern)
		if err != nil {
			return err
		}
		if len(list) > 0 {
			a.Failed = false
			if err := printOccurrences(a, i.Name, list); err != nil {
				return err
			}
		}
	}
	if a.Failed {
		a.FoundNothing("nothing in the %s of %s matches", view.Plural(len(contexts), "context"), a.Shown())
	}
	return nil
}

// occurrences searches the snapshots of a context between two ends.
func occurrences(ctx context.Context, a *command.App, c *pact.Context, ends []string, pattern *regexp.Regexp) ([]*view.Occurrence, error) {
	tail, err := record.TailOf(ctx, c)
	if err != nil {
		return nil, err
	}
	from, to, working, err := grepSpan(c, ends, tail)
	if err != nil {
		return nil, err
	}
	first, last := c.Info().First, c.Info().Cycle
	m := a.Meter("searching")
	defer m.End()
	return view.Grep(ctx, c, from, to, working, pattern, func(cycle int64) { m.At(int(cycle-first+1), int(last-first+1)) })
}

// grepSpan returns which snapshots a search looks at, and under which name at the working state,
// "" for not at all: without addresses it looks at the last answer of a run.
func grepSpan(c *pact.Context, ends []string, tail record.Tail) (from, to pact.Address, working string, err error) {
	if len(ends) == 1 {
		ends = strings.SplitN(ends[0], "..", 2)
	}
	switch n := len(ends); {
	case n == 0:
		working = string(tail)
	default:
		if end, err := pact.ParseAddress(ends[n-1], c.Info().Edition); err == nil && end == "working" {
			working = cmp.Or(string(tail), "working")
			ends = append(slices.Clone(ends[:n-1]), pact.Address("latest").Text(c.Info().Edition))
		}
	}
	first, last := c.Info().First, c.Info().Cycle
	if working != "" && (len(ends) == 1 || last < first) {
		return "working", "latest", working, nil
	}
	from, to, err = command.Span(c, ends)
	return from, to, working, err
}

// spanText names the snapshots that a search looked at, by the addresses that were given.
func spanText(c *pact.Context, ends []string) string {
	switch len(ends) {
	case 0:
		return "any snapshot of " + view.Visible(c.Info().Name)
	case 1:
		return view.Visible(c.Info().Name) + " " + view.Visible(ends[0])
	}
	return view.Visible(c.Info().Name) + " from " + view.Visible(ends[0]) + " to " + view.Visible(ends[1])
}

// printOccurrences prints what was found, under the name of its context where several are searched.
func printOccurrences(a *command.App, in string, list []*view.Occurrence) error {
	if in != "" && !a.JSON {
		a.Printf("%s\n", a.Paint.Strong(view.Visible(in)))
	}
	c := screen.LayoutOf("llll")
	rows := make([][]string, len(list))
	for i, f := range list {
		if a.JSON {
			if err := a.PrintJSON(struct {
				Context string `json:"context,omitempty"`
				*view.Occurrence
			}{in, f}); err != nil {
				return err
			}
			continue
		}
		cycles := cmp.Or(record.Tail(f.State).InWords(f.Role), f.State, view.Cycle(f.First))
		if f.Last > f.First {
			cycles += "–@c" + strconv.FormatInt(f.Last, 10)
		}
		rows[i] = append([]string{a.Paint.Name(cycles)}, screen.Cells(f.ID, f.Role, f.Kind)...)
		c.Fit(rows[i])
	}
	if a.JSON {
		return nil
	}
	for i, f := range list {
		for _, m := range f.Matches {
			a.Printf("%s\n", a.Clip(c.Line(rows[i])+"  "+matched(a, &m)))
		}
	}
	return nil
}

// around is how many bytes of a long line a terminal shows in front of a match.
const around = 20

// matched returns the line with its first match in colour. On a terminal it cuts
// a long line shortly before the match.
func matched(a *command.App, m *view.Line) string {
	head := m.Text[:m.Start]
	if a.OutTerminal && len(head) > around {
		head = "…" + strings.ToValidUTF8(head[len(head)-around:], "")
	}
	return view.Visible(head) + a.Paint.Bad(view.Visible(m.Text[m.Start:m.End])) + view.Visible(m.Text[m.End:])
}
