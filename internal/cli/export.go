package cli

import (
	"context"
	"io"

	"github.com/contexttree/pact"
	"github.com/spf13/cobra"

	"github.com/contexttree/pact/internal/intake"
)

func (a *app) exportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export NAME [@t] | export NAME --all | export --file FILE …",
		Short: "Write a snapshot or a history",
		Long: `Write the canonical document of a snapshot, by default of the latest, and one
newline. With --all write the history as JSON Lines: the canonical snapshots,
oldest first, from --from to --to. With --compact each version of a node is written
once, which is the form for backups. pact import reads all of these.`,
		Example: `  pact export chat @t-1
  pact export chat --all -o chat.jsonl
  pact export chat --all --from @c10 --to @t0
  pact export chat --all --compact -o backup.jsonl
  pact export --file snapshot.json`,
	}
	flags := a.sourceFlags(cmd)
	all := cmd.Flags().Bool("all", false, "write the history rather than one snapshot")
	compact := cmd.Flags().Bool("compact", false, "with --all, write each version of a node once")
	from := cmd.Flags().String("from", "", "with --all, the first snapshot, an `ADDRESS`")
	to := cmd.Flags().String("to", "", "with --all, the last snapshot, an `ADDRESS`")
	target := cmd.Flags().StringP("output", "o", "", "write to `FILE`; it appears once it is complete")
	cmd.RunE = a.asks(flags, []string{"[@t]"}, func(ctx context.Context, s *source, rest []string) error {
		switch {
		case *all && len(rest) > 0:
			return usage(cmd, "--all writes all snapshots; %s names one", rest[0])
		case !*all && (*compact || *from != "" || *to != ""):
			return usage(cmd, "--compact, --from and --to need --all")
		case *compact && (*from != "" || *to != ""):
			return usage(cmd, "--compact writes the whole history; --from and --to do not go with it")
		}
		write := func(w io.Writer) error { return s.writeOne(ctx, w, rest) }
		if *all {
			write = func(w io.Writer) error { return s.writeAll(ctx, w, *compact, *from, *to) }
		}
		if *target == "" {
			return write(a.out)
		}
		return a.replaceFile(*target, write)
	})
	return cmd
}

func (s *source) writeOne(ctx context.Context, w io.Writer, args []string) error {
	snapshot, err := s.argument(ctx, args)
	if err != nil {
		return err
	}
	if err := snapshot.Export(ctx, w); err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n")
	return err
}

func (s *source) writeAll(ctx context.Context, w io.Writer, compact bool, from, to string) error {
	if s.alone != nil && !compact { // the document is a history of one snapshot
		for _, arg := range []string{from, to} {
			if arg != "" {
				if _, err := s.argument(ctx, []string{arg}); err != nil {
					return err
				}
			}
		}
		return s.writeOne(ctx, w, nil)
	}
	c := s.context
	if c == nil {
		var err error
		if c, _, err = s.file.begin(ctx, intake.Snapshot, s.store, s.file.base(),
			pact.ImportHistoryOptions{HistoryOptions: pact.HistoryOptions{Edition: s.edition()}}); err != nil {
			return err
		}
	}
	if compact {
		return c.Backup(ctx, w)
	}
	first, _ := c.Cycles()
	ends := [2]pact.Address{pact.Cycle(first), pact.Latest}
	for i, arg := range [2]string{from, to} {
		if arg == "" {
			continue
		}
		address, err := parseAddress(arg)
		if err != nil {
			return err
		}
		ends[i] = address
	}
	return c.ExportHistory(ctx, w, ends[0], ends[1])
}
