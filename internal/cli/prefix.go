package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/wording"
	"github.com/spf13/cobra"
)

// prefixReport is the answer of pact prefix --json.
type prefixReport struct {
	Cycles []inspect.Prefix `json:"cycles"`
	// how tokens were counted; an approximation begins with approx:
	Tokenizer string  `json:"tokenizer,omitempty"`
	Share     float64 `json:"share"`  // of what the threads repeat, weighted by bytes
	Breaks    []int64 `json:"breaks"` // the cycles that did not repeat all of the previous one
	// for each dialect that compared recorded calls, the pages that document it
	Sources map[string][]string `json:"sources,omitempty"`
	// how many answered calls reported what they read from the cache, and in
	// how many of these the forecast held
	Told   int `json:"told,omitempty"`
	Agreed int `json:"agreed,omitempty"`
}

func (a *app) prefixCommand() *cobra.Command {
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

The calls of a recorded context are compared by what the provider of the called API
caches: anthropic, openai-chat, openai-responses or gemini. --dialect chooses another;
other compares the bodies as they were sent. The answer names what ends the prefix: a
changed model or parameter, the tools, the system prompt or a block. It also counts the
blocks of reasoning that follow in the request, which some models then drop.

--provider shows beside it what the provider reported: the tokens that it read from its
cache and wrote to it, its reason for reading no more if it was asked, and whether its
own rules predict that. By the clock it tells a cut from a prefix that the provider
no longer keeps. --prices FILE adds what each call cost, and the extra cost of reading
less than before. docs/wire.md has the rules and the format of FILE.
`,
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
	flags := a.sourceFlags(cmd)
	flags.tokenFlags(cmd)
	calls := a.callFlags(cmd)
	broken := cmd.Flags().Bool("breaks", false, "list only the cycles that did not repeat all of the thread before")
	cmd.RunE = a.asks(flags, []string{"[A]", "[B]"}, func(ctx context.Context, s *source, rest []string) error {
		c, err := s.history(ctx)
		if err != nil {
			return err
		}
		from, to, err := span(c, rest)
		if err != nil {
			return err
		}
		told, err := calls.read(ctx, a, c)
		if err != nil {
			return err
		}
		r, err := a.prefixes(ctx, c, from, to, told)
		if err != nil {
			return err
		}
		if s.counter != nil {
			r.Tokenizer = s.counter.Name()
		}
		if *broken {
			r.keepBreaks()
		}
		if a.json {
			return a.printJSON(r)
		}
		if *calls.provider {
			a.drawProvider(r, calls.prices)
			return nil
		}
		a.drawPrefixes(r)
		return nil
	})
	return cmd
}

// keepBreaks leaves out the cycles that repeat all of the thread before.
func (r *prefixReport) keepBreaks() {
	r.Cycles = slices.DeleteFunc(r.Cycles, func(p inspect.Prefix) bool { return !slices.Contains(r.Breaks, p.Cycle) })
}

// span reads the two ends of a run of snapshots, as two words or as A..B; without words,
// the run is the whole context.
func span(c *pact.Context, words []string) (from, to pact.Address, err error) {
	first, last := c.Cycles()
	if last < first {
		return from, to, fault.New(fault.SnapshotNotFound, "there is no snapshot yet", "pact commit makes one")
	}
	from, to = pact.Cycle(first), pact.Cycle(last)
	if len(words) == 1 {
		if a, b, both := strings.Cut(words[0], ".."); both {
			words = []string{a, b}
		}
	}
	if len(words) > 0 {
		if from, err = parseAddress(words[0]); err != nil {
			return from, to, err
		}
	}
	if len(words) > 1 {
		to, err = parseAddress(words[1])
	}
	return from, to, err
}

func (a *app) prefixes(ctx context.Context, c *pact.Context, from, to pact.Address,
	calls map[int64]*inspect.CallPrefix) (*prefixReport, error) {
	r := &prefixReport{Cycles: []inspect.Prefix{}, Breaks: []int64{}}
	first, last := c.Cycles()
	m := a.meter("comparing")
	defer m.end()
	tally := reuse{}
	for p, err := range c.Prefixes(ctx, from, to) {
		if err != nil {
			return nil, err
		}
		p.Call = calls[p.Cycle]
		r.Cycles = append(r.Cycles, p)
		r.tell(p.Call)
		tally.take(&p)
		m.at(len(r.Cycles), int(last-first+1))
	}
	r.Breaks, r.Share = append(r.Breaks, tally.breaks...), tally.share()
	return r, nil
}

// reuse sums up what a run of threads repeats.
type reuse struct {
	breaks   []int64
	same, of float64
}

func (r *reuse) take(p *inspect.Prefix) {
	if p.Shared == nil {
		return
	}
	share, of, complete := wording.Reused(p)
	if !complete {
		r.breaks = append(r.breaks, p.Cycle)
	}
	r.of += float64(of)
	r.same += share * float64(of)
}

func (r *reuse) share() float64 {
	if r.of == 0 {
		return 1
	}
	return r.same / r.of
}

func (a *app) drawPrefixes(r *prefixReport) {
	head, align := []string{"cycle", "blocks", "bytes", "same", "in bytes", "", "first difference"}, "lrrrrrl"
	counted := r.Tokenizer != ""
	if counted {
		head, align = []string{"cycle", "blocks", "bytes", "tokens", "same", "in bytes", "", "in tokens", "first difference"},
			"lrrrrrrrl"
	}
	rows := make([][]string, len(r.Cycles))
	for i, c := range r.Cycles {
		row := []string{"@c" + strconv.FormatInt(c.Cycle, 10), strconv.Itoa(c.Blocks), strconv.FormatInt(c.Bytes, 10)}
		if counted {
			row = append(row, strconv.FormatInt(*c.Tokens, 10))
		}
		if p := c.Shared; p != nil {
			blocks, of, bytes := p.Blocks, p.OfBlocks, p.Bytes
			if c.Call != nil && c.Call.Shared != nil {
				blocks, of, bytes = c.Call.Shared.Blocks, c.Call.Shared.OfBlocks, c.Call.Shared.Bytes
			}
			share, _, complete := wording.Reused(&c)
			row = append(row, strconv.Itoa(blocks)+"/"+strconv.Itoa(of), strconv.FormatInt(bytes, 10), percent(share))
			if counted {
				row = append(row, strconv.FormatInt(*p.Tokens, 10))
			}
			if complete {
				row = append(row, a.paint.good("complete"))
			} else {
				row = append(row, wording.Cut(&c, a.paint.changed))
			}
		}
		rows[i] = row
	}
	a.table(head, rows, align)
	line := percent(r.Share) + " of what the threads repeat is the prefix of the thread before"
	if len(r.Breaks) == 0 {
		a.sentence(line + "; it never broke.")
	} else {
		a.sentence(line + "; it broke in " + plural(len(r.Breaks), "cycle") + ".")
	}
	a.drawSources(r)
	if counted {
		how := "counted"
		if strings.HasPrefix(r.Tokenizer, "approx:") {
			how = "approximated"
		}
		a.printf("Tokens are those of the contents, %s by %s.\n", how, r.Tokenizer)
	}
}
