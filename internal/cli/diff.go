package cli

import (
	"context"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/spf13/cobra"
)

func (a *app) diffCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff NAME A B [SELECTOR] | diff --file FILE A B [SELECTOR]",
		Short: "Compare two snapshots",
		Long: `Print the changes that lead from snapshot A to snapshot B, node by node and by id.
With a selector only the nodes that it finds on each side are compared.

On a terminal a stored context is answered with a drawing. Otherwise, and with --file
or --json, the answer is the object {"added","removed","changed"} on one line.

--rich tells more: why each node differs, both values of every header, how contents
changed, what probably moved or was replaced, and the bytes of every node in both
threads. It is drawn, with contents side by side if the terminal has 120 columns; with
--json it is one object.`,
		Example: `  pact diff chat @t-1 @t0
  pact diff chat @c3 @c9 --rich
  pact diff chat @c3 working '^sys .block'
  pact diff --file history.jsonl @c1 @c5`,
	}
	flags := a.sourceFlags(cmd)
	rich := a.richFlags(cmd)
	cmd.RunE = a.asks(flags, []string{"A", "B", "[SELECTOR]"}, func(ctx context.Context, s *source, rest []string) error {
		if err := rich.check(cmd); err != nil {
			return err
		}
		from, err := s.argument(ctx, rest[:1])
		if err != nil {
			return err
		}
		to, err := s.argument(ctx, rest[1:2])
		if err != nil {
			return err
		}
		var o pact.DiffOptions
		if len(rest) == 3 {
			q, err := s.parse(rest[2], flags.edition)
			if err != nil {
				return err
			}
			o = pact.DiffOptions{Edition: q.Edition, Select: rest[2]}
		}
		if rich.on {
			err := a.richDiff(ctx, s, rich, rest, from, to, o)
			if err != nil && len(rest) == 3 {
				return inArgument(err, rest[2])
			}
			return err
		}
		result, err := pact.Diff(ctx, from, to, &o)
		if err != nil && len(rest) == 3 {
			return inArgument(err, rest[2])
		}
		if err != nil {
			return err
		}
		if !a.outTerminal || a.json || flags.file != "" {
			return a.printJSON(result)
		}
		return a.drawDiff(ctx, result, from, to)
	})
	return cmd
}

// drawDiff prints a line for each node that differs.
func (a *app) drawDiff(ctx context.Context, r *diff.Result, from, to *pact.Snapshot) error {
	one := func(sign, id string, in *pact.Snapshot, fields []string) error {
		line := id
		if n := in.Tree().Node(id); n != nil {
			var err error
			if line, err = a.nodeLine(ctx, n, in); err != nil {
				return err
			}
		}
		if fields != nil {
			line += "  " + a.paint.changed(strings.Join(fields, ", "))
		}
		a.printf("%s %s\n", sign, line)
		return nil
	}
	for _, id := range r.Removed {
		if err := one(a.paint.bad("-"), id, from, nil); err != nil {
			return err
		}
	}
	for _, id := range r.Added {
		if err := one(a.paint.good("+"), id, to, nil); err != nil {
			return err
		}
	}
	for _, c := range r.Changed {
		if err := one(a.paint.changed("~"), c.ID, to, c.Fields); err != nil {
			return err
		}
	}
	if r.Empty() {
		a.printf("nothing differs\n")
		return nil
	}
	a.printf("%s\n", a.paint.faint(plural(len(r.Added), "node")+" added, "+plural(len(r.Removed), "node")+" removed, "+
		plural(len(r.Changed), "node")+" changed"))
	return nil
}
