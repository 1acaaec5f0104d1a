package edit

import (
	"context"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/view"
	"github.com/spf13/cobra"
)

func forkCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fork CONTEXT @cN NAME",
		Short: "Start a new context from a snapshot of another",
		Long: `Start a new context from a snapshot of another. The two share the history up to that
snapshot instead of copying it, so a fork costs next to nothing; later changes
stay with the context that made them. Generated ids in a fork end in its number, such as
block:12-3-f2. Uncommitted edits stay behind.`,
		Example: `  pact fork chat @c12 'chat, another answer'
  pact fork chat @t-1 retry`,
		Args:              command.Exactly("CONTEXT", "@cN", "NAME"),
		ValidArgsFunction: a.CompleteNames,
	}
	message := cmd.Flags().StringP("message", "m", "", "why, a `TEXT` for the log")
	request := cmd.Flags().String("request", "", "a `TOKEN`: repeating the command with it does nothing more")
	actor := a.ActorFlag(cmd)
	cmd.RunE = a.Does(func(ctx context.Context, _ *cobra.Command, args []string) error {
		at, err := pact.ParseAddress(args[1])
		if err != nil {
			return err
		}
		c, s, err := a.OpenContext(ctx, args[0], *actor)
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
		return a.Answer(view.Visible(f.Name())+" begins at "+view.Visible(c.Name())+" "+view.Cycle(origins[0].Cycle),
			map[string]any{"name": f.Name(), "origin": origins[0]})
	})
	return cmd
}

func undoCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "undo CONTEXT",
		Short: "Take the last commit back",
		Long: `Take the last commit back: a fork of the snapshot before it gets the name of the
context. Nothing is lost: the old context, with its uncommitted edits, keeps the name
that is printed. pact rename or pact delete it.`,
		Example:           "  pact undo chat\n  pact undo chat --message 'wrong tool'",
		Args:              command.Exactly("CONTEXT"),
		ValidArgsFunction: a.CompleteNames,
	}
	message := cmd.Flags().StringP("message", "m", "", "why, a `TEXT` for the log")
	request := cmd.Flags().String("request", "", "a `TOKEN`: repeating the command with it does nothing more")
	actor := a.ActorFlag(cmd)
	cmd.RunE = a.Does(func(ctx context.Context, _ *cobra.Command, args []string) error {
		c, s, err := a.OpenContext(ctx, args[0], *actor)
		if err != nil {
			return err
		}
		defer s.Close()
		undone, err := c.Undo(ctx, &pact.Note{Message: *message, Request: *request})
		if err != nil {
			return err
		}
		_, cycle := c.Cycles()
		return a.Answer(view.Visible(c.Name())+" is at "+view.Cycle(cycle)+" again; the old line is "+view.Visible(undone),
			map[string]any{"name": c.Name(), "cycle": cycle, "undone": undone})
	})
	return cmd
}
