package cli

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/store"
	"github.com/spf13/cobra"
)

func (a *app) forkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fork CONTEXT @cN NAME",
		Short: "Start a new context from a snapshot of another",
		Long: `Start a new context from a snapshot of another. The two share the history up to that
snapshot instead of copying it, so a fork costs next to nothing; later changes
stay with the context that made them. Generated ids in a fork end in its number, such as
block:12-3-f2. Uncommitted edits stay behind.`,
		Example: `  pact fork chat @c12 'chat, another answer'
  pact fork chat @t-1 retry`,
		Args:              exactly("CONTEXT", "@cN", "NAME"),
		ValidArgsFunction: a.completeNames,
	}
	message := cmd.Flags().StringP("message", "m", "", "why, a `TEXT` for the log")
	request := cmd.Flags().String("request", "", "a `TOKEN`: repeating the command with it does nothing more")
	actor := a.actorFlag(cmd)
	cmd.RunE = a.does(func(ctx context.Context, _ *cobra.Command, args []string) error {
		at, err := pact.ParseAddress(args[1])
		if err != nil {
			return err
		}
		c, s, err := a.openContext(ctx, args[0], *actor, nil)
		if err != nil {
			return err
		}
		defer s.Close()
		f, err := c.Fork(ctx, at, args[2], &pact.Note{Message: *message, Request: *request})
		if err != nil {
			return err
		}
		origins, err := f.Origins(ctx) // the author of the snapshot, whom pact contexts and pact log name too
		if err != nil {
			return err
		}
		return a.answer(visible(f.Name())+" begins at "+visible(c.Name())+" "+cycleText(origins[0].Cycle),
			map[string]any{"name": f.Name(), "origin": origins[0]})
	})
	return cmd
}

func (a *app) undoCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "undo CONTEXT",
		Short: "Take the last commit back",
		Long: `Take the last commit back: a fork of the snapshot before it gets the name of the
context. Nothing is lost: the old context, with its uncommitted edits, keeps the name
that is printed. pact rename or pact delete it.`,
		Example:           "  pact undo chat\n  pact undo chat --message 'wrong tool'",
		Args:              exactly("CONTEXT"),
		ValidArgsFunction: a.completeNames,
	}
	message := cmd.Flags().StringP("message", "m", "", "why, a `TEXT` for the log")
	request := cmd.Flags().String("request", "", "a `TOKEN`: repeating the command with it does nothing more")
	actor := a.actorFlag(cmd)
	cmd.RunE = a.does(func(ctx context.Context, _ *cobra.Command, args []string) error {
		c, s, err := a.openContext(ctx, args[0], *actor, nil)
		if err != nil {
			return err
		}
		defer s.Close()
		undone, err := c.Undo(ctx, &pact.Note{Message: *message, Request: *request})
		if err != nil {
			return err
		}
		_, cycle := c.Cycles()
		return a.answer(visible(c.Name())+" is at "+cycleText(cycle)+" again; the old line is "+visible(undone),
			map[string]any{"name": c.Name(), "cycle": cycle, "undone": undone})
	})
	return cmd
}

func cycleText(cycle int64) string { return "@c" + strconv.FormatInt(cycle, 10) }

// originOf returns where a context in a list began, nil if it is not a fork.
func originOf(c store.Info, all []store.Info) *pact.Origin {
	if c.Origin.Key == 0 {
		return nil
	}
	o := &pact.Origin{Cycle: c.Origin.Cycle}
	for _, other := range all {
		if other.Key == c.Origin.Key {
			o.Name = other.Name
		}
	}
	return o
}

func originText(o pact.Origin) string {
	if o.Name == "" {
		return "a deleted context, " + cycleText(o.Cycle)
	}
	return o.Name + " " + cycleText(o.Cycle)
}

// branchedOff says where a fork began, or what became of the name of a context.
func branchedOff(l logged) []string {
	var undo struct{ Undone string }
	_ = json.Unmarshal(l.Report, &undo) // without a report, undo stays empty
	var list []string
	switch l.Kind {
	case store.Forked:
		if l.Origin != nil {
			list = append(list, "of "+originText(*l.Origin))
		} else {
			list = append(list, "of a deleted context, "+cycleText(l.Cycle))
		}
		if undo.Undone != "" {
			list = append(list, "undid what is now "+undo.Undone)
		}
	case store.Erasing:
		if of := l.Erased(); of != nil && len(of.IDs) > 0 {
			list = append(list, plural(len(of.IDs), "node")+" erased")
		} else if of != nil {
			list = append(list, "log entries erased: "+strconv.Itoa(of.Entries))
		}
	case store.Superseded:
		list = append(list, "undone: a fork took over the name")
	}
	return list
}
