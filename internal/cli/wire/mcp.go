package wire

import (
	"context"
	"errors"
	"io"

	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/recall"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
)

func mcpCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp [NAME]",
		Short: "Give an agent tools over MCP, to recall what was left out",
		Long: `Speak the Model Context Protocol on standard input and output, as agents want it of a
program that they start. The tools are recall, which returns the exact text of a block by
the id that a shortened text names, or finds it by a word; show and changes, which list the
blocks of a context and what came and went; pin, which has policies leave a block alone;
and with --write note, which puts a text into a context.

With NAME they look at that context and those named below it alone; without, at all, and
first at the one that changed last. pact serve has the same tools at /v1/mcp.`,
		Example: `  claude mcp add pact -- pact mcp --db ~/pact.db
  codex mcp add pact -- pact mcp --db ~/pact.db
  pact mcp chat --write --db ~/pact.db`,
		Args: cobra.MaximumNArgs(1),
	}
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
		err = recall.NewServer(s, o).Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(a.In), Writer: notClosed{a.Out.W}})
		if ctx.Err() == nil && errors.Is(err, io.EOF) {
			return nil
		}
		return err
	})
	return cmd
}

// notClosed is an output that is not closed with the session.
type notClosed struct{ io.Writer }

func (notClosed) Close() error { return nil }
