package follow

import (
	"context"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/runs"
	"github.com/contexttree/pact/internal/simulate"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/tokens"
	"github.com/spf13/cobra"
)

func simulateCommand(a *command.App) *cobra.Command {
	cmd := a.Command("simulate")
	f := cmd.Flags()
	policies := f.StringArray("policy", nil, "replay under the policy in `FILE`, a JSON object, or a ready one; may be repeated")
	when := f.String("when", "", "`WHEN` what is due is removed: now, pays or cold; by default as each policy says")
	flags := newPriceFlags(cmd)
	calls := f.Bool("calls", false, "list every call")
	command.OneOf(cmd, "when", []string{"now", "pays", "cold"})
	cmd.RunE = a.OnContext(nil, func(ctx context.Context, cmd *cobra.Command, c *pact.Context, _ *pact.DB, _ []string) error {
		if len(*policies) == 0 {
			return command.Usage(cmd, "simulate needs a policy: --policy FILE, or a ready one such as --policy agent")
		}
		o, err := flags.options(ctx, a)
		if err != nil {
			return err
		}
		o.Calls = *calls
		for _, name := range *policies {
			p, err := a.PolicyNamed(ctx, name)
			if err != nil {
				return err
			}
			if *when != "" {
				p.When = lifecycle.When(*when)
			}
			p.Tokenizer = ""
			o.Policies = append(o.Policies, simulate.Named{Name: name, Policy: p})
		}
		m := a.Meter("simulating")
		o.Progress = m.At
		r, err := simulate.Run(ctx, c, *o)
		m.End()
		if err != nil {
			return err
		}
		return a.Show(r, func() { drawSimulation(a, r) })
	})
	return cmd
}

// priceFlags say whose caching and prices count.
type priceFlags struct{ prices, model, dialect, tokenizer *string }

func newPriceFlags(cmd *cobra.Command) priceFlags {
	f := cmd.Flags()
	p := priceFlags{
		f.String("prices", "", "take the list of prices in `FILE` in place of the built-in one"),
		f.String("model", "", "the model `NAME` whose prices and caching count; by default that of the last call"),
		f.String("dialect", "", "cache as `NAME` does: anthropic, openai, responses or gemini"),
		f.String("tokenizer", command.DefaultTokenizer, "count tokens as `NAME` does"),
	}
	command.CompleteFlag(cmd, "tokenizer", tokens.Names())
	return p
}

// options reads what the flags name.
func (p priceFlags) options(ctx context.Context, a *command.App) (*simulate.Options, error) {
	o := &simulate.Options{Model: *p.model, Dialect: *p.dialect}
	counter, err := tokens.Named(*p.tokenizer)
	if err != nil {
		return nil, err
	}
	o.Counter = counter
	if *p.prices != "" {
		o.Prices, err = a.Prices(ctx, *p.prices)
	}
	return o, err
}

// drawSimulation prints a line a policy, what they regret, and what that says.
func drawSimulation(a *command.App, r *simulate.Result) {
	head := view.Visible(r.Run) + ": " + view.Plural(r.Calls, "call")
	if r.AsOf != "" {
		head += ", " + view.Visible(r.Model) + ", prices in " + view.Visible(r.Currency) + " of " + view.Visible(r.AsOf)
	}
	a.Sentence(head + ", cached as " + r.Dialect)
	rows := [][]string{}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		rows = append(rows, append(screen.Cells(o.Policy), number(o.Sent), number(o.Read), number(o.Written),
			cost(o.Cost), strconv.Itoa(o.Breaks), strconv.Itoa(o.Reasoning), strconv.Itoa(o.Removed), strconv.Itoa(o.Shaped),
			strconv.Itoa(o.Over), strconv.Itoa(o.Again), strconv.Itoa(len(o.Regrets))))
	}
	a.Table([]string{"policy", "sent", "read", "written", "cost", "breaks", "reasoning", "removed", "shaped",
		"over", "again", "regrets"}, rows)
	for i := range r.Outcomes {
		drawOutcome(a, &r.Outcomes[i])
	}
	a.Printf("\n")
	for _, text := range r.Sentences {
		a.Sentence(text)
	}
}

// drawOutcome prints the calls and the regrets of a policy, if it has any.
func drawOutcome(a *command.App, o *simulate.Outcome) {
	if len(o.ByCall) > 0 {
		rows := [][]string{}
		for _, c := range o.ByCall {
			rows = append(rows, []string{view.Cycle(c.Cycle), number(c.Sent), number(c.Read), number(c.Written),
				cost(c.Cost), map[bool]string{true: "broke"}[c.Broke], strconv.Itoa(c.Removed)})
		}
		a.Printf("\n%s\n", a.Paint.Strong(view.Visible(o.Policy)))
		a.Table([]string{"call", "sent", "read", "written", "cost", "prefix", "removed"}, rows)
	}
	for _, r := range o.Regrets {
		what := "needs a line of " + view.Visible(r.Of) + ": " + view.Visible(r.Text)
		if r.Tool != "" {
			gone := " is gone"
			if r.Short {
				gone = " was shortened"
			}
			what = "calls " + view.Visible(r.Tool) + " again, and " + view.Visible(r.Of) + gone
		}
		a.Printf("%s\n", a.Clip("  "+view.Visible(o.Policy)+" "+view.Cycle(r.Cycle)+" "+view.Visible(r.Node)+" "+what))
	}
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

func numberOr(n *int64) string {
	if n == nil {
		return ""
	}
	return number(*n)
}

func cost(c *float64) string {
	if c == nil {
		return ""
	}
	return view.Money(*c)
}

func findingsCommand(a *command.App) *cobra.Command {
	cmd := a.Command("findings")
	flags := newPriceFlags(cmd)
	cmd.RunE = a.OnContext(nil, func(ctx context.Context, _ *cobra.Command, c *pact.Context, db *pact.DB, _ []string) error {
		o, err := flags.options(ctx, a)
		if err != nil {
			return err
		}
		m := a.Meter("looking")
		o.Progress = m.At
		r, err := simulate.Findings(ctx, c, *o)
		m.End()
		if err != nil {
			return err
		}
		relations, err := view.RelationsOf(ctx, db)
		if err != nil {
			return err
		}
		family, err := runs.FamilyOf(ctx, db, relations, c)
		if err != nil {
			return err
		}
		apart := relations.Overlap(c.Info().Name)
		if a.JSON {
			return a.PrintJSON(struct {
				*simulate.Report
				view.Overlap
				Family *runs.Family `json:"family"`
			}{r, apart, family})
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
		if text := apart.InWords(); text != "" {
			a.Sentence(text)
		}
		if len(family.Kin) > 0 {
			a.Sentence(family.InWords())
		}
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
		if r.Untried != "" {
			a.Sentence(r.Untried)
		}
		return nil
	})
	return cmd
}
