package trace

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/prices"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/internal/view/story"
	"github.com/contexttree/pact/record"
)

// callFlags are the flags of pact log --prefix for recorded calls.
type callFlags struct {
	dialect, file *string
	provider      *bool
	prices        *record.Prices // the built-in ones without a file
}

func newCallFlags(a *command.App, cmd *cobra.Command) *callFlags {
	f := &callFlags{}
	names := provider.CacheRulesNames()
	f.dialect = cmd.Flags().String("dialect", "", "with --prefix: compare recorded calls by what `PROVIDER` caches: "+
		strings.Join(names, ", "))
	f.provider = cmd.Flags().Bool("provider", false, "as --prefix, and show what the provider said of its cache")
	f.file = cmd.Flags().String("prices", "", "with --prefix: take the list of prices in `FILE` in place of the built-in one")
	command.OneOf(cmd, "dialect", names)
	return f
}

// read reads the list of prices.
func (f *callFlags) read(ctx context.Context, a *command.App) (o view.WalkOptions, err error) {
	if f.prices = prices.BuiltIn(); *f.file != "" {
		if f.prices, err = a.Prices(ctx, *f.file); err != nil {
			return o, err
		}
	}
	return view.WalkOptions{Dialect: *f.dialect, Prices: f.prices}, nil
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
