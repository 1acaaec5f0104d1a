package care

import (
	"context"
	"io"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"
	"github.com/spf13/cobra"
)

func exportCommand(a *command.App) *cobra.Command {
	cmd := a.Command("export")
	flags := a.SourceFlags(cmd)
	all := cmd.Flags().Bool("all", false, "write the history rather than one snapshot")
	compact := cmd.Flags().Bool("compact", false, "with --all, write each version of a node once")
	from := cmd.Flags().String("from", "", "with --all, the first snapshot, an `ADDRESS`")
	to := cmd.Flags().String("to", "", "with --all, the last snapshot, an `ADDRESS`")
	target := cmd.Flags().StringP("out", "o", "", "write to `FILE`; it appears once it is complete")
	cmd.RunE = a.Asks(flags, func(ctx context.Context, s *command.Source, rest []string) error {
		switch {
		case *all && len(rest) > 0:
			return command.Usage(cmd, "--all writes all snapshots; %s names one", rest[0])
		case !*all && (*compact || *from != "" || *to != ""):
			return command.Usage(cmd, "--compact, --from and --to need --all")
		case *compact && (*from != "" || *to != ""):
			return command.Usage(cmd, "--compact writes the whole history; --from and --to do not go with it")
		}
		write := func(w io.Writer) error { return writeOne(ctx, s, w, rest) }
		if *all {
			write = func(w io.Writer) error { return writeAll(ctx, s, w, *compact, *from, *to) }
		}
		if *all && !*compact && s.File == nil {
			if err := warnOfAttempts(ctx, a, s.Context); err != nil {
				return err
			}
		}
		if *target == "" {
			return write(a.Out)
		}
		return a.ReplaceFile(*target, write)
	})
	return cmd
}

// warnOfAttempts warns of attempts, which canonical snapshots leave out.
func warnOfAttempts(ctx context.Context, a *command.App, c *pact.Context) error {
	first, last := c.Cycles()
	attempts, err := c.Attempts(ctx, first, last+1)
	if len(attempts) > 0 {
		a.Warnf("%s left out, with requests, times and tokens; pact export %s --all --compact has them",
			view.Plural(len(attempts), "attempt"), screen.Quote(c.Name()))
	}
	return err
}

func writeOne(ctx context.Context, s *command.Source, w io.Writer, args []string) error {
	snapshot, err := s.Argument(ctx, args)
	if err != nil {
		return err
	}
	if err := snapshot.Export(ctx, w); err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n")
	return err
}

func writeAll(ctx context.Context, s *command.Source, w io.Writer, compact bool, from, to string) error {
	if s.Alone != nil && !compact { // the document is a history of one snapshot
		for _, arg := range []string{from, to} {
			if arg != "" {
				if _, err := s.Argument(ctx, []string{arg}); err != nil {
					return err
				}
			}
		}
		return writeOne(ctx, s, w, nil)
	}
	c, err := s.History(ctx)
	if err != nil {
		return err
	}
	if compact {
		return c.Backup(ctx, w)
	}
	first, _ := c.Cycles()
	ends := [2]pact.Address{pact.Cycle(first), pact.Latest()}
	for i, arg := range [2]string{from, to} {
		if arg == "" {
			continue
		}
		address, err := command.ParseAddress(arg, s.Edition())
		if err != nil {
			return err
		}
		ends[i] = address
	}
	return c.ExportHistory(ctx, w, ends[0], ends[1])
}
