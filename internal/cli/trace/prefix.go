package trace

import (
	"context"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/internal/view/story"
	"github.com/contexttree/pact/record"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// prefixFlags ask log how much of each thread the next one repeats; each of them does.
type prefixFlags struct {
	*callFlags
	asked, breaks *bool
	names         []string
}

func newPrefixFlags(a *command.App, cmd *cobra.Command, source *command.SourceFlags) *prefixFlags {
	before := map[string]bool{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) { before[f.Name] = true })
	p := &prefixFlags{
		asked:  cmd.Flags().Bool("prefix", false, "say how much of each thread the next one repeats from the beginning"),
		breaks: cmd.Flags().Bool("breaks", false, "as --prefix, and list only the cycles at which something broke"),
	}
	source.TokenFlags(cmd)
	p.callFlags = newCallFlags(a, cmd)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !before[f.Name] {
			p.names = append(p.names, f.Name)
		}
	})
	return p
}

// ask reports whether the user gave one of the flags.
func (p *prefixFlags) ask(cmd *cobra.Command) bool {
	return slices.ContainsFunc(p.names, cmd.Flags().Changed)
}

// print prints how much of each thread the next one repeats.
func (p *prefixFlags) print(ctx context.Context, a *command.App, s *command.Source, span []string) error {
	c, err := s.History(ctx)
	if err != nil {
		return err
	}
	from, to, err := command.Span(c, span)
	if err != nil {
		return err
	}
	o, err := p.read(ctx, a)
	if err != nil {
		return err
	}
	m := a.Meter("comparing")
	r, err := story.Prefixes(ctx, c, from, to, o, m.At)
	m.End()
	if err != nil {
		return err
	}
	if s.Counter != nil {
		r.Tokenizer = s.Counter.Name()
	}
	if *p.breaks {
		r.KeepBreaks()
	}
	if a.JSON {
		return a.PrintJSON(r)
	}
	if *p.provider {
		if !drawProvider(a, r) {
			return nil
		}
	} else {
		drawPrefixes(a, r)
	}
	drawPaid(a, r, p.prices)
	drawSources(a, r)
	if how := "counted"; !*p.provider && r.Tokenizer != "" {
		if strings.HasPrefix(r.Tokenizer, "approx:") {
			how = "approximated"
		}
		a.Printf("Tokens are those of the contents, %s by %s.\n", how, r.Tokenizer)
	}
	return nil
}

func drawPrefixes(a *command.App, r *story.PrefixReport) {
	rows := make([][]string, len(r.Cycles))
	for i := range r.Cycles {
		c := r.Cycles[i]
		rows[i] = screen.Row(view.Cycle(c.Cycle), c.Blocks, c.Bytes, c.Tokens)
		same, tokens, again := a.Repeats(c), (*int64)(nil), (*int64)(nil)
		if c.Shared != nil {
			tokens = c.Shared.Tokens
		}
		if c.Broke != nil {
			again = c.Broke.Again
		}
		costs, full := "", ""
		if c.Call != nil {
			full = filledBy(c.Call)
			if c.Call.Cost != nil {
				costs = view.Money(c.Call.Cost.Paid)
			}
		}
		rows[i] = append(append(append(rows[i], same[:3]...), screen.Row(tokens, full, costs, again)...), same[3])
	}
	a.Table([]string{"cycle", ">blocks", ">bytes", ">tokens", ">same", ">in bytes", ">", ">in tokens", ">window",
		">paid", ">again", "first difference"}, rows)
	broke := "nothing broke."
	if len(r.Breaks) > 0 {
		broke = "it broke in " + view.Plural(len(r.Breaks), "cycle") + "."
	}
	a.Sentence(view.Percent(r.Share) + " of what the threads repeat is the prefix of the thread before (seen); " + broke)
}

// drawPaid says what the calls cost by the counts of the provider.
func drawPaid(a *command.App, r *story.PrefixReport, prices *record.Prices) {
	t := &r.Totals
	if t.Paid == nil {
		return
	}
	line := "Paid " + view.Money(*t.Paid) + " " + view.Visible(prices.Currency) + ", of that " + view.Money(t.Lost) +
		" because less was read than had been left; counted by the provider, prices of " + view.Visible(prices.AsOf) + "."
	if t.Priced < t.Calls {
		line += " That leaves out " + view.Plural(t.Calls-t.Priced, "call") + " whose tokens or prices are not all known."
	}
	a.Sentence(line)
}
