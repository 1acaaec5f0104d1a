package wire

import (
	"context"
	"errors"
	"io"

	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/recall"
	"github.com/spf13/cobra"
)

func mcpCommand(a *command.App) *cobra.Command {
	cmd := a.Command("mcp")
	write := cmd.Flags().Bool("write", false, "offer the tool note too")
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) (err error) {
		s, err := a.OpenStore(ctx)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		o := recall.Options{Pin: true, Note: *write, Actor: a.Getenv("USER", ""), Version: cmd.Root().Version}
		if len(args) > 0 {
			o.Context = args[0]
		}
		err = recall.NewServer(s, o).Run(ctx, recall.Lines{In: a.In, Out: a.Out.W})
		if ctx.Err() == nil && errors.Is(err, io.EOF) {
			return nil
		}
		return err
	})
	return cmd
}
