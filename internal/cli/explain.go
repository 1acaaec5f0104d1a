package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/contexttree/pact/inspect"
	"github.com/spf13/cobra"
)

func (a *app) explainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain NAME SELECTOR | explain --file FILE SELECTOR",
		Short: "Say how a selector is evaluated",
		Long: `Evaluate a selector and say how: its normal form, how the nodes of every step are
reached, which rules exclude the others, and how many nodes were looked at. For @* and
for ranges the numbers add up all snapshots. --where, --skip and --limit reduce what
is returned, as they do for select.`,
		Example: `  pact explain chat "^seq .seg:depth(1-3) .block[role='user']"
  pact explain --file snapshot.json --edition v0.1 -- '@t0 #cb:u2'
  pact explain chat --json '@* .block[kind=call]'`,
	}
	flags := a.sourceFlags(cmd)
	w := windowFlags{}
	w.registerWindows(cmd)
	cmd.RunE = a.asks(flags, []string{"SELECTOR"}, func(ctx context.Context, s *source, rest []string) error {
		q, err := s.parse(rest[0], flags.edition)
		if err != nil {
			return err
		}
		o, _, err := w.options(cmd, s, flags.edition, q)
		if err != nil {
			return err
		}
		defer a.warnOfUnknownTypes(ctx, s, q)
		x, err := s.explain(ctx, q, o)
		if err != nil {
			return inArgument(err, rest[0])
		}
		if a.json {
			return a.printJSON(x)
		}
		a.drawExplanation(x)
		return nil
	})
	return cmd
}

// drawExplanation prints a line for each step.
func (a *app) drawExplanation(x *inspect.Explanation) {
	a.printf("%s  %s\n", a.paint.strong(visible(x.Selector)), a.paint.faint("edition "+x.Edition))
	var rows [][]string
	for i, g := range x.Groups {
		for n, s := range g.Steps {
			name := ""
			if n == 0 && len(x.Groups) > 1 {
				name = fmt.Sprint("group ", i+1)
			}
			rows = append(rows, cells(name, s.Text, s.Reach, strings.Join(s.Skips, ", ")))
		}
	}
	a.aligned(append([][]string{{"", "step", "reached by", "ruled out by"}}, rows...), "llll")
	order := x.Order
	if x.Choice != "" {
		order += ", " + x.Choice + " of it"
	}
	if len(x.Window) > 0 {
		order += ", then " + strings.Join(x.Window, " ")
	}
	a.printf("%s %s\n", a.paint.faint("order:"), order)
	a.printf("%s of %s in %s looked at, %s, %s returned\n", fmt.Sprint(x.Visited), plural(x.Nodes, "node"),
		plural(x.Snapshots, "snapshot"),
		fmt.Sprint(x.Skipped)+" ruled out", plural(x.Returned, "node"))
}
