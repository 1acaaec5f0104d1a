package cli

import (
	"context"
	"io"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/spf13/cobra"
)

// committed is the answer of pact commit --json.
type committed struct {
	Cycle  int64        `json:"cycle"`
	Digest string       `json:"digest"`
	Blocks int          `json:"blocks"`
	Bytes  int64        `json:"bytes"`
	DryRun bool         `json:"dry_run,omitempty"`
	Report *pact.Report `json:"report,omitempty"`
}

func (a *app) commitCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "commit NAME",
		Short: "End the cycle: expire, prune, seal, publish a snapshot",
		Long: `End the cycle. What expired goes, what the limits ask for is pruned, the active
head becomes a turn, and the result is published as the next snapshot. With
--dry-run nothing is published: the answer says what a commit would do. With --send
the thread is written first, without a newline, and the commit records the SHA-256
of exactly those bytes; pact verify holds the snapshot to it.`,
		Example: `  pact commit chat --message 'first question'
  pact commit chat --max-nodes 200 --protect-turns 3 --dry-run
  pact commit chat --prune block:2-0 --request 7f3a
  pact commit chat --send thread.json`,
		Args:              exactly("NAME"),
		ValidArgsFunction: a.completeNames,
	}
	f := cmd.Flags()
	message := f.StringP("message", "m", "", "why, a `TEXT` for the log")
	request := f.String("request", "", "a `TOKEN`: repeating the command with it does nothing more")
	maxNodes := f.Int("max-nodes", 0, "prune until there are at most `N` blocks and containers")
	protect := f.Int("protect-turns", 0, "keep the most recent `N` turns from being pruned")
	prune := f.StringArray("prune", nil, "prune the node `ID`; may be repeated")
	dryRun := f.Bool("dry-run", false, "publish nothing")
	send := f.String("send", "", "write the thread to `FILE` first, and record the SHA-256 of its bytes")
	actor := a.actorFlag(cmd)
	cmd.RunE = a.does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		if *send != "" && (*dryRun || *request != "") {
			return usage(cmd, "--send goes with neither --dry-run nor --request: it writes what is about to be committed")
		}
		if *maxNodes < 0 || *protect < 0 {
			return usage(cmd, "--max-nodes and --protect-turns are counts")
		}
		c, s, err := a.stored(ctx, args[0], *actor)
		if err != nil {
			return err
		}
		defer s.Close()
		pruning := []pact.CallOption{pact.WithPolicy(pact.Policy{MaxNodes: *maxNodes, ProtectTurns: *protect}), pact.WithPrune(*prune...)}
		options := []pact.CallOption{pact.WithMessage(*message), pact.WithRequest(*request)}
		if *send == "" {
			options = append(options, pruning...)
		} else if err := replaceFile(*send, func(w io.Writer) error {
			_, err := c.Send(ctx, w, pruning...)
			return err
		}); err != nil {
			return err
		}
		publish := c.Commit
		if *dryRun {
			publish = c.Prepare
		}
		snapshot, err := publish(ctx, options...)
		if err != nil {
			return err
		}
		return a.reportCommit(snapshot, *dryRun)
	})
	return cmd
}

func (a *app) reportCommit(s *pact.Snapshot, dryRun bool) error {
	blocks, bytes := s.ThreadSize()
	if a.json {
		return a.printJSON(committed{s.Cycle(), s.Digest(), blocks, bytes, dryRun, s.Report})
	}
	what := "committed "
	if dryRun {
		what = "would commit "
	}
	a.printf("%s%s\n", what, a.paint.strong("@c"+strconv.FormatInt(s.Cycle(), 10)))
	a.printf("  digest  %s\n", s.Digest())
	a.printf("  thread  %s, %s\n", plural(blocks, "block"), bytesText(bytes))
	if s.Report == nil {
		return nil
	}
	for _, r := range s.Report.Removed {
		a.printf("  %s %s  %s\n", a.paint.bad("-"), visible(r.ID), r.Reason)
	}
	for _, h := range s.Report.Held {
		by := ""
		if h.By != "" && h.By != h.ID {
			by = " by " + visible(h.By)
		}
		a.printf("  %s %s  %s, kept: %s%s\n", a.paint.changed("="), visible(h.ID), h.Reason, h.Kept, by)
	}
	if s.Report.Budget != "" {
		a.warnf("%s", s.Report.Budget)
	}
	return nil
}
