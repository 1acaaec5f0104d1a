package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/spf13/cobra"
)

// prefixReport is the answer of pact prefix --json.
type prefixReport struct {
	Cycles []inspect.Prefix `json:"cycles"`
	// where tokens were counted; an approximation begins with approx:
	Tokenizer string  `json:"tokenizer,omitempty"`
	Share     float64 `json:"share"`  // of what the threads repeat, weighed by their bytes
	Breaks    []int64 `json:"breaks"` // the cycles that did not repeat all of the one before
}

func (a *app) prefixCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prefix NAME [A [B]] | prefix --file FILE [A [B]]",
		Short: "Say how much of each thread the next one repeats",
		Long: `Print for each cycle, from A to B or of the whole context, how many blocks and bytes
its thread has, and how much of the thread before it repeats from the beginning, in
whole blocks. Providers cache by that prefix, byte for byte. If it does not repeat all
of it, the first node that differs is named with the reason: it expired, was pruned,
edited or moved, or another was inserted before it.

Nothing is rendered: the tree keeps the sizes as sums. --tokens adds the tokens of the
contents; providers add a few for each message. The tokenizer is an encoding,
o200k_base or cl100k_base, or the name of a model. Makers other than OpenAI publish no
encoding, so for their models the numbers are approximations, and the answer says so.
approx:bytes/4 is a rule of thumb.`,
		Example: `  pact prefix chat
  pact prefix chat @c10 @c20
  pact prefix chat --tokens
  pact prefix chat --tokenizer claude-sonnet-4
  pact prefix chat --json | jq .breaks
  pact prefix --file run.traj`,
	}
	flags := a.sourceFlags(cmd)
	flags.tokenFlags(cmd)
	cmd.RunE = a.asks(flags, []string{"[A]", "[B]"}, func(ctx context.Context, s *source, rest []string) error {
		c, err := s.history(ctx)
		if err != nil {
			return err
		}
		from, to, err := span(c, rest)
		if err != nil {
			return err
		}
		r, err := a.prefixes(ctx, c, from, to)
		if err != nil {
			return err
		}
		if s.counter != nil {
			r.Tokenizer = s.counter.Name()
		}
		if a.json {
			return a.printJSON(r)
		}
		a.drawPrefixes(r)
		return nil
	})
	return cmd
}

// span reads the ends of a run of snapshots; without words it is all of them.
func span(c *pact.Context, words []string) (from, to pact.Address, err error) {
	first, last := c.Cycles()
	if last < first {
		return from, to, fault.New(fault.SnapshotNotFound, "there is no snapshot yet", "pact commit makes one")
	}
	from, to = pact.Cycle(first), pact.Cycle(last)
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

func (a *app) prefixes(ctx context.Context, c *pact.Context, from, to pact.Address) (*prefixReport, error) {
	r := &prefixReport{Cycles: []inspect.Prefix{}, Breaks: []int64{}}
	first, last := c.Cycles()
	m := a.meter("comparing")
	defer m.end()
	tally := reuse{}
	for p, err := range c.Prefixes(ctx, from, to) {
		if err != nil {
			return nil, err
		}
		r.Cycles = append(r.Cycles, p)
		tally.take(p.Cycle, p.Shared)
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

func (r *reuse) take(cycle int64, p *inspect.SharedPrefix) {
	if p == nil {
		return
	}
	if !p.Complete {
		r.breaks = append(r.breaks, cycle)
	}
	r.of += float64(p.OfBytes)
	r.same += p.Share() * float64(p.OfBytes)
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
			row = append(row, strconv.Itoa(p.Blocks)+"/"+strconv.Itoa(p.OfBlocks), strconv.FormatInt(p.Bytes, 10),
				percent(p.Share()))
			if counted {
				row = append(row, strconv.FormatInt(*p.Tokens, 10))
			}
			if c.Break == nil {
				row = append(row, a.paint.good("complete"))
			} else {
				row = append(row, a.paint.changed(visible(c.Break.Node))+" "+breakText(c.Break))
			}
		}
		rows[i] = row
	}
	a.table(head, rows, align)
	line := percent(r.Share) + " of what the threads repeat is the prefix of the thread before"
	if len(r.Breaks) == 0 {
		a.printf("%s; it never broke.\n", line)
	} else {
		a.printf("%s; it broke in %s.\n", line, plural(len(r.Breaks), "cycle"))
	}
	if counted {
		how := "counted"
		if strings.HasPrefix(r.Tokenizer, "approx:") {
			how = "approximated"
		}
		a.printf("Tokens are those of the contents, %s by %s.\n", how, r.Tokenizer)
	}
}

// breakText says what ended a prefix, and who was behind it.
func breakText(b *inspect.Break) string {
	edited := "edited"
	if b.New == nil {
		edited = "removed"
	}
	return deedText(b.Cause, edited) + byText(b.Cause.Author)
}
