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
	cmd := &cobra.Command{
		Use:   "prefix NAME [A [B]] | prefix --file FILE [A [B]]",
		Short: "Say how much of each thread the next one repeats",
		Long: `Print for each cycle, from A to B (also A..B) or of the whole context, how many blocks and bytes
its thread has, and how much of the thread before it repeats from the beginning, in
whole blocks. Providers cache by that prefix, byte for byte. If it does not repeat all
of it, the first node that differs is named with the reason: it expired, was pruned,
edited or moved, or another was inserted before it.

Nothing is rendered: the tree keeps the sizes as sums. --tokens adds the tokens of the
contents; providers add a few for each message. The tokenizer is an encoding,
o200k_base or cl100k_base, or the name of a model. Makers other than OpenAI publish no
encoding, so for their models the numbers are approximations, and the answer says so.
approx:bytes/4 is a rule of thumb.

The calls of a recorded context are compared by the rules by which the provider of the
called API caches: anthropic, openai, responses or gemini. --dialect chooses another;
other compares the bodies as they were sent. The answer names what ends the prefix: a
changed model or parameter, the tools, the system prompt or a block. It also counts the
blocks of reasoning that follow in the request, which some models then drop.

Recorded calls also have the share of the model's window that they filled and what they
cost, where the provider counted their tokens and a list has the model: the built-in one,
or that in FILE with --prices.

--provider shows beside it what the provider reported: the tokens that it read from its
cache and wrote to it, its reason for reading no more if it was asked, and whether its
own rules predict that; by the clock it tells a cut from a prefix that the provider no
longer keeps. It also shows the extra cost of reading less than before.
docs/providers.md has the rules and the format of FILE.`,
		Example: `  pact prefix chat
  pact prefix chat @c10 @c20
  pact prefix chat --tokens
  pact prefix chat --tokenizer claude-sonnet-4
  pact prefix chat --breaks
  pact prefix chat --json | jq .breaks
  pact prefix codex --dialect other
  pact prefix codex --provider --prices prices.json
  pact prefix --file run.traj`,
	}
	flags := a.SourceFlags(cmd)
	flags.TokenFlags(cmd)
	calls := newCallFlags(a, cmd)
	broken := cmd.Flags().Bool("breaks", false, "list only the cycles that did not repeat all of the thread before")
	cmd.RunE = a.Asks(flags, []string{"[A]", "[B]"}, func(ctx context.Context, s *command.Source, rest []string) error {
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
				costs, paid = screen.Money(c.Call.Cost.Paid), paid+c.Call.Cost.Paid
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
		a.Sentence("These calls cost " + screen.Money(paid) + " " + view.Visible(prices.Currency) + " by the prices of " + view.Visible(prices.AsOf) +
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
