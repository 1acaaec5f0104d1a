package ask

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/selector"
	"github.com/spf13/cobra"
)

// normalFlags ask select for the normal form of selectors.
type normalFlags struct{ form, strict bool }

func newNormalFlags(cmd *cobra.Command) *normalFlags {
	n := &normalFlags{}
	cmd.Flags().BoolVar(&n.form, "normal", false, "write selectors in their normal form, and find nothing")
	cmd.Flags().BoolVar(&n.strict, "strict", false, "with --normal: refuse what edition 1.0 reads and advises against")
	cmd.MarkFlagsMutuallyExclusive("normal", "file")
	return n
}

// write writes the normal form of selectors: of the arguments, else of the lines of standard input.
func (n *normalFlags) write(a *command.App, flags *command.SourceFlags) func(context.Context, *cobra.Command, []string) error {
	return func(ctx context.Context, cmd *cobra.Command, args []string) error {
		e, err := selector.ParseEdition(cmp.Or(flags.Edition, a.NewEdition()))
		if err != nil {
			return err
		}
		if len(args) == 0 && a.InTerminal {
			return command.Usage(cmd, "--normal takes a SELECTOR, or selectors on standard input")
		}
		texts := []string{}
		one := func(text string) error {
			q, err := selector.Parse(text, e)
			if err != nil {
				return err
			}
			if n.strict && len(q.Advice) > 0 {
				at := q.Advice[0]
				return fault.At(fault.SelectorLegacy, at.Offset, at.Token, "edition 1.0 advises against this form", at.Message)
			}
			warnAll(a, q.Remarks())
			texts = append(texts, q.String())
			if !a.JSON {
				a.PrintLine(q.String())
			}
			return ctx.Err()
		}
		if len(args) == 0 || len(args) == 1 && args[0] == "-" {
			err = eachLine(a, one)
		}
		for i := 0; i < len(args) && args[0] != "-" && err == nil; i++ {
			err = command.InArgument(one(args[i]), args[i])
		}
		if err != nil || !a.JSON {
			return err
		}
		return a.PrintJSON(texts)
	}
}

// eachLine hands on each line of standard input, and keeps empty ones.
func eachLine(a *command.App, one func(string) error) error {
	lines := bufio.NewScanner(a.In)
	lines.Buffer(nil, 2*selector.MaxLength)
	n := 1
	for ; lines.Scan(); n++ {
		line := lines.Text()
		if strings.TrimSpace(line) == "" {
			if !a.JSON {
				a.Printf("\n")
			}
			continue
		}
		if err := one(line); err != nil {
			at := *command.FactsOf(err)
			at.Line = n
			return &command.Located{Err: &at, Name: "standard input", Text: line}
		}
	}
	if lines.Err() != nil {
		long := fault.New(fault.Limit, "the line is too long", fmt.Sprintf("a selector has at most %d bytes", selector.MaxLength))
		long.Line = n
		return &command.Located{Err: long, Name: "standard input"}
	}
	return nil
}

// explain says how a selector is evaluated.
func explain(ctx context.Context, a *command.App, s *command.Source, q *selector.Selector, o pact.SelectOptions) error {
	warnAll(a, q.Remarks())
	defer func() { warnAll(a, view.MistypedTypes(q, someOf(ctx, s))) }()
	x, err := s.Explain(ctx, q, o)
	if err != nil {
		return command.InArgument(err, q.Source)
	}
	return a.Show(x, func() { drawExplanation(a, x) })
}

// drawExplanation prints a line for each step.
func drawExplanation(a *command.App, x *inspect.Explanation) {
	a.Printf("%s  %s\n", a.Paint.Strong(view.Visible(x.Selector)), a.Paint.Faint("edition "+x.Edition))
	var rows [][]string
	for i, g := range x.Groups {
		for n, s := range g.Steps {
			name := ""
			if n == 0 && len(x.Groups) > 1 {
				name = fmt.Sprint("group ", i+1)
			}
			rows = append(rows, screen.Cells(name, s.Text, s.Reach, strings.Join(s.Skips, ", ")))
		}
	}
	a.Aligned(append([][]string{{"", "step", "reached by", "ruled out by"}}, rows...), "llll")
	order := x.Order
	if x.Choice != "" {
		order += ", " + x.Choice + " of it"
	}
	if len(x.Window) > 0 {
		order += ", then " + strings.Join(x.Window, " ")
	}
	a.Printf("%s %s\n", a.Paint.Faint("order:"), order)
	looked := "%s of %s in %s looked at, %s, %s returned\n"
	if x.Visited > x.Nodes { // a list looks once for each fragment
		looked = "%s looks at %s in %s, %s, %s returned\n"
	}
	a.Printf(looked, fmt.Sprint(x.Visited), view.Plural(x.Nodes, "node"), view.Plural(x.Snapshots, "snapshot"),
		fmt.Sprint(x.Skipped)+" ruled out", view.Plural(x.Returned, "node"))
}
