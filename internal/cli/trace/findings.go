package trace

import (
	"context"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/simulate"
	"github.com/contexttree/pact/internal/view"
	"github.com/spf13/cobra"
)

func findingsCommand(a *command.App) *cobra.Command {
	cmd := a.Command("findings")
	flags := newPriceFlags(cmd)
	cmd.RunE = a.OnContext(nil, func(ctx context.Context, _ *cobra.Command, c *pact.Context, _ *pact.DB, _ []string) error {
		o, err := flags.options(ctx, a)
		if err != nil {
			return err
		}
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
		spent := view.Visible(r.Run) + ": " + view.Plural(r.Calls, "call") + " sent " + number(r.Spent.Sent) + " tokens, "
		if r.Spent.Evidence == inspect.Counted {
			spent += view.FromCache(r.Spent.Read, r.Spent.Told, r.Calls) + ", as the provider counted"
			if r.Spent.Counted < r.Calls {
				spent += " in " + view.Plural(r.Spent.Counted, "call")
			}
		} else {
			spent += number(r.Spent.Read) + " of them read from the cache, computed by the rules of " + r.Dialect
		}
		if r.Spent.Cost != nil {
			spent += "; that costs " + view.Money(*r.Spent.Cost) + " " + view.Visible(r.Currency) + " by the prices of " + view.Visible(r.AsOf)
			if left := r.Calls - r.Spent.Priced; left > 0 {
				spent += ", without " + view.Plural(left, "call") + " whose cost is unknown"
			}
		}
		a.Sentence(spent)
		if len(r.Findings) == 0 {
			a.Printf("nothing found\n")
		}
		for _, f := range r.Findings {
			if f.Cost != nil {
				f.Says += ": " + view.Money(*f.Cost) + " " + view.Visible(r.Currency)
			}
			a.Sentence(f.Says) // whose names are visible already
			if f.Helps == nil {
				continue
			}
			rule, err := view.Rule(f.Helps)
			if err != nil {
				return err
			}
			a.Printf("  a rule would have saved the whole run %s %s: %s\n", view.Money(*f.Saves), view.Visible(r.Currency), rule)
		}
		return nil
	})
	return cmd
}
