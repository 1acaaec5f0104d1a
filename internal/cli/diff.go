package cli

import (
	"context"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/tree"
	"github.com/spf13/cobra"
)

func (a *app) diffCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff {NAME A B | NAME@A NAME@B | --file FILE A B} [SELECTOR]",
		Short: "Compare two snapshots",
		Long: `Print the changes that lead from snapshot A to snapshot B, node by node and by id.
With a selector only the nodes that it finds on each side are compared. The snapshots
may be of two contexts, such as a fork and its origin: NAME@A NAME@B.

On a terminal a stored context is answered with a drawing of the blocks that differ;
--structure draws turns, groups and regions too. Otherwise, and with --file or --json,
the answer is the object {"added","removed","changed"} on one line, always with all
nodes. --output table prints a line for each block.

--rich tells more: why each node differs, both values of every header, how contents
changed, what probably moved or was replaced, and the bytes of every node in both
threads. It is drawn, with contents side by side if the terminal has 120 columns; with
--json it is one object.`,
		Example: `  pact diff chat @t-1 @t0
  pact diff chat @c3 @c9 --rich
  pact diff chat @c3 working '^sys .block'
  pact diff chat@t0 'chat, another answer@t0'
  pact diff --file history.jsonl @c1 @c5`,
	}
	flags := a.sourceFlags(cmd)
	rich := a.richFlags(cmd)
	structure := cmd.Flags().Bool("structure", false, "draw turns, groups and regions too")
	compare := func(ctx context.Context, s *source, rest []string, from, to *pact.Snapshot) error {
		var o pact.DiffOptions
		if len(rest) == 3 {
			q, err := s.parse(rest[2], flags.edition)
			if err != nil {
				return err
			}
			o = pact.DiffOptions{Edition: q.Edition, Select: rest[2]}
		}
		if rich.on {
			rich.structure = *structure || len(rest) == 3 || !a.outTerminal
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
		if a.json || a.form == "" && (!a.outTerminal || flags.file != "") {
			return a.printJSON(result)
		}
		return a.drawDiff(ctx, result, from, to, *structure)
	}
	one := a.asks(flags, []string{"A", "B", "[SELECTOR]"}, func(ctx context.Context, s *source, rest []string) error {
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
		return compare(ctx, s, rest, from, to)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if ends := endsOf(args); flags.file == "" && ends != nil {
			return a.does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
				if rich.on {
					return usage(cmd, "--rich compares snapshots of one context")
				}
				return a.diffAcross(ctx, cmd, flags, ends, args, compare)
			})(cmd, args)
		}
		return one(cmd, args)
	}
	return cmd
}

// end is a snapshot with the name of its context.
type end struct{ name, address string }

// endsOf returns the two ends of NAME@A NAME@B [SELECTOR], nil if the arguments
// have another form.
func endsOf(args []string) []end {
	if len(args) < 2 || len(args) > 3 {
		return nil
	}
	var ends []end
	for _, arg := range args[:2] {
		i := strings.LastIndexByte(arg, '@')
		if i < 1 {
			return nil
		}
		address := arg[i:]
		if address == "@working" {
			address = "working"
		}
		ends = append(ends, end{arg[:i], address})
	}
	return ends
}

// diffAcross compares snapshots of two contexts of the store.
func (a *app) diffAcross(ctx context.Context, cmd *cobra.Command, flags *sourceFlags, ends []end, args []string,
	compare func(context.Context, *source, []string, *pact.Snapshot, *pact.Snapshot) error) error {
	var sides []*pact.Snapshot
	var newer *source
	for _, e := range ends {
		s, _, err := a.source(ctx, cmd, flags, []string{e.name})
		if err != nil {
			return err
		}
		defer s.close()
		side, err := s.argument(ctx, []string{e.address})
		if err != nil {
			return err
		}
		sides, newer = append(sides, side), s
	}
	return compare(ctx, newer, args, sides[0], sides[1])
}

// drawDiff prints a line for each block that differs, with structure for each
// node.
func (a *app) drawDiff(ctx context.Context, r *diff.Result, from, to *pact.Snapshot, structure bool) error {
	if r.Empty() {
		a.printf("nothing differs\n")
		return nil
	}
	hidden := 0
	if !structure {
		all := len(r.Removed) + len(r.Added) + len(r.Changed)
		r = blocksOf(r, from.Tree(), to.Tree())
		hidden = all - len(r.Removed) - len(r.Added) - len(r.Changed)
	}
	one := func(sign, id string, in *pact.Snapshot, fields []string) error {
		line := id
		if n := in.Tree().Node(id); n != nil {
			var err error
			if line, err = a.nodeLine(ctx, n, in); err != nil {
				return err
			}
		}
		rest := ""
		if fields != nil {
			rest = "  " + a.paint.changed(strings.Join(fields, ", "))
		}
		a.printf("%s\n", a.clipBefore(sign+" "+line, rest))
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
	what := "node"
	if !structure {
		what = "block"
	}
	line := plural(len(r.Added), what) + " added, " + plural(len(r.Removed), what) + " removed, " +
		plural(len(r.Changed), what) + " changed"
	if hidden > 0 {
		line += "; " + plural(hidden, "other node") + " with --structure"
	}
	a.sentence(line)
	return nil
}

// blocksOf returns the part of a diff that is about blocks.
func blocksOf(r *diff.Result, from, to *tree.Tree) *diff.Result {
	blocks := &diff.Result{}
	for _, id := range r.Removed {
		if isBlock(from, id) {
			blocks.Removed = append(blocks.Removed, id)
		}
	}
	for _, id := range r.Added {
		if isBlock(to, id) {
			blocks.Added = append(blocks.Added, id)
		}
	}
	for _, c := range r.Changed {
		if isBlock(to, c.ID) {
			blocks.Changed = append(blocks.Changed, c)
		}
	}
	return blocks
}

func isBlock(t *tree.Tree, id string) bool {
	e := t.Entry(id)
	return e != nil && e.Class() == tree.Block
}
