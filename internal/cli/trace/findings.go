package trace

import (
	"context"

	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/simulate"
	"github.com/contexttree/pact/internal/view"
	"github.com/spf13/cobra"
)

func findingsCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "findings NAME",
		Short: "Say what a run paid for and may not have needed",
		Long: `List what a recorded or imported run spent without use: calls whose request does not repeat
the one before, with the cause; a tool called twice with the same arguments that said the
same; results that were sent with many calls and of which no answer has a line; tools that
were defined and never called; what the run itself left out; a window that is full soon.
Each has its tokens and, for a model with a price, what they cost. A rule of a policy is
named only if the run costs less with it by pact simulate, and quotes nothing of what the
rule takes.`,
		Example: `  pact findings run
  pact findings run --model claude-opus-5 --json`,
		Args:              command.Exactly("NAME"),
		ValidArgsFunction: a.CompleteNames,
	}
	flags := newPriceFlags(cmd)
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		o, err := flags.options(ctx, a)
		if err != nil {
			return err
		}
		c, s, err := a.OpenContext(ctx, args[0], "")
		if err != nil {
			return err
		}
		defer s.Close()
		m := a.Meter("looking")
		o.Progress = m.At
		r, err := simulate.Findings(ctx, c, *o)
		m.End()
		switch {
		case err != nil:
			return err
		case a.JSON:
			return a.PrintJSON(r)
		}
		spent := view.Visible(r.Run) + ": " + view.Plural(r.Calls, "call") + " sent " + number(r.Spent.Sent) + " tokens, " + number(r.Spent.Read) +
			" of them read from the cache by the rules of " + r.Dialect
		if r.Spent.Cost != nil {
			spent += "; that costs " + screen.Money(*r.Spent.Cost) + " " + view.Visible(r.Currency) + " by the prices of " + view.Visible(r.AsOf) +
				" for " + view.Visible(r.Model)
		}
		a.Sentence(spent)
		if len(r.Findings) == 0 {
			a.Printf("nothing found\n")
		}
		for _, f := range r.Findings {
			if f.Cost != nil {
				f.Says += ": " + screen.Money(*f.Cost) + " " + view.Visible(r.Currency)
			}
			a.Sentence(f.Says) // whose names are visible already
			if f.Helps == nil {
				continue
			}
			rule, err := screen.Rule(f.Helps)
			if err != nil {
				return err
			}
			a.Printf("  a rule would have saved the whole run %s %s: %s\n", screen.Money(*f.Saves), view.Visible(r.Currency), rule)
		}
		return nil
	})
	return cmd
}
