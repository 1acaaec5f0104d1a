package care

import (
	"context"
	"io"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"
	"github.com/spf13/cobra"
)

func exportCommand(a *command.App) *cobra.Command {
	cmd := a.Command("export")
	flags := a.SourceFlags(cmd)
	all := cmd.Flags().Bool("all", false, "write the history, each version of a node once, with the attempts")
	full := cmd.Flags().Bool("snapshots", false, "write each snapshot of the history in full")
	from := cmd.Flags().String("from", "", "with --snapshots, the first, an `ADDRESS`")
	to := cmd.Flags().String("to", "", "with --snapshots, the last, an `ADDRESS`")
	target := cmd.Flags().StringP("out", "o", "", "write to `FILE`; it appears once it is complete")
	as := cmd.Flags().String("as", "", "write for another program, in the `FORM` "+strings.Join(forms, ", "))
	command.OneOf(cmd, "as", forms)
	cmd.MarkFlagsMutuallyExclusive("all", "snapshots", "as")
	cmd.RunE = a.Asks(flags, func(ctx context.Context, s *command.Source, rest []string) error {
		if (*all || *full) && len(rest) > 0 {
			return command.Usage(cmd, "--all and --snapshots write all snapshots; %s names one", rest[0])
		}
		if *as != "" {
			if a.JSON && *target == "" {
				return command.Usage(cmd, "--json says what --as cannot carry; name a file for the rest with --out")
			}
			return exportAs(ctx, a, s, *as, *target, rest)
		}
		write := func(w io.Writer) error { return writeOne(ctx, s, w, rest) }
		switch {
		case *all:
			write = func(w io.Writer) error {
				c, err := s.History(ctx)
				if err != nil {
					return err
				}
				return c.Export(ctx, w)
			}
		case *full:
			if s.File == nil {
				if err := warnOfAttempts(ctx, a, s.Context); err != nil {
					return err
				}
			}
			write = func(w io.Writer) error { return writeSnapshots(ctx, s, w, *from, *to) }
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
	first, last := c.Info().First, c.Info().Cycle
	attempts, err := c.Attempts(ctx, first, last+1)
	if len(attempts) > 0 {
		a.Warnf("%s left out, with requests, times and tokens; pact export %s --all has them",
			view.Plural(len(attempts), "attempt"), screen.Quote(c.Info().Name))
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

func writeSnapshots(ctx context.Context, s *command.Source, w io.Writer, from, to string) error {
	if s.Alone != nil { // the document is a history of one snapshot
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
	first := c.Info().First
	ends := [2]pact.Address{pact.Cycle(first), "latest"}
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
	return c.ExportSnapshots(ctx, w, ends[0], ends[1])
}
