package edit

import (
	"context"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/selector"
	"github.com/spf13/cobra"
)

func newCommand(a *command.App) *cobra.Command {
	cmd := a.Command("new")
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	edition := cmd.Flags().String("edition", a.NewEdition(), "the `EDITION`: "+command.EditionNames+"; PACT_EDITION sets another default")
	command.CompleteFlag(cmd, "edition", selector.Editions())
	actor := a.ActorFlag(cmd)
	cmd.RunE = a.Does(func(ctx context.Context, _ *cobra.Command, args []string) error {
		if _, err := selector.ParseEdition(*edition); err != nil {
			return err
		}
		s, err := a.OpenStore(ctx)
		if err != nil {
			return err
		}
		defer s.Close()
		c, err := pact.Create(ctx, s, args[0], &pact.CreateOptions{OpenOptions: pact.OpenOptions{Actor: *actor},
			Edition: selector.Edition(*edition)})
		if err != nil {
			return err
		}
		return a.Answer("made "+view.Visible(c.Info().Name)+" in "+a.Shown(), map[string]any{"name": c.Info().Name, "edition": c.Info().Edition})
	})
	return cmd
}

func renameCommand(a *command.App) *cobra.Command {
	cmd := a.Command("rename")
	cmd.RunE = a.OnStore(func(ctx context.Context, s *pact.DB, args []string) error {
		err := a.Exactly(ctx, s, args[0])
		if err == nil {
			err = pact.Rename(ctx, s, args[0], args[1])
		}
		if err != nil {
			return err
		}
		return a.Answer(view.Visible(args[0])+" is now "+view.Visible(args[1]), map[string]any{"name": args[1]})
	})
	return cmd
}

func deleteCommand(a *command.App) *cobra.Command {
	cmd := a.Command("delete")
	yes := cmd.Flags().Bool("yes", false, "do not ask")
	cmd.RunE = a.OnStore(func(ctx context.Context, s *pact.DB, args []string) error {
		if err := a.Exactly(ctx, s, args[0]); err != nil {
			return err
		}
		info, err := s.Find(ctx, args[0])
		if err != nil {
			return err
		}
		if !*yes {
			if err := a.MustConfirm("nothing was deleted", "deleting "+strconv.Quote(info.Name), "repeat with --yes",
				"Delete "+view.Visible(info.Name)+" with "+view.Plural(int(max(0, info.Cycle-info.First+1)), "snapshot")+"?"); err != nil {
				return err
			}
		}
		if err := pact.Delete(ctx, s, info.Name); err != nil {
			return err
		}
		return a.Answer("deleted "+view.Visible(info.Name), map[string]any{"deleted": info.Name})
	})
	return cmd
}

func forkCommand(a *command.App) *cobra.Command {
	cmd := a.Command("fork")
	note := noteFlags(cmd)
	actor := a.ActorFlag(cmd)
	cmd.RunE = a.OnContext(actor, func(ctx context.Context, _ *cobra.Command, c *pact.Context, _ *pact.DB, rest []string) error {
		at, err := pact.ParseAddress(rest[0], c.Info().Edition)
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
		return a.Answer(view.Visible(f.Info().Name)+" begins at "+view.Visible(c.Info().Name)+" "+view.Cycle(origins[0].Cycle),
			map[string]any{"name": f.Info().Name, "origin": origins[0]})
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
		cycle := c.Info().Cycle
		return a.Answer(view.Visible(c.Info().Name)+" is at "+view.Cycle(cycle)+" again; the old line is "+view.Visible(undone),
			map[string]any{"name": c.Info().Name, "cycle": cycle, "undone": undone})
	})
	return cmd
}
