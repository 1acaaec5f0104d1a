package ask

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/cli/command"
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
		if len(args) == 0 || len(args) == 1 && args[0] == "-" {
			return normalLines(ctx, a, e, n.strict)
		}
		texts := make([]string, len(args))
		for i, arg := range args {
			q, err := selector.Parse(arg, e)
			if err != nil {
				return command.InArgument(err, arg)
			}
			if err := remark(a, q, n.strict); err != nil {
				return command.InArgument(err, arg)
			}
			texts[i] = q.String()
		}
		if a.JSON {
			return a.PrintJSON(texts)
		}
		for _, text := range texts {
			a.PrintLine(text)
		}
		return nil
	}
}

// remark warns of what edition 1.0 advises against in a selector; strict refuses it.
func remark(a *command.App, q *selector.Selector, strict bool) error {
	if strict && len(q.Advice) > 0 {
		at := q.Advice[0]
		return fault.At(fault.SelectorLegacy, at.Offset, at.Token, "edition 1.0 advises against this form", at.Message)
	}
	warnAll(a, q.Remarks())
	return nil
}

// normalLines formats each line of standard input as a selector. It keeps empty
// lines.
func normalLines(ctx context.Context, a *command.App, e selector.Edition, strict bool) error {
	lines := bufio.NewScanner(a.In)
	lines.Buffer(nil, 2*selector.MaxLength)
	texts := []string{}
	n := 0
	for lines.Scan() {
		n++
		line := lines.Text()
		if strings.TrimSpace(line) == "" {
			if !a.JSON {
				a.Printf("\n")
			}
			continue
		}
		q, err := selector.Parse(line, e)
		if err == nil {
			err = remark(a, q, strict)
		}
		if f := command.FactsOf(err); err != nil {
			at := *f
			at.Line = n
			return &command.Located{Err: &at, Name: "standard input", Text: line}
		}
		if !a.JSON {
			a.PrintLine(q.String())
		}
		texts = append(texts, q.String())
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		long := fault.New(fault.Limit, "the line is too long", fmt.Sprintf("a selector has at most %d bytes",
			selector.MaxLength))
		long.Line = n + 1
		return &command.Located{Err: long, Name: "standard input"}
	}
	if a.JSON {
		return a.PrintJSON(texts)
	}
	return nil
}
