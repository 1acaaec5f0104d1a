package follow

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/prices"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/internal/view/story"
	"github.com/contexttree/pact/record"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// prefixFlags ask log how much of each thread the next one repeats; each of them does.
type prefixFlags struct {
	breaks, provider *bool
	dialect, file    *string
	prices           *record.Prices // the built-in ones without a file
	names            []string
}

func newPrefixFlags(a *command.App, cmd *cobra.Command, source *command.SourceFlags) *prefixFlags {
	before := map[string]bool{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) { before[f.Name] = true })
	cmd.Flags().Bool("prefix", false, "say how much of each thread the next one repeats from the beginning")
	rules := provider.CacheRulesNames()
	p := &prefixFlags{
		breaks:   cmd.Flags().Bool("breaks", false, "as --prefix, and list only the cycles at which something broke"),
		dialect:  cmd.Flags().String("dialect", "", "with --prefix: compare recorded calls by what `PROVIDER` caches: "+strings.Join(rules, ", ")),
		provider: cmd.Flags().Bool("provider", false, "as --prefix, and show what the provider said of its cache"),
		file:     cmd.Flags().String("prices", "", "with --prefix: take the list of prices in `FILE` in place of the built-in one"),
	}
	source.TokenFlags(cmd)
	command.OneOf(cmd, "dialect", rules)
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
	if p.prices = prices.BuiltIn(); *p.file != "" {
		if p.prices, err = a.Prices(ctx, *p.file); err != nil {
			return err
		}
	}
	m := a.Meter("comparing")
	r, err := story.Prefixes(ctx, c, from, to, view.WalkOptions{Dialect: *p.dialect, Prices: p.prices}, m.At)
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
		if !drawProvider(a, r, *p.breaks) {
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
	line := "Paid " + view.Money(*t.Paid) + " " + view.Visible(prices.Currency) + ", of that " + view.Money(t.BreakCost) +
		" because less was read than had been left; counted by the provider, prices of " + view.Visible(prices.AsOf) + "."
	if t.Priced < t.Calls {
		line += " That leaves out " + view.Plural(t.Calls-t.Priced, "call") + " whose tokens or prices are not all known."
	}
	a.Sentence(line)
}

// drawSources names the rules by which calls were compared, and explains
// exceptions.
func drawSources(a *command.App, r *story.PrefixReport) {
	dialects, attribution := map[string]bool{}, 0
	for i := range r.Cycles {
		if call := r.Cycles[i].Call; call != nil && call.Dialect != "" {
			dialects[call.Dialect] = true
			if call.Attribution {
				attribution++
			}
		}
	}
	if names := slices.Sorted(maps.Keys(dialects)); len(names) > 0 {
		a.Printf("Compared by the rules of %s.\n", strings.Join(names, ", "))
	}
	if attribution > 0 {
		a.Printf("The attribution block changed in %s: Anthropic takes it out before it caches,\n"+
			"other servers of this API do not, and read nothing behind it.\n", view.Plural(attribution, "cycle"))
	}
	for i := range r.Cycles {
		if call := r.Cycles[i].Call; call != nil {
			drawSeen(a, call)
		}
	}
}

// drawSeen says where the model saw something other than the snapshot.
func drawSeen(a *command.App, call *inspect.CallPrefix) {
	cycle := view.Cycle(call.Cycle)
	if call.Problem != "" {
		a.Printf("%s cannot be compared: %s\n", cycle, view.Visible(call.Problem))
		return
	}
	if text := seenText(&call.Seen); text != "" {
		a.Printf("%s is %s: %s\n", cycle, call.Seen.State, text)
	}
}

// seenText says what the model saw besides or instead of the request, "" if
// nothing.
func seenText(s *inspect.Seen) string {
	var parts []string
	for _, r := range s.References {
		text := r.Field + " " + view.Visible(r.ID)
		if r.Cycle > 0 {
			text += " is the answer to @c" + strconv.FormatInt(r.Cycle, 10)
		} else {
			text += " was not recorded"
		}
		parts = append(parts, text)
	}
	if len(s.Changed) > 0 {
		parts = append(parts, "the provider named "+view.Plural(len(s.Changed), "change"))
	}
	if len(s.Asked) > 0 && s.State == inspect.SeenPartial {
		parts = append(parts, strings.Join(screen.Cells(s.Asked...), ", ")+" lets the provider change it")
	}
	return strings.Join(parts, "; ")
}

// drawProvider prints for each call what the provider reported, beside the
// forecast, or only of calls that broke. It reports whether there is one.
func drawProvider(a *command.App, r *story.PrefixReport, breaks bool) bool {
	var rows [][]string
	for i := range r.Cycles {
		c := r.Cycles[i]
		call := c.Call
		if call == nil {
			continue
		}
		expected, read, in, written, full := "", "", "", (*int64)(nil), ""
		if e := call.Expected; e != nil && e.Blocks == 0 {
			expected = "0"
		} else if e != nil {
			expected = cmp.Or(numberOr(e.Tokens), "?") // nobody counted them
		}
		if u := call.Provider; u != nil {
			read, written, in, full = cmp.Or(numberOr(u.Read), "?"), u.Written, cmp.Or(numberOr(u.In), "?"), filledBy(call)
		}
		paid, lost := "", ""
		if of := call.Cost; of != nil {
			paid, lost = view.Money(of.Paid), cost(of.BreakCost)
		}
		rows = append(rows, screen.Row(view.Cycle(c.Cycle), expected, call.Left, read, written, in, full, paid, lost,
			screen.Painted(whyText(a, c))))
	}
	if len(rows) == 0 {
		a.Printf("no %s\n", map[bool]string{true: "recorded call of this context broke", false: "call of this context was recorded"}[breaks])
		return false
	}
	a.Table([]string{"cycle", ">expected", ">left", ">read", ">written", ">in", ">window", ">paid", ">lost", "why"}, rows)
	return true
}

// filledBy returns how much of the window of the model a recorded call took, "" if that is not known.
func filledBy(call *inspect.CallPrefix) string {
	if call.Window == 0 || call.Provider == nil || call.Provider.In == nil {
		return ""
	}
	return view.Percent(float64(*call.Provider.In) / float64(call.Window))
}

// whyText says why the provider read no more: what broke, what else ended the prefix or that its lifetime may have run
// out, and the provider's own reason.
func whyText(a *command.App, p *view.Step) string {
	var parts []string
	call := p.Call
	switch {
	case p.Broke != nil:
		parts = append(parts, p.Broke.Why+" ("+string(p.Broke.Known)+")")
	case call.Cut != nil:
		parts = append(parts, a.Paint.Changed(view.Why(&p.Prefix)))
	}
	if call.Broken > 0 {
		parts = append(parts, view.Plural(call.Broken, "attempt")+" before broke off")
	}
	if e, u := call.Expected, call.Provider; e != nil && u != nil && u.In != nil && *u.In < e.LeastTokens {
		parts = append(parts, "cached from "+strconv.FormatInt(e.LeastTokens, 10)+" tokens on")
	}
	if call.Provider != nil && call.Provider.Reason != "" && (call.CacheBreak == nil || call.CacheBreak.Cause.Kind != "reason") {
		parts = append(parts, "provider: "+view.Visible(call.Provider.Reason))
	}
	return strings.Join(parts, "; ")
}
