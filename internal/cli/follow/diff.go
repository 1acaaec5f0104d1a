package follow

import (
	"context"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/spf13/cobra"
)

func diffCommand(a *command.App) *cobra.Command {
	cmd := a.Command("diff")
	flags := a.SourceFlags(cmd)
	rich := newRichFlags(cmd)
	structure := cmd.Flags().Bool("structure", false, "draw turns, groups and regions too")
	compare := func(ctx context.Context, s *command.Source, rest []string, from, to *pact.Snapshot) error {
		var o pact.DiffOptions
		if len(rest) == 3 {
			q, err := s.Parse(ctx, rest[2])
			if err != nil {
				return err
			}
			o.Select, o.Edition = q.Source, q.Edition
		}
		placed := func(err error) error {
			if len(rest) == 3 {
				return command.InArgument(err, rest[2])
			}
			return err
		}
		if rich.on {
			rich.structure = *structure || len(rest) == 3 || !a.OutTerminal
			lines, err := rich.contents.Lines(cmd)
			if err == nil {
				err = richDiff(ctx, a, s, rich, lines, rest, from, to, o)
			}
			return placed(err)
		}
		result, err := pact.Diff(ctx, from, to, &o)
		if err != nil {
			return placed(err)
		}
		if across := flags.File == "" && endsOf(rest) != nil; across {
			result.Changed = slices.DeleteFunc(result.Changed, func(c diff.Change) bool { return madeAtTwoTimes(c.Fields) })
		}
		if a.JSON || a.Form == "" && (!a.OutTerminal || flags.File != "") {
			return a.PrintJSON(result)
		}
		return drawDiff(ctx, a, result, from, to, *structure)
	}
	three := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if flags.File == "" && (endsOf(args) != nil || namesRuns(args)) {
			return nil
		}
		return three(cmd, args)
	}
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		switch ends := endsOf(args); {
		case flags.File == "" && namesRuns(args):
			if rich.on || *structure {
				return command.Usage(cmd, "--rich and --structure compare snapshots, and these are the names of two runs")
			}
			return compareRuns(ctx, a, cmd, args)
		case flags.File == "" && ends != nil:
			if rich.on {
				return command.Usage(cmd, "--rich compares snapshots of one context")
			}
			return diffAcross(ctx, a, cmd, flags, ends, args, compare)
		}
		s, rest, err := a.Source(ctx, cmd, flags, args)
		if err != nil {
			return err
		}
		defer s.Close()
		var sides [2]*pact.Snapshot
		for i := range sides {
			if sides[i], err = s.Argument(ctx, rest[i:i+1]); err != nil {
				return err
			}
		}
		return compare(ctx, s, rest, sides[0], sides[1])
	})
	return cmd
}

// snapshotEnd is a snapshot with the name of its context.
type snapshotEnd struct{ name, address string }

// endsOf returns the two ends of NAME@A NAME@B [SELECTOR], nil if the arguments
// have another form.
func endsOf(args []string) []snapshotEnd {
	if len(args) < 2 || len(args) > 3 {
		return nil
	}
	var ends []snapshotEnd
	for _, arg := range args[:2] {
		name, address := view.SplitAddress(arg)
		if name == "" {
			return nil
		}
		ends = append(ends, snapshotEnd{name, address})
	}
	return ends
}

// madeAtTwoTimes reports whether nothing but the time differs in which a node was made: that of two imports of one file
// always does, and they say the same.
func madeAtTwoTimes(fields []string) bool {
	return !slices.ContainsFunc(fields, func(name string) bool { return name != "created_at_ns" && name != "created_at_iso" })
}

// diffAcross compares snapshots of two contexts of the store.
func diffAcross(ctx context.Context, a *command.App, cmd *cobra.Command, flags *command.SourceFlags, ends []snapshotEnd, args []string,
	compare func(context.Context, *command.Source, []string, *pact.Snapshot, *pact.Snapshot) error) error {
	var sides []*pact.Snapshot
	var newer *command.Source
	for _, e := range ends {
		s, _, err := a.Source(ctx, cmd, flags, []string{e.name})
		if err != nil {
			return err
		}
		defer s.Close()
		side, err := s.Argument(ctx, []string{e.address})
		if err != nil {
			return err
		}
		sides, newer = append(sides, side), s
	}
	return compare(ctx, newer, args, sides[0], sides[1])
}

// drawDiff prints a line for each block that differs, with structure for each
// node.
func drawDiff(ctx context.Context, a *command.App, r *diff.Result, from, to *pact.Snapshot, structure bool) error {
	if r.Empty() {
		a.Printf("nothing differs\n")
		return nil
	}
	d, drawn := drawnNodes{structure: structure}, map[string]int{}
	one := func(sign, id string, in *pact.Snapshot, fields []string) error {
		if left, err := d.leavesOut(id, in); left || err != nil {
			return err
		}
		line, err := a.LineOf(ctx, id, in)
		if err != nil {
			return err
		}
		rest := ""
		if fields != nil {
			rest = "  " + a.Paint.Changed(strings.Join(fields, ", "))
		}
		drawn[sign]++
		a.Printf("%s\n", a.ClipBefore(sign+" "+line, rest))
		return nil
	}
	gone, came, changed := a.Paint.Bad("-"), a.Paint.Good("+"), a.Paint.Changed("~")
	for _, id := range r.Removed {
		if err := one(gone, id, from, nil); err != nil {
			return err
		}
	}
	for _, id := range r.Added {
		if err := one(came, id, to, nil); err != nil {
			return err
		}
	}
	for _, c := range r.Changed {
		if err := one(changed, c.ID, to, c.Fields); err != nil {
			return err
		}
	}
	what := "node"
	if !structure {
		what = "block"
	}
	line := view.Plural(drawn[came], what) + " added, " + view.Plural(drawn[gone], what) + " removed, " +
		view.Plural(drawn[changed], what) + " changed"
	if d.hidden > 0 {
		line += "; " + view.Plural(d.hidden, "other node") + " with --structure"
	}
	a.Sentence(line)
	return nil
}

// drawnNodes says which nodes a diff draws.
type drawnNodes struct {
	structure bool // turns, groups and regions too
	hidden    int  // how many nodes it left out because they are none of the blocks
}

// leavesOut reports whether a node is not drawn, and counts it.
func (d *drawnNodes) leavesOut(id string, in *pact.Snapshot) (bool, error) {
	if d.structure {
		return false, nil
	}
	e, err := tree.Of(in).Entry(id)
	if err != nil || e != nil && e.Class() == tree.Block {
		return false, err
	}
	d.hidden++
	return true, nil
}
