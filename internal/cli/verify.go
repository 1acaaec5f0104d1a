package cli

import (
	"context"
	"strings"

	"github.com/contexttree/pact"
	"github.com/spf13/cobra"
)

func (a *app) verifyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify NAME",
		Short: "Check that nothing of a context was changed since",
		Long: `Check that nothing of a context was changed since it was committed: render every
snapshot again, and check every content hash, every node and the order of
siblings, the log, the digests that each commit recorded and, where it was sent,
the SHA-256 of the bytes. The first thing that does not hold is printed, with the
cycle and the node, and the exit code is 1.`,
		Example:           "  pact verify chat\n  pact verify chat --json",
		Args:              exactly("NAME"),
		ValidArgsFunction: a.completeNames,
	}
	cmd.RunE = a.does(func(ctx context.Context, _ *cobra.Command, args []string) error {
		c, s, err := a.stored(ctx, args[0], "")
		if err != nil {
			return err
		}
		defer s.Close()
		m := a.meter("verifying")
		r, err := pact.Verify(ctx, c, m.at)
		m.end()
		if err != nil {
			return err
		}
		a.failed = r.Broken != nil
		if a.json {
			return a.printJSON(r)
		}
		a.drawVerified(r)
		return nil
	})
	return cmd
}

func (a *app) drawVerified(r *pact.VerifyReport) {
	if b := r.Broken; b != nil {
		where := cycleText(b.Cycle)
		if b.Working {
			where = "working"
		}
		a.printf("%s %s\n", visible(r.Context), a.paint.bad("does not hold"))
		rows := [][]string{{"  at", where}, {"  node", visible(b.Node)}, {"  among", visible(strings.Join(b.Among, " "))},
			{"  what", visible(b.What)}, {"  recorded", visible(b.Recorded)}, {"  found", visible(b.Found)}}
		for _, row := range rows {
			if row[1] != "" {
				a.printf("%-11s%s\n", row[0], row[1])
			}
		}
		return
	}
	a.printf("%s %s: %s, %s of nodes\n", visible(r.Context), a.paint.good("holds"), plural(r.Snapshots, "snapshot"), plural(r.Versions, "version"))
	if n := r.Snapshots - r.Recorded; n > 0 {
		a.printf("  not recorded: the digests of %s\n", plural(n, "snapshot"))
	}
	if r.Sent > 0 {
		a.printf("  as sent, byte for byte: %s\n", plural(r.Sent, "snapshot"))
	}
}
