package trace

import (
	"context"
	"encoding/json"

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
named only if the run costs less with it by pact simulate.`,
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
		case len(r.Findings) == 0:
			a.Printf("nothing found\n")
		}
		for _, f := range r.Findings {
			paid := view.Plural(int(f.Tokens), "token")
			if f.Cost != nil {
				paid += ", " + screen.Money(*f.Cost)
			}
			a.Sentence(view.Visible(f.Says) + ": " + paid)
			if f.Helps != nil {
				rule, err := json.Marshal(f.Helps)
				if err != nil {
					return err
				}
				a.Printf("  a rule would have saved the whole run %s: %s\n", screen.Money(*f.Saves), rule)
			}
		}
		return nil
	})
	return cmd
}
