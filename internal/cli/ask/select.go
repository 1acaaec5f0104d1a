package ask

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/internal/view/story"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/tokens"
	"github.com/spf13/cobra"
)

func selectCommand(a *command.App) *cobra.Command {
	cmd := a.Command("select")
	flags := a.SourceFlags(cmd)
	w := windowFlags{}
	w.registerWindows(cmd)
	w.registerRange(cmd)
	flags.TokenFlags(cmd)
	sorted := cmd.Flags().String("sort", "", "sort by a `FACT`, with :asc or :desc behind it: "+
		strings.Join(sortNames, ", "))
	partners := cmd.Flags().Bool("partners", false, "add to each call its results, to each result its calls")
	command.CompleteFlag(cmd, "sort", sortNames)
	explains := cmd.Flags().Bool("explain", false, "say how the selector is evaluated, and find nothing")
	normal := newNormalFlags(cmd)
	for _, flag := range []string{"sort", "partners", "ids", "normal"} {
		cmd.MarkFlagsMutuallyExclusive("explain", flag)
	}
	asks := a.Asks(flags, func(ctx context.Context, s *command.Source, rest []string) error {
		q, err := s.Parse(ctx, rest[0])
		if err != nil {
			return pointToGrep(a, s, rest[0], err)
		}
		o, ranged, err := w.options(cmd, s, q)
		if err != nil {
			return err
		}
		if *explains {
			return explain(ctx, a, s, q, o)
		}
		if !ranged { // else the changes have them
			warnAll(a, q.Warnings())
		}
		order, err := parseOrder(cmd, *sorted)
		if err != nil {
			return err
		}
		if err := countFor(s, q, order); err != nil {
			return err
		}
		find := someOf(ctx, s)
		defer func() { warnAll(a, append(view.MistypedAttributes(q, find), view.MistypedTypes(q, find)...)) }()
		if ranged {
			if order != nil || *partners {
				return command.Usage(cmd, "--sort and --partners apply to ids, and a range of snapshots gives changes")
			}
			return selectRange(ctx, a, cmd, s, q, &w)
		}
		if order != nil { // the windows apply to the sorted list
			o.Skip, o.Limit = 0, 0
		}
		hits, err := s.Find(ctx, q, o)
		if err != nil {
			return command.InArgument(err, q.Source)
		}
		if len(hits) == 0 && o.Skip == 0 {
			defer func() { warnAll(a, view.MistypedValues(ctx, q, find)) }()
			defer warnOfWords(a, s, q)
		}
		if cmd.Flags().Changed("limit") && w.limit == 0 {
			hits = nil
		}
		if *partners {
			if hits, err = story.WithPartners(hits); err != nil {
				return err
			}
		}
		if a.Form == "" && a.OutTerminal && (order != nil || flags.File == "") {
			if len(hits) == 0 {
				a.FoundNothing("no node matches")
				return nil
			}
			a.Form = "table"
		}
		return printHits(ctx, a, s, hits, order, &w)
	})
	normalizes, takes := a.Does(normal.write(a, flags)), cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if normal.form {
			return nil
		}
		return takes(cmd, args)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if normal.form {
			return normalizes(cmd, args)
		}
		return asks(cmd, args)
	}
	return cmd
}

// countFor sets a counter of tokens if the selector or the order needs one and
// no flag names one.
func countFor(s *command.Source, q *selector.Selector, order *nodeOrder) (err error) {
	if s.Counter == nil && (order != nil && order.by == "tokens" || comparesOneOf(q, "tokens")) {
		s.Counter, err = tokens.Named(command.DefaultTokenizer)
	}
	return err
}

// printHits prints found nodes sorted, within the windows of the flags.
func printHits(ctx context.Context, a *command.App, s *command.Source, hits []pact.Hit, order *nodeOrder, w *windowFlags) error {
	ids := a.Form == "" || a.Form == "json"
	if ids && order == nil {
		return printIDs(a, hits, func(h pact.Hit) string { return h.Node.ID })
	}
	newest, tail := int64(math.MaxInt64), record.NoTail
	if s.Context != nil {
		newest = s.Context.Info().Cycle
		var err error
		if tail, err = record.TailOf(ctx, s.Context); err != nil {
			return err
		}
	}
	list := make([]story.Facts, len(hits))
	for i, h := range hits {
		var counter tree.Counter
		if s.Counter != nil {
			counter = s.Counter
		}
		var err error
		if list[i], err = story.FactsOf(ctx, h, counter, newest); err != nil {
			return err
		}
		if list[i].First > newest {
			list[i].State = string(tail)
		}
	}
	if order != nil {
		order.sort(list)
		list = list[min(w.skip, len(list)):]
		if w.limit > 0 {
			list = list[:min(w.limit, len(list))]
		}
	}
	if ids {
		return printIDs(a, list, func(f story.Facts) string { return f.ID })
	}
	return printFacts(a, list)
}

// printIDs prints ids as JSON.
func printIDs[T any](a *command.App, list []T, idOf func(T) string) error {
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = idOf(list[i])
	}
	return a.PrintJSON(ids)
}

// nodeOrder is an order that --sort asks for.
type nodeOrder struct {
	by      string
	falling bool
}

// sortNames lists the facts that --sort knows, as the help shows them.
var sortNames = []string{"bytes", "tokens", "calls", "first", "last", "tool", "role", "kind", "id"}

// parseOrder reads the value of --sort: a fact, with :asc or :desc behind it.
func parseOrder(cmd *cobra.Command, text string) (*nodeOrder, error) {
	if text == "" {
		return nil, nil
	}
	by, direction, _ := strings.Cut(text, ":")
	if story.Orders[by] == nil || direction != "" && direction != "asc" && direction != "desc" {
		return nil, command.Usage(cmd, "--sort %s is not known: it is one of %s, with :asc or :desc behind it", text,
			strings.Join(sortNames, ", "))
	}
	return &nodeOrder{by, direction == "desc"}, nil
}

// sort sorts facts and keeps the order of equal ones.
func (o *nodeOrder) sort(list []story.Facts) {
	slices.SortStableFunc(list, func(a, b story.Facts) int {
		c := story.Orders[o.by](&a, &b)
		if o.falling {
			return -c
		}
		return c
	})
}

// printFacts prints what select found, in the form that --output asks for.
func printFacts(a *command.App, list []story.Facts) error {
	switch a.Form {
	case "id":
		for _, f := range list {
			a.Printf("%s\n", view.Visible(f.ID))
		}
		return nil
	case "jsonl":
		return a.PrintJSON(list)
	}
	rows := make([][]string, len(list))
	for i, f := range list {
		state, partners := record.Tail(f.State).InWords(f.Role), ""
		if f.Failed {
			state = a.Paint.Bad("failed")
		}
		if a.Form == "wide" {
			partners = strings.Join(f.Partners, " ")
		}
		rows[i] = screen.Row(f.ID, f.Role, f.Kind, f.Tool, f.Bytes, f.Tokens, f.Calls, screen.Painted(state), partners, screen.Painted(f.Begins))
	}
	a.Table([]string{"id", "role", "kind", "tool", ">bytes", ">tokens", ">calls", "", "with", "begins"}, rows)
	return nil
}
