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
	broken := cmd.Flags().Bool("breaks", false, "list only the cycles that did not repeat all of the thread before")
	cmd.RunE = a.Asks(flags, func(ctx context.Context, s *command.Source, rest []string) error {
		c, err := s.History(ctx)
		if err != nil {
			return err
		}
		from, to, err := command.Span(c, rest)
		if err != nil {
			return err
		}
		told, err := calls.read(ctx, a, c)
		if err != nil {
			return err
		}
		m := a.Meter("comparing")
		r, err := story.Prefixes(ctx, c, from, to, told, m.At)
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
	paid := 0.0
	rows := make([][]string, len(r.Cycles))
	for i, c := range r.Cycles {
		rows[i] = screen.Row(view.Cycle(c.Cycle), c.Blocks, c.Bytes, c.Tokens)
		same := make([]string, 5)
		if p := c.Shared; p != nil {
			blocks, of, bytes := p.Blocks, p.OfBlocks, p.Bytes
			if c.Call != nil && c.Call.Shared != nil {
				blocks, of, bytes = c.Call.Shared.Blocks, c.Call.Shared.OfBlocks, c.Call.Shared.Bytes
			}
			share, _, complete := view.Reused(&c)
			where := a.Paint.Good("complete")
			if !complete {
				where = view.CutInBrief(&c, a.Paint.Changed)
			}
			same = screen.Row(strconv.Itoa(blocks)+"/"+strconv.Itoa(of), bytes, view.Percent(share), p.Tokens,
				screen.Painted(where))
		}
		costs, full := "", ""
		if c.Call != nil {
			full = filledBy(c.Call)
			if c.Call.Cost != nil {
				costs, paid = view.Money(c.Call.Cost.Paid), paid+c.Call.Cost.Paid
			}
		}
		rows[i] = append(append(rows[i], same[:4]...), full, costs, same[4])
	}
	goes := "?" // with the columns of tokens, which stay if they were counted
	if r.Tokenizer != "" {
		goes = ""
	}
	a.Table([]string{"cycle", ">blocks", ">bytes", goes + ">tokens", ">same", ">in bytes", ">", goes + ">in tokens",
		"?>window", "?>paid", "first difference"}, rows)
	line := view.Percent(r.Share) + " of what the threads repeat is the prefix of the thread before"
	if len(r.Breaks) == 0 {
		a.Sentence(line + "; it never broke.")
	} else {
		a.Sentence(line + "; it broke in " + view.Plural(len(r.Breaks), "cycle") + ".")
	}
	if paid > 0 {
		a.Sentence("These calls cost " + view.Money(paid) + " " + view.Visible(prices.Currency) + " by the prices of " + view.Visible(prices.AsOf) +
			", where the provider counted cached tokens.")
	}
	drawSources(a, r)
	if r.Tokenizer != "" {
		how := "counted"
		if strings.HasPrefix(r.Tokenizer, "approx:") {
			how = "approximated"
		}
		a.Printf("Tokens are those of the contents, %s by %s.\n", how, r.Tokenizer)
	}
}
