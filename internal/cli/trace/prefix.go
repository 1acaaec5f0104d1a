package trace

import (
	"context"
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/internal/view/story"
	"github.com/contexttree/pact/record"
	"github.com/spf13/cobra"
)

func prefixCommand(a *command.App) *cobra.Command {
	cmd := a.Command("prefix")
	flags := a.SourceFlags(cmd)
	flags.TokenFlags(cmd)
	calls := newCallFlags(a, cmd)
	broken := cmd.Flags().Bool("breaks", false, "list only the cycles at which something broke")
	cmd.RunE = a.Asks(flags, func(ctx context.Context, s *command.Source, rest []string) error {
		c, err := s.History(ctx)
		if err != nil {
			return err
		}
		from, to, err := command.Span(c, rest)
		if err != nil {
			return err
		}
		o, err := calls.read(ctx, a)
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
		if *broken {
			r.KeepBreaks()
		}
		if a.JSON {
			return a.PrintJSON(r)
		}
		if *calls.provider {
			drawProvider(a, r, calls.prices)
			return nil
		}
		drawPrefixes(a, r, calls.prices)
		return nil
	})
	return cmd
}

func drawPrefixes(a *command.App, r *story.PrefixReport, prices *record.Prices) {
	rows := make([][]string, len(r.Cycles))
	for i := range r.Cycles {
		c := r.Cycles[i]
		rows[i] = screen.Row(view.Cycle(c.Cycle), c.Blocks, c.Bytes, c.Tokens)
		same, again := make([]string, 5), any(nil)
		if p := c.Shared; p != nil {
			blocks, of, bytes := p.Blocks, p.OfBlocks, p.Bytes
			if c.Call != nil && c.Call.Shared != nil {
				blocks, of, bytes = c.Call.Shared.Blocks, c.Call.Shared.OfBlocks, c.Call.Shared.Bytes
			}
			share, _, complete := view.Reused(&c.Prefix)
			where := a.Paint.Good("complete")
			if !complete {
				where = view.CutInBrief(&c.Prefix, a.Paint.Changed)
			}
			if b := c.Broke; b != nil && b.Again != nil {
				again = *b.Again
				if c.Call.Lost.Cause.Cut == nil || complete {
					where = a.Paint.Bad(b.Why + " (" + string(b.Known) + ")")
				}
			}
			same = screen.Row(strconv.Itoa(blocks)+"/"+strconv.Itoa(of), bytes, view.Percent(share), p.Tokens,
				screen.Painted(where))
		}
		costs, full := "", ""
		if c.Call != nil {
			full = filledBy(c.Call)
			if c.Call.Cost != nil {
				costs = view.Money(c.Call.Cost.Paid)
			}
		}
		rows[i] = append(append(append(rows[i], same[:4]...), full, costs), append(screen.Row(again), same[4])...)
	}
	a.Table([]string{"cycle", ">blocks", ">bytes", ">tokens", ">same", ">in bytes", ">", ">in tokens", ">window",
		">paid", ">again", "first difference"}, rows)
	line := view.Percent(r.Share) + " of what the threads repeat is the prefix of the thread before (seen)"
	switch {
	case len(r.Breaks) == 0:
		a.Sentence(line + "; nothing broke.")
	default:
		a.Sentence(line + "; it broke in " + view.Plural(len(r.Breaks), "cycle") + ".")
	}
	drawPaid(a, r, prices)
	drawSources(a, r)
	if r.Tokenizer != "" {
		how := "counted"
		if strings.HasPrefix(r.Tokenizer, "approx:") {
			how = "approximated"
		}
		a.Printf("Tokens are those of the contents, %s by %s.\n", how, r.Tokenizer)
	}
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
