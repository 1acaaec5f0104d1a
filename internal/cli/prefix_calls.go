package cli

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/record"
	"github.com/spf13/cobra"
)

// callFlags are the flags of pact prefix for recorded calls.
type callFlags struct {
	dialect, file *string
	provider      *bool
	prices        *record.Prices // nil without a file
}

func (a *app) callFlags(cmd *cobra.Command) *callFlags {
	f := &callFlags{}
	names, _ := record.Dialects()
	f.dialect = cmd.Flags().String("dialect", "", "compare recorded calls by what `PROVIDER` caches: "+
		strings.Join(names, ", "))
	f.provider = cmd.Flags().Bool("provider", false, "show what the provider said of its cache")
	f.file = cmd.Flags().String("prices", "", "with --provider: show what calls cost, by the list of prices in `FILE`")
	_ = cmd.RegisterFlagCompletionFunc("dialect", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	return f
}

// read reports on the recorded calls of a context, by cycle; nil if it has
// none.
func (f *callFlags) read(ctx context.Context, a *app, c *pact.Context) (map[int64]*inspect.CallPrefix, error) {
	if *f.file != "" {
		in, err := a.read(ctx, *f.file)
		if err != nil {
			return nil, err
		}
		if f.prices, err = record.ReadPrices(in.data); err != nil {
			return nil, inFile(err, in.name, in.data)
		}
	}
	calls := map[int64]*inspect.CallPrefix{}
	if !record.Recorded(c.Working()) && *f.dialect == "" {
		return calls, nil
	}
	var before *inspect.CallPrefix
	for p, err := range record.Prefixes(ctx, c, *f.dialect) {
		if err != nil {
			return nil, err
		}
		if f.prices != nil {
			p.Cost = f.prices.Cost(before, &p)
		}
		if p.Provider != nil {
			before = &p
		}
		calls[p.Cycle] = &p
	}
	return calls, nil
}

// tell adds a call to the counts of the report.
func (r *prefixReport) tell(call *inspect.CallPrefix) {
	if call == nil {
		return
	}
	_, sources := record.Dialects()
	if list := sources[call.Dialect]; len(list) > 0 {
		if r.Sources == nil {
			r.Sources = map[string][]string{}
		}
		r.Sources[call.Dialect] = list
	}
	switch call.Agreement {
	case "", "not told":
	case "agrees":
		r.Agreed++
		r.Told++
	default:
		r.Told++
	}
}

// drawSources names the rules by which calls were compared, and explains
// exceptions.
func (a *app) drawSources(r *prefixReport) {
	dialects, attribution := map[string]bool{}, 0
	for i := range r.Cycles {
		if call := r.Cycles[i].Call; call != nil {
			dialects[call.Dialect] = true
			if call.Attribution {
				attribution++
			}
		}
	}
	if names := slices.Sorted(maps.Keys(dialects)); len(names) > 0 {
		a.printf("Compared by the rules of %s.\n", strings.Join(names, ", "))
	}
	if attribution > 0 {
		a.printf("The attribution block changed in %s: Anthropic takes it out before it caches,\n"+
			"other servers of this API do not, and read nothing behind it.\n", plural(attribution, "cycle"))
	}
	for i := range r.Cycles {
		if call := r.Cycles[i].Call; call != nil {
			a.drawSeen(call)
		}
	}
}

// drawSeen says where the model saw something other than the snapshot.
func (a *app) drawSeen(call *inspect.CallPrefix) {
	cycle := "@c" + strconv.FormatInt(call.Cycle, 10)
	if call.Problem != "" {
		a.printf("%s cannot be compared: %s\n", cycle, visible(call.Problem))
		return
	}
	if text := seenText(&call.Seen); text != "" {
		a.printf("%s is %s: %s\n", cycle, call.Seen.State, text)
	}
}

// seenText says what the model saw besides or instead of the request, "" if
// nothing.
func seenText(s *inspect.Seen) string {
	var parts []string
	for _, r := range s.References {
		text := r.Field + " " + visible(r.ID)
		if r.Cycle > 0 {
			text += " is the answer to @c" + strconv.FormatInt(r.Cycle, 10)
		} else {
			text += " was not recorded"
		}
		parts = append(parts, text)
	}
	if len(s.Changed) > 0 {
		parts = append(parts, "the provider named "+plural(len(s.Changed), "change"))
	}
	if len(s.Asked) > 0 && s.State == inspect.SeenPartial {
		parts = append(parts, strings.Join(cells(s.Asked...), ", ")+" lets the provider change it")
	}
	return strings.Join(parts, "; ")
}
