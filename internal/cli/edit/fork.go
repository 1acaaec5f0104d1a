package edit

import (
	"context"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/view"
	"github.com/spf13/cobra"
)

func forkCommand(a *command.App) *cobra.Command {
	cmd := a.Command("fork")
	note := noteFlags(cmd)
	actor := a.ActorFlag(cmd)
	cmd.RunE = a.OnContext(actor, func(ctx context.Context, _ *cobra.Command, c *pact.Context, _ *pact.DB, rest []string) error {
		at, err := c.ParseAddress(rest[0])
		if err != nil {
			return err
		}
		f, err := c.Fork(ctx, at, rest[1], note)
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
	cmd := a.Command("undo")
	note := noteFlags(cmd)
	actor := a.ActorFlag(cmd)
	cmd.RunE = a.OnContext(actor, func(ctx context.Context, _ *cobra.Command, c *pact.Context, _ *pact.DB, _ []string) error {
		undone, err := c.Undo(ctx, note)
		if err != nil {
			return err
		}
		_, cycle := c.Cycles()
		return a.Answer(view.Visible(c.Name())+" is at "+view.Cycle(cycle)+" again; the old line is "+view.Visible(undone),
			map[string]any{"name": c.Name(), "cycle": cycle, "undone": undone})
	})
	return cmd
}
